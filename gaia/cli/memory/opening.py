"""Opens the memory of one user for one command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from gaia.cli.opening import there_is_a_database, with_database

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from gaia.store.engine import Database
    from gaia.store.identities import User

T = TypeVar("T")


def with_memory(name: str | None, action: Callable[[Database, User], Awaitable[T]]) -> T:
    """What `action` makes of the database and the user whose memory is meant.

    Raises:
        UnknownUserError: There is no such user, or none at all.
        AmbiguousUserError: No name is given, and there are several users.
    """
    from gaia.ops.queries.people import find_owner, no_users

    async def act(database: Database) -> T:
        user = await database.read(find_owner, name)
        return await action(database, user)

    return with_database(act) if there_is_a_database() else no_users(name)


def read_memory(name: str | None, action: Callable[[Session, User], T]) -> T:
    """What `action` makes of a view of the database, and the user."""

    async def act(database: Database, user: User) -> T:
        return await database.read(action, user)

    return with_memory(name, act)


def write_memory(name: str | None, action: Callable[[Session, User, datetime], T]) -> T:
    """What `action` makes of a transaction, the user and the present time."""
    from gaia.clock import SystemClock

    async def act(database: Database, user: User) -> T:
        return await database.write(action, user, SystemClock().now())

    return with_memory(name, act)
