"""Users and their addresses.

Each method is one transaction of its own. An id is never reused: a removed
user leaves a tombstone with nothing but the id and the dates.
"""

from __future__ import annotations

import difflib
import logging
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.errors import (
    AddressTakenError,
    LastOwnerError,
    UnknownAddressError,
    UnknownUserError,
    UserNameTakenError,
)
from gaia.messages import Address
from gaia.ports import Clock
from gaia.store.engine import Database
from gaia.store.names import checked_name, name_key, new_user_id
from gaia.store.tables import IdentityRow, UserRow
from gaia.store.wipe import wipe_user

logger = logging.getLogger(__name__)


class Role(StrEnum):
    """What a user may do. An owner may change gaia and its users."""

    OWNER = "owner"
    MEMBER = "member"
    GUEST = "guest"


@dataclass(frozen=True, slots=True)
class User:
    """A person, as of when they were read."""

    user_id: str
    name: str
    role: Role
    created_at: datetime


class Users:
    """The living users of a home. A removed one is unknown to every method."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def create(self, name: str, role: Role, address: Address | None = None) -> User:
        """A new user, with a fresh id and, in the same transaction, their first address.

        Raises:
            UserNameError: Nobody can be called so.
            UserNameTakenError: Another user has the name, in whatever case.
            AddressTakenError: The address belongs to another user.
        """
        name = checked_name(name)
        async with self._database.write() as session:
            await _check_name_is_free(session, name)
            row = UserRow(
                user_id=new_user_id(),
                name=name,
                name_key=name_key(name),
                role=role,
                created_at=self._clock.now(),
            )
            session.add(row)
            await session.flush()
            if address is not None:
                await self._link(session, row, address)
            return _user(row)

    async def find(self, name_or_id: str) -> User:
        """The user of that name, in whatever case, or of that id.

        Raises:
            UnknownUserError: There is none. The message lists near names.
        """
        async with self._database.read() as session:
            row = await session.scalar(
                _living().where(
                    or_(UserRow.user_id == name_or_id, UserRow.name_key == name_key(name_or_id))
                )
            )
            if row is None:
                raise UnknownUserError(await _unknown(session, name_or_id))
            return _user(row)

    async def list(self) -> tuple[User, ...]:
        """All users, by name."""
        async with self._database.read() as session:
            rows = await session.scalars(_living().order_by(UserRow.name_key))
            return tuple(_user(row) for row in rows)

    async def resolve(self, address: Address) -> User | None:
        """The one user that an address belongs to, or None for a stranger."""
        async with self._database.read() as session:
            row = await session.scalar(
                _living()
                .join(IdentityRow, IdentityRow.user_id == UserRow.user_id)
                .where(IdentityRow.channel == address.channel, IdentityRow.sender == address.sender)
            )
            return None if row is None else _user(row)

    async def addresses(self, user: User) -> tuple[Address, ...]:
        """The addresses that belong to a user, in a fixed order."""
        async with self._database.read() as session:
            rows = await session.scalars(
                select(IdentityRow)
                .where(IdentityRow.user_id == user.user_id)
                .order_by(IdentityRow.channel, IdentityRow.sender)
            )
            return tuple(Address(row.channel, row.sender) for row in rows)

    async def link(self, user: User, address: Address) -> None:
        """Make `address` belong to `user`. Idempotent.

        Raises:
            AddressTakenError: It belongs to another user.
        """
        async with self._database.write() as session:
            await self._link(session, await _living_row(session, user), address)

    async def unlink(self, address: Address) -> None:
        """Make `address` a stranger's.

        Raises:
            UnknownAddressError: It is one already.
        """
        async with self._database.write() as session:
            identity = await session.get(IdentityRow, (address.channel, address.sender))
            if identity is None:
                raise UnknownAddressError(
                    f"the address {str(address)!r} belongs to nobody: "
                    "'gaia users list' shows all addresses"
                )
            await session.delete(identity)

    async def set_role(self, user: User, role: Role) -> User:
        """Give a user another role.

        Raises:
            LastOwnerError: They are the only owner, and would be none.
        """
        async with self._database.write() as session:
            row = await _living_row(session, user)
            if role is not Role.OWNER:
                await _check_not_last_owner(session, row)
            row.role = role
            return _user(row)

    async def check_removable(self, user: User) -> None:
        """Return if `remove` would not refuse.

        Raises:
            LastOwnerError: They are the only owner.
        """
        async with self._database.read() as session:
            await _check_not_last_owner(session, await _living_row(session, user))

    async def remove(self, user: User) -> None:
        """Remove a user and all that gaia.db holds of them, for good.

        What other files hold of them goes first: see `gaia.ops.removal`.

        Raises:
            LastOwnerError: They are the only owner.
        """
        async with self._database.write() as session:
            row = await _living_row(session, user)
            await _check_not_last_owner(session, row)
            await wipe_user(session, row.user_id)
            row.name = row.name_key = ""
            row.removed_at = self._clock.now()
        if not await self._database.checkpoint():
            logger.warning(
                "what was removed of user %s stays in the write-ahead log until another "
                "process lets go of the database",
                user.user_id,
            )

    async def _link(self, session: AsyncSession, row: UserRow, address: Address) -> None:
        holder = await session.get(IdentityRow, (address.channel, address.sender))
        if holder is None:
            session.add(
                IdentityRow(
                    channel=address.channel,
                    sender=address.sender,
                    user_id=row.user_id,
                    created_at=self._clock.now(),
                )
            )
        elif holder.user_id != row.user_id:
            other = await session.get_one(UserRow, holder.user_id)
            raise AddressTakenError(
                f"the address {str(address)!r} belongs to {other.name!r} already: unlink it first "
                f"with 'gaia users unlink {address.channel} {address.sender}'"
            )


async def move_address(
    session: AsyncSession, channel: str, old_sender: str, new_sender: str, now: datetime
) -> None:
    """Let a user whom the channel names anew be known by the new address, within the
    caller's transaction. Nothing happens where the old one is nobody's, or the new
    one is somebody's."""
    old = await session.get(IdentityRow, (channel, old_sender))
    new = await session.get(IdentityRow, (channel, new_sender))
    if old is not None and new is None:
        session.add(
            IdentityRow(channel=channel, sender=new_sender, user_id=old.user_id, created_at=now)
        )
        await session.delete(old)


