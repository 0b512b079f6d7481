"""`Database`: short transactions, on whatever database it is.

A transaction is a plain function of a session, and runs as a whole in a thread. It cannot
wait for a network, and there is nothing in it at which a cancellation could split it. Sent
to its thread once, instead of once a statement, it takes less than half the time.

`sqlite` and `postgres` are the two databases.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import URL, Engine
from sqlalchemy.orm import Session

from gaia.errors import StoreError, VanishedError
from gaia.threads import DaemonThreadPool

P = ParamSpec("P")
T = TypeVar("T")

READERS = 3
"""Threads, each with a connection, that read beside the one that writes."""

CONNECTIONS = READERS + 1


class UnknownOutcomeError(StoreError):
    """Nobody can tell whether a transaction was committed, but by what is in the database."""


class Database(ABC):
    """A database of gaia's: several readers, one writer at a time.

    Raises `StoreError` wherever the database, and not the statement, is at fault.
    """

    def __init__(self, engine: Engine, name: str, **reading: object) -> None:
        """`reading` are the options of the engine under which a transaction only reads."""
        self.engine = engine
        self.name = name
        self._reading_engine = engine.execution_options(**reading)
        self._conditions: list[Callable[[], str]] = []
        self._readers = DaemonThreadPool(f"read {name}", threads=READERS)
        self._writer = DaemonThreadPool(f"write {name}")

    async def read(
        self, function: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What `function` makes of a consistent view of the file.

        What it writes is rolled back.
        """
        call = partial(self._read, lambda session: function(session, *args, **kwargs))
        return await self._readers.run(call)

    async def write(
        self, function: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What `function` returns, in one short transaction: it commits when `function`
        returns, and rolls back when it raises.

        The write lock of the file is held from its first statement on, so that what it reads
        cannot have changed when it commits. Whoever is cancelled meanwhile gets what it
        returned, and the cancellation at the next `await`.
        """
        call = partial(self._write, lambda session: function(session, *args, **kwargs))
        return await to_its_end(self._writer.submit(call))

    def require(self, condition: Callable[[], str]) -> None:
        """Have every write fail for as long as `condition` says why. It is asked in the thread
        that writes, before and after each transaction, and costs next to nothing."""
        self._conditions.append(condition)

    @property
    def server(self) -> URL | None:
        """The address, with its password, of a database that others reach too; None for a
        file."""
        return None

    def problem(self) -> str:
        """Why nothing can be kept, such as a file that was removed; empty if all is well."""
        return next((problem for each in self._conditions if (problem := each())), "")

    async def write_apart(self, call: Callable[[], T]) -> T:
        """What `call` returns, which needs more than a transaction: in the thread that writes,
        while nothing else does."""
        return await to_its_end(self._writer.submit(call))

    @abstractmethod
    async def checkpoint(self) -> bool:
        """Move what is written ahead into the database's own files.

        Returns whether all of it was: a reader in another process can prevent it. That
        one is not waited for as long as a writer is, since all writes wait meanwhile.
        """

    @abstractmethod
    async def rewrite(self) -> bool:
        """Write all tables again, so that nothing deleted is left in their files; returns
        whether nothing is: who still sees it in another process can prevent it.

        All writes wait meanwhile, for about a second a hundred megabytes.
        """

    async def close(self) -> None:
        """Close all connections. The last one of all processes empties the WAL."""
        await asyncio.to_thread(self._close)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session of a read, in the caller's thread, which it blocks."""
        with Session(self._reading_engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session of a write, in the caller's thread, which it blocks."""
        self._check_conditions()
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session
        # What went into a file that is no longer there must not be taken for kept.
        self._check_conditions()

    def _check_conditions(self) -> None:
        if problem := self.problem():
            raise VanishedError(problem)

    def _read(self, function: Callable[[Session], T]) -> T:
        with self.reading() as session:
            return function(session)

    def _write(self, function: Callable[[Session], T]) -> T:
        with self.writing() as session:
            return function(session)

    def _close(self) -> None:
        self._readers.join()
        self._writer.join()
        self.engine.dispose()


@contextmanager
def attempt(session: Session) -> Iterator[None]:
    """What may fail in a transaction without the rest of it: SQLite goes on by itself."""
    if session.bind is None or session.bind.dialect.name == "sqlite":
        yield
        return
    with session.begin_nested():
        yield


async def to_its_end(future: Future[T]) -> T:
    """The result of a call, once it has ended: a cancellation meanwhile is put off until
    then, so that what was to be written is, also while others write."""
    ended = asyncio.wrap_future(future)
    cancelled = False
    while not ended.done():
        try:
            await asyncio.wait({ended})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled and (waiting := asyncio.current_task()):
        # Asks again, without counting as a second request.
        waiting.uncancel()
        waiting.cancel()
    return ended.result()
