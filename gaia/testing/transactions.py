"""Tells a test when a transaction begins."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from sqlalchemy import event

from gaia.store.engine import Database


def next_write(database: Database) -> Event:
    """Is set once the next write asks for the lock of the file, which it may have to wait for."""
    begun = Event()
    at_each_write(database, begun.set)
    return begun


def at_each_write(database: Database, call: Callable[[], None]) -> None:
    """Have `call` called each time that a write asks for the lock of the file."""

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if statement == "BEGIN IMMEDIATE":
            call()

    event.listen(database.engine, "before_cursor_execute", note)
