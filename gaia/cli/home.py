"""What a command asks of the home, through the daemon that runs or from the database, what it
writes there, and how the daemon learns of that."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from gaia.ops.queries.query import Query
    from gaia.ops.report import Report
    from gaia.paths import Home
    from gaia.store.engine import Database

Q = TypeVar("Q", bound="Report")
A = TypeVar("A", bound="Report")
ANSWER_SECONDS = 20.0
T = TypeVar("T")


def login_name() -> str:
    """Who `gaia chat` takes this login for; empty if it has no name."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def ask(query: Query[Q, A], question: Q) -> A:
    """The answer to a question about the home, asked by this login.

    Raises:
        GaiaError: It is refused, in words for the owner.
    """
    from gaia.cli import control
    from gaia.errors import NotRunningError
    from gaia.ops.queries.people import Asked
    from gaia.ops.queries.query import QUERY_PATH
    from gaia.paths import find_home

    home = find_home()
    if isinstance(question, Asked):
        question = question.model_copy(update={"login": login_name()})
    path, body = f"{QUERY_PATH}/{query.name}", question.model_dump_json()
    try:
        return control.ask(home, path, body, ANSWER_SECONDS, query.answer)
    except NotRunningError:
        return _find(home, query, question)


def _find(home: Home, query: Query[Q, A], question: Q) -> A:
    import asyncio

    from gaia.store.location import there_is_one

    if not there_is_one(home):
        return query.without_database(question)
    return asyncio.run(_find_in_database(home, query, question))


async def _find_in_database(home: Home, query: Query[Q, A], question: Q) -> A:
    from gaia.clock import SystemClock
    from gaia.store.opener import open_database

    database = await open_database(home)
    try:
        return await database.read(query.answer_from, question, SystemClock().now())
    finally:
        await database.close()


def with_database(action: Callable[[Database], Awaitable[T]]) -> T:
    """What `action` makes of the home's database, which is created if there is none."""
    import asyncio

    from gaia.paths import find_home
    from gaia.store.opener import open_database

    async def run() -> T:
        home = find_home()
        home.create()
        database = await open_database(home)
        try:
            return await action(database)
        finally:
            await database.close()

    return asyncio.run(run())


def write(change: Callable[[Session, datetime], T]) -> T:
    """What `change` makes of a transaction and the present time."""
    from gaia.clock import SystemClock

    return with_database(lambda database: database.write(change, SystemClock().now()))


def wake() -> bool:
    """Have a running daemon look at once for what this process wrote; False when none does."""
    from gaia.cli import control
    from gaia.paths import find_home

    return control.wake(find_home())


def overwrite() -> bool:
    """Overwrite what files still hold of what was forgotten; False where that is left to a
    daemon."""
    from gaia.clock import SystemClock
    from gaia.errors import AlreadyRunningError
    from gaia.ops.forget_worker import carry_out_apart
    from gaia.paths import find_home

    try:
        return with_database(lambda database: carry_out_apart(find_home(), database, SystemClock()))
    except AlreadyRunningError:
        return False


def there_is_a_database() -> bool:
    """Whether the home holds a database. Who only reads one creates none."""
    from gaia.paths import find_home
    from gaia.store.location import there_is_one

    return there_is_one(find_home())
