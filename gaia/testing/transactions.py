"""Tells a test when a transaction begins."""

from __future__ import annotations

from threading import Event

from sqlalchemy import event

from gaia.store.engine import Database


def next_write(database: Database) -> Event:
    """Is set once the next write asks for the lock of the file, which it may have to wait for."""
    begun = Event()

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if statement == "BEGIN IMMEDIATE":
            begun.set()

    event.listen(database.engine, "before_cursor_execute", note)
    return begun
