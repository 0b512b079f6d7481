"""Codes, owners and decisions, for tests of who is let in."""

from __future__ import annotations

import asyncio
import re
from typing import Protocol

from sqlalchemy import func, select

from gaia.core import pairing
from gaia.ports import Clock
from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.base import Base
from gaia.store.engine import Database
from gaia.store.people.pairings import new_code
from gaia.store.people.users import Role, User, Users

SHOWN = re.compile(r"\b[A-Z2-9]{4}-[A-Z2-9]{4}\b")


class RunningCore(Protocol):
    """What is needed of a core that runs."""

    @property
    def database(self) -> Database: ...

    @property
    def users(self) -> Users: ...

    @property
    def clock(self) -> Clock: ...


def code_in(text: str | None) -> str:
    """The code that a text shows."""
    found = SHOWN.search(text or "")
    assert found, text
    return found[0]


async def count(core: RunningCore, table: type[Base]) -> int:
    """How many rows a table has."""
    with core.database.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


async def actions(core: RunningCore) -> list[Action]:
    """What was decided, the oldest first."""
    return [Action(entry.action) for entry in await core.database.read(audit.entries)]


async def invite(
    core: RunningCore,
    *,
    user: User | None = None,
    role: Role | None = None,
    name: str | None = None,
) -> str:
    """A code that lets in whoever sends it, as that user, or in that role under that name."""
    code = await asyncio.to_thread(new_code)
    await core.database.write(
        pairing.invite, code, user=user, role=role, name=name, by=audit.CLI, now=core.clock.now()
    )
    return code.shown


async def owner(core: RunningCore, name: str = "ada") -> User:
    """Make an owner of a user."""
    return await core.users.set_role(await core.users.find(name), Role.OWNER)