async def is_living(session: AsyncSession, user_id: str) -> bool:
    """Whether a user has not been removed, within the caller's transaction."""
    return await session.scalar(_living().where(UserRow.user_id == user_id)) is not None


def _living() -> Select[UserRow]:
    return select(UserRow).where(UserRow.removed_at.is_(None))


def _user(row: UserRow) -> User:
    return User(user_id=row.user_id, name=row.name, role=Role(row.role), created_at=row.created_at)


async def _living_row(session: AsyncSession, user: User) -> UserRow:
    row = await session.scalar(_living().where(UserRow.user_id == user.user_id))
    if row is None:
        raise UnknownUserError(f"the user {user.name!r} has been removed meanwhile")
    return row


async def _check_name_is_free(session: AsyncSession, name: str) -> None:
    taken = await session.scalar(_living().where(UserRow.name_key == name_key(name)))
    if taken is not None:
        raise UserNameTakenError(
            f"there is a user called {taken.name!r} already: choose another name than {name!r}"
        )


async def _check_not_last_owner(session: AsyncSession, row: UserRow) -> None:
    if row.role != Role.OWNER:
        return
    owners = await session.scalar(
        select(func.count())
        .select_from(UserRow)
        .where(UserRow.removed_at.is_(None), UserRow.role == Role.OWNER)
    )
    if owners == 1:
        raise LastOwnerError(
            f"{row.name!r} is the only owner: make another user an owner first "
            "with 'gaia users role NAME owner'"
        )


async def _unknown(session: AsyncSession, name: str) -> str:
    rows = (await session.scalars(_living())).all()
    names = {row.name_key: row.name for row in rows}
    near = difflib.get_close_matches(name_key(name), names, n=3)
    if near:
        return f"no user is called {name!r}: did you mean {', '.join(names[key] for key in near)}?"
    return f"no user is called {name!r}: 'gaia users list' shows all of them"
