"""The ledger of a test's database, with a transaction for each call."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select

from gaia.memory import ledger
from gaia.memory.memory import Added, Memory, Statement
from gaia.store import indexes
from gaia.store.engine import Database
from gaia.store.indexes import IndexOp
from gaia.store.memory_tables import MemoryEntityRow, MemorySource, MemoryTermRow
from gaia.store.people.identities import User
from gaia.testing.clock import START

ALL = 10_000


def said(text: str, source: MemorySource = MemorySource.USER, **fields: object) -> Statement:
    """A statement of the user's own; `fields` are more of it."""
    return Statement(text, source, **fields)  # type: ignore[arg-type]


class Book:
    """The ledger as tests write and read it."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def keep(self, user: User, statement: Statement | str, now: datetime = START) -> Added:
        """Add a statement; mere words are the user's own."""
        return await self.database.write(ledger.add, user.user_id, _statement(statement), now)

    async def replace(
        self, user: User, old: Added, statement: Statement | str, now: datetime = START
    ) -> Added:
        """Supersede what was added by a statement."""
        number = old.memory.memory_id
        return await self.database.write(
            ledger.supersede, user.user_id, number, _statement(statement), now
        )

    async def remove(self, user: User, *memory_ids: int, now: datetime = START) -> Sequence[Memory]:
        """Remove memories with their earlier versions."""
        return await self.database.write(ledger.remove, user.user_id, memory_ids, now)

    async def stored(self, user: User, memory_id: int) -> Memory:
        """A memory as it is in the file."""
        return await self.database.read(ledger.get, user.user_id, memory_id)

    async def texts(self, user: User) -> list[str]:
        """What counts, in the order of the numbers."""
        return [
            each.text for each in await self.database.read(ledger.every, user.user_id, limit=ALL)
        ]

    async def operations(self) -> Sequence[IndexOp]:
        """What the index has to do for all users."""
        return await self.database.read(indexes.waiting_ops, limit=ALL)

    async def made_of(self, table: type[MemoryTermRow | MemoryEntityRow]) -> set[int]:
        """The memories that have rows in a table."""
        with self.database.reading() as session:
            return set(session.scalars(select(table.memory_id)))


def _statement(statement: Statement | str) -> Statement:
    return said(statement) if isinstance(statement, str) else statement
