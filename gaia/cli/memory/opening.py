"""Opens the memory of one user for one command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import typer

from gaia.cli.opening import there_is_a_database, with_database

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.ext.asyncio import AsyncSession

    from gaia.store.engine import Database
    from gaia.store.identities import User

T = TypeVar("T")


def with_memory(name: str | None, action: Callable[[Database, User], Awaitable[T]]) -> T:
    """What `action` makes of the database and the user whose memory is meant.

    Raises:
        UnknownUserError: There is no such user, or none at all.
    """
    from gaia.errors import UnknownUserError

    nobody = UnknownUserError(
        "there are no users yet, and so no memories: 'gaia chat' makes you the first"
    )

    async def act(database: Database) -> T:
        async with database.read() as session:
            user = await _whose(session, name)
        if user is None:
            raise nobody
        return await action(database, user)

    if not there_is_a_database():
        raise nobody
    return with_database(act)


def read_memory(name: str | None, action: Callable[[AsyncSession, User], Awaitable[T]]) -> T:
    """What `action` makes of a view of the database, and the user."""

    async def act(database: Database, user: User) -> T:
        async with database.read() as session:
            return await action(session, user)

    return with_memory(name, act)


def write_memory(
    name: str | None, action: Callable[[AsyncSession, User, datetime], Awaitable[T]]
) -> T:
    """What `action` makes of a transaction, the user and the present time."""
    from gaia.clock import SystemClock

    async def act(database: Database, user: User) -> T:
        async with database.write() as session:
            return await action(session, user, SystemClock().now())

    return with_memory(name, act)


async def _whose(session: AsyncSession, name: str | None) -> User | None:
    """The user of that name; without one the only person, or the only user there is."""
    from gaia.store import identities

    if name is not None:
        return await identities.find(session, name)
    everybody = await identities.everybody(session)
    candidates = [user for user in everybody if not user.is_group] or everybody
    if len(candidates) > 1:
        named = ", ".join(user.name for user in everybody)
        raise typer.BadParameter(f"say whose memory is meant: {named}", param_hint="--user")
    return candidates[0] if candidates else None
