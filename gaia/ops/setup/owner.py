"""The owner, as far as setting gaia up goes: who it is, and a code by which they pair."""

from __future__ import annotations

import asyncio
from collections.abc import Set
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.core import pairing
from gaia.core.access import TERMINAL
from gaia.errors import AddressTakenError
from gaia.messages import Address
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.engine import Database
from gaia.store.migrations import HEAD
from gaia.store.opener import open_database, read_revision
from gaia.store.people import identities, pairings
from gaia.store.people.identities import Role, User


@dataclass(frozen=True, slots=True)
class Owner:
    """The only owner there is, as of when they were read."""

    user: User
    channels: Set[str]
    """Where they are known."""
    has_code: bool = False
    """Whether a code that was made for them can still be used."""


@dataclass(frozen=True, slots=True)
class Owners:
    """Who owns this gaia: nobody yet, one, or several, and then no `owner` is the one."""

    names: tuple[str, ...] = ()
    owner: Owner | None = None


async def find_owners(home: Home, clock: Clock) -> Owners:
    """Who owns the gaia of a home. Nothing is made or changed: of a database that an older
    gaia wrote, nothing is told."""
    if await asyncio.to_thread(read_revision, home) != HEAD:
        return Owners()
    database = await open_database(home)
    try:
        return await read_owners(database, clock)
    finally:
        await database.close()


async def read_owners(database: Database, clock: Clock) -> Owners:
    """Who owns this gaia."""
    return await database.read(_owners, clock.now())


async def make_owner(database: Database, name: str, login: str, clock: Clock) -> User:
    """The first owner, who is whoever opens `gaia chat` as `login`. A user who goes by that
    name already becomes the owner; if there is an owner meanwhile, it is them.

    Raises:
        UserNameError: Nobody can be called so.
    """
    return await database.write(_ensure_owner, name, login, clock.now())


async def new_code(database: Database, owner: User, clock: Clock) -> str:
    """A code, as it is shown: whoever writes it to a channel within an hour is the owner.

    It goes by the owner's name, so that the one that gaia makes at its start, which does
    not, leaves it good.
    """
    code = await asyncio.to_thread(pairings.new_code)
    await database.write(
        pairing.invite, code, user=owner, name=owner.name, by=audit.CLI, now=clock.now()
    )
    return code.shown


def _owners(session: Session, now: datetime) -> Owners:
    owners = identities.owners(session)
    names = tuple(owner.name for owner in owners)
    if len(owners) != 1:
        return Owners(names)
    owner = owners[0]
    addresses = identities.addresses(session, owner.user_id)
    waiting = pairings.to_send_back(session, now)
    has_code = any(each.terms.user_id == owner.user_id for each in waiting)
    return Owners(names, Owner(owner, {each.channel for each in addresses}, has_code))


def _ensure_owner(session: Session, name: str, login: str, now: datetime) -> User:
    owners = identities.owners(session)
    if owners:
        return owners[0]
    known = identities.find_named(session, name)
    if known is None:
        user = identities.create(session, name, Role.OWNER, now=now)
        action = Action.ADDED
    else:
        user = identities.set_role(session, known, Role.OWNER)
        action = Action.ROLE_CHANGED
    address = _terminal_of(session, user, login, now)
    audit.record(
        session,
        action,
        at=now,
        by=audit.CLI,
        subject=user.user_id,
        address=address,
        detail=Role.OWNER,
    )
    return user


def _terminal_of(session: Session, user: User, login: str, now: datetime) -> Address | None:
    """The address of `gaia chat`, made the user's; None if it is somebody else's already."""
    address = Address(TERMINAL, login)
    try:
        identities.link(session, user, address, now)
    except AddressTakenError:
        return None
    return address
