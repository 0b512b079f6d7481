"""Who is who: users, and the addresses that belong to them.

Each function works within the caller's transaction, who also writes the audit.
A removed user is unknown to all of them. An id is never reused.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, func, or_, select, update
from sqlalchemy.orm import Session

from gaia.errors import (
    AddressTakenError,
    GroupUserError,
    LastOwnerError,
    UnknownAddressError,
    UnknownUserError,
    UserNameTakenError,
)
from gaia.messages import Address
from gaia.store.base import table_of
from gaia.store.people.names import MAX_CHARACTERS, checked_name, name_key, new_user_id, usable_name
from gaia.store.people.spellings import identity_of
from gaia.store.tables import IdentityRow, UserRow

TABLE = table_of(UserRow)

COLUMNS = (
    TABLE.c.user_id,
    TABLE.c.name,
    TABLE.c.role,
    TABLE.c.created_at,
    TABLE.c.is_group,
    TABLE.c.zone,
)
"""What a user is read from."""


_OWNERS = TABLE.alias("owners")

SHARED_VERSION = (
    select(func.coalesce(func.sum(_OWNERS.c.memory_version), 0))
    .where(_OWNERS.c.role == "owner", _OWNERS.c.removed_at.is_(None))
    .scalar_subquery()
)
"""Rises with each change of what owners may have shared."""


class Role(StrEnum):
    """What a user may do. An owner may change gaia and its users."""

    OWNER = "owner"
    MEMBER = "member"
    GUEST = "guest"

    @property
    def with_article(self) -> str:
        """The role as a sentence has it: an owner, a member."""
        return f"an {self}" if self is Role.OWNER else f"a {self}"


@dataclass(frozen=True, slots=True)
class User:
    """A person, or a group chat, as of when they were read. `zone` is the name of their time
    zone, if they have told it."""

    user_id: str
    name: str
    role: Role
    created_at: datetime
    is_group: bool = False
    zone: str | None = None


def create(
    session: Session, name: str, role: Role, *, now: datetime, is_group: bool = False
) -> User:
    """A new user, with a fresh id.

    Raises:
        UserNameError: Nobody can be called so.
        UserNameTakenError: Another user has the name, in whatever case.
        GroupUserError: A group cannot have that role.
    """
    name = checked_name(name)
    _check_role_fits(name, role, is_group=is_group)
    taken = _named(session, name)
    if taken is not None:
        raise UserNameTakenError(
            f"there is a user called {taken.name!r} already: choose another name than {name!r}"
        )
    row = UserRow(
        user_id=new_user_id(),
        name=name,
        name_key=name_key(name),
        role=role,
        is_group=is_group,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return _read(row)


def free_name(session: Session, wanted: str | None) -> str:
    """A name that a new user may have: the wanted one as far as possible, with a
    number behind it when somebody has it."""
    name = usable_name(wanted)
    number = 1
    candidate = name
    while _named(session, candidate) is not None:
        number += 1
        suffix = f" {number}"
        candidate = name[: MAX_CHARACTERS - len(suffix)].rstrip() + suffix
    return candidate


def find(session: Session, name_or_id: str) -> User:
    """The user of that name, in whatever case, or of that id.

    Raises:
        UnknownUserError: There is none. The message lists near names.
    """
    row = session.scalar(
        _living().where(
            or_(UserRow.user_id == name_or_id, UserRow.name_key == name_key(name_or_id))
        )
    )
    if row is None:
        raise UnknownUserError(_unknown(session, name_or_id))
    return _read(row)


def find_named(session: Session, name: str) -> User | None:
    """The user of that name, in whatever case, or None."""
    row = _named(session, name)
    return None if row is None else _read(row)


def everybody(session: Session) -> tuple[User, ...]:
    """All users, by name."""
    rows = session.scalars(_living().order_by(UserRow.name_key))
    return tuple(_read(row) for row in rows)


def owners(session: Session) -> Sequence[User]:
    """All owners, by name."""
    return [user for user in everybody(session) if user.role is Role.OWNER]


def resolve(session: Session, address: Address) -> User | None:
    """The one user that an address belongs to, in whichever spelling; None for a stranger."""
    identity = identity_of(session, address)
    if identity is None:
        return None
    row = session.scalar(_living().where(UserRow.user_id == identity.user_id))
    return None if row is None else _read(row)


def memory_version(session: Session, user_id: str) -> int:
    """The version of what a user's memory tells, that of the owners, who share notes, among
    it; 0 of somebody unknown."""
    found = session.scalar(
        select(TABLE.c.memory_version + SHARED_VERSION).where(TABLE.c.user_id == user_id)
    )
    return found or 0


def addresses(session: Session, user_id: str) -> tuple[Address, ...]:
    """The addresses that belong to a user, in a fixed order."""
    rows = session.scalars(
        select(IdentityRow)
        .where(IdentityRow.user_id == user_id)
        .order_by(IdentityRow.channel, IdentityRow.sender)
    )
    return tuple(Address(row.channel, row.sender) for row in rows)


def link(session: Session, user: User, address: Address, now: datetime) -> bool:
    """Make `address` belong to `user`; returns False if it did, in whichever spelling.

    Raises:
        UnknownUserError: The user has been removed.
        AddressTakenError: It belongs to another user.
    """
    living_row(session, user)
    holder = identity_of(session, address)
    if holder is None:
        session.add(
            IdentityRow(
                channel=address.channel,
                sender=address.sender,
                user_id=user.user_id,
                created_at=now,
            )
        )
        session.flush()
        return True
    if holder.user_id != user.user_id:
        other = session.get_one(UserRow, holder.user_id)
        raise AddressTakenError(
            f"the address {str(address)!r} belongs to {other.name!r} already: unlink it first "
            f"with 'gaia users unlink {address.channel} {address.sender}'"
        )
    return False


def unlink(session: Session, address: Address) -> str:
    """Make `address` a stranger's; returns the id of the user whose it was.

    Raises:
        UnknownAddressError: It is one already.
    """
    identity = identity_of(session, address)
    if identity is None:
        raise UnknownAddressError(
            f"the address {str(address)!r} belongs to nobody: 'gaia users list' shows all addresses"
        )
    session.delete(identity)
    return identity.user_id


def move_address(
    session: Session, channel: str, old_sender: str, new_sender: str, now: datetime
) -> None:
    """Let a user whom the channel names again be known by the new address. Nothing
    happens where the old one is nobody's, or the new one is somebody's."""
    old = session.get(IdentityRow, (channel, old_sender))
    new = identity_of(session, Address(channel, new_sender))
    if old is not None and new in (None, old) and old_sender != new_sender:
        session.add(
            IdentityRow(channel=channel, sender=new_sender, user_id=old.user_id, created_at=now)
        )
        session.delete(old)


def set_role(session: Session, user: User, role: Role) -> User:
    """Give a user another role.

    Raises:
        UnknownUserError: The user has been removed.
        LastOwnerError: They are the only owner, and would be none.
        GroupUserError: A group cannot have that role.
    """
    row = living_row(session, user)
    _check_role_fits(row.name, role, is_group=row.is_group)
    if role is not Role.OWNER:
        check_not_last_owner(session, user)
    row.role = role
    return _read(row)


def set_zone(session: Session, user_id: str, zone: str) -> None:
    """Keep a user's time zone, by its name."""
    session.execute(update(UserRow).where(UserRow.user_id == user_id).values(zone=zone))


