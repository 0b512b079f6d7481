"""Tells when transactions begin, and counts them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from sqlalchemy import event
from sqlalchemy.engine import Engine

from gaia.store.engine import Database

_LOCK = "pg_advisory_xact_lock"
"""Stands in what begins a write to PostgreSQL."""


def next_write(database: Database) -> Event:
    """Is set once the next write asks for the lock of all writes, which it may have to wait for."""
    begun = Event()
    at_each_write(database, begun.set)
    return begun


def at_each_write(database: Database, call: Callable[[], None]) -> None:
    """Have `call` called each time that a write asks for the lock of all writes."""

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if statement == "BEGIN IMMEDIATE" or _LOCK in statement:
            call()

    event.listen(database.engine, "before_cursor_execute", note)


class Counted:
    """The statements and transactions of an engine, or of all, from here on; those that read
    PostgreSQL begin without a statement."""

    def __init__(self, engine: Engine | type[Engine] = Engine) -> None:
        self.statements: list[str] = []
        event.listen(engine, "before_cursor_execute", self._note)

    @property
    def transactions(self) -> int:
        """How many have begun."""
        return sum(each.startswith("BEGIN") or _LOCK in each for each in self.statements)

    def clear(self) -> None:
        """Begin to count again."""
        self.statements.clear()

    def _note(self, connection: object, cursor: object, statement: str, *rest: object) -> None:
        self.statements.append(statement)
