"""Opens the database of the home for one command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from gaia.store.engine import Database

T = TypeVar("T")


def with_database(action: Callable[[Database], Awaitable[T]]) -> T:
    """What `action` makes of the home's database, which is created if there is none."""
    import asyncio

    from gaia.paths import find_home
    from gaia.store.opening import open_database

    async def run() -> T:
        home = find_home()
        home.create()
        database = await open_database(home)
        try:
            return await action(database)
        finally:
            await database.close()

    return asyncio.run(run())


def there_is_a_database() -> bool:
    """Whether the home holds a database. Who only reads one creates none."""
    from gaia.paths import find_home

    return find_home().database.exists()