def may_ask_zone(session: Session, user_id: str, now: datetime) -> bool:
    """Whether a user was never asked for their time zone, which they now are."""
    asked = session.execute(
        update(UserRow)
        .where(UserRow.user_id == user_id, UserRow.zone.is_(None), UserRow.zone_asked_at.is_(None))
        .values(zone_asked_at=now)
        .returning(UserRow.user_id)
    )
    return asked.first() is not None


def check_not_last_owner(session: Session, user: User) -> None:
    """Return if gaia would have an owner without this user.

    Raises:
        UnknownUserError: The user has been removed.
        LastOwnerError: They are the only owner.
    """
    row = living_row(session, user)
    if row.role != Role.OWNER:
        return
    count = session.scalar(
        select(func.count())
        .select_from(UserRow)
        .where(UserRow.removed_at.is_(None), UserRow.role == Role.OWNER)
    )
    if count == 1:
        raise LastOwnerError(
            f"{row.name!r} is the only owner: make another user an owner first "
            "with 'gaia users role NAME owner'"
        )


def leave_tombstone(session: Session, user: User, now: datetime) -> None:
    """Leave nothing of the user's row but the id and the dates."""
    row = living_row(session, user)
    row.name = row.name_key = ""
    row.zone = row.zone_asked_at = None
    row.removed_at = now


def living_row(session: Session, user: User) -> UserRow:
    """The user's row.

    Raises:
        UnknownUserError: The user has been removed.
    """
    row = session.scalar(_living().where(UserRow.user_id == user.user_id))
    if row is None:
        raise UnknownUserError(f"the user {user.name!r} has been removed meanwhile")
    return row


def _living() -> Select[UserRow]:
    return select(UserRow).where(UserRow.removed_at.is_(None))


def of(values: Sequence[Any]) -> User:
    """The user that their `COLUMNS` hold."""
    user_id, name, role, created_at, is_group, zone = values
    return User(user_id, name, Role(role), created_at, is_group, zone)


def _read(row: UserRow) -> User:
    return of([getattr(row, column.key) for column in COLUMNS])


def _named(session: Session, name: str) -> UserRow | None:
    return session.scalar(_living().where(UserRow.name_key == name_key(name)))


def _check_role_fits(name: str, role: Role, *, is_group: bool) -> None:
    if is_group and role is Role.OWNER:
        raise GroupUserError(
            f"{name!r} is a group, and whoever joins it would be an owner: "
            "make it a member or a guest"
        )


def _unknown(session: Session, name: str) -> str:
    rows = session.scalars(_living()).all()
    names = {row.name_key: row.name for row in rows}
    near = difflib.get_close_matches(name_key(name), names, n=3)
    if near:
        return f"no user is called {name!r}: did you mean {', '.join(names[key] for key in near)}?"
    return f"no user is called {name!r}: 'gaia users list' shows all of them"
