"""Rows of the ledger, together with what is made of them.

An active row has its full text and is in the vector index; any other has neither. Only
the ledger, `pending` and what they are made of write rows; each function
works within their caller's transaction.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime

from sqlalchemy import Select, delete, func, insert, select
from sqlalchemy.orm import Session

from gaia.memory import text
from gaia.memory.memory import COLUMNS, Page, Statement, memory_of
from gaia.memory.owner import owner
from gaia.memory.people import graph
from gaia.store import full_text, indexes, profiles, relations
from gaia.store.base import table_of
from gaia.store.memory_tables import (
    IndexOperation,
    MemoryEntityRow,
    MemoryKind,
    MemoryRow,
    MemorySource,
    MemoryStatus,
)

INTERVAL = re.compile(r"FREQ=(?:HOUR|MINUTE)LY")
"""A rule that has no time of day."""

TIME_OF_DAY = re.compile(r"T(\d{4})")
"""Hour and minute of the first time of a rule."""

OF_STATEMENT = tuple(
    field.name for field in fields(Statement) if field.name in table_of(MemoryRow).c
)
"""What a row holds as it was stated."""

UNCHECKED = ("quote", "label", "subject", "predicate", "object")
"""Words of a statement beside its text, which may have what no database stores."""

HIGHEST_ID = 2**63 - 1
"""The largest number that a database takes."""


def of(user_id: str) -> Select[MemoryRow]:
    """All rows of a user."""
    return select(MemoryRow).where(MemoryRow.user_id == owner(user_id))


def one_of(user_id: str, memory_id: int, *statuses: MemoryStatus) -> Select[MemoryRow]:
    """The user's row of that number, if it has one of the statuses; of any without them."""
    query = of(user_id).where(MemoryRow.memory_id == min(memory_id, HIGHEST_ID))
    return query.where(MemoryRow.status.in_(statuses)) if statuses else query


def count(session: Session, chosen: Select[MemoryRow]) -> int:
    """How many rows are chosen."""
    return session.scalar(chosen.with_only_columns(func.count()).order_by(None)) or 0


def page(session: Session, chosen: Select[MemoryRow], *, number: int, size: int) -> Page:
    """A page of the rows that are chosen, in their order; the last for too high a number."""
    total = count(session, chosen)
    pages = max(1, -(-total // size))
    number = min(max(1, number), pages)
    some = chosen.with_only_columns(*COLUMNS).offset((number - 1) * size).limit(size)
    return Page([memory_of(row) for row in session.execute(some)], number, pages, total)


def text_hash(words: str) -> str:
    """The same for texts that a reader would take for the same."""
    return hashlib.sha256(text.normalise(words).encode()).hexdigest()


def hash_of(said: Statement | MemoryRow) -> str:
    """The same for statements that say the same. What is to be done twice at different times
    are two reminders; one that recurs is the same whenever it began."""
    if said.kind != MemoryKind.REMINDER or said.due_at is None:
        return text_hash(said.text)
    when = f"{said.due_at.isoformat()} {said.due_at:%H:%M}"
    if said.recurrence is not None:
        first, _, rule = said.recurrence.rpartition("RRULE:")
        of_day = None if INTERVAL.search(rule) else TIME_OF_DAY.search(first)
        when = f"{rule} {of_day[1] if of_day else ''}"
    return text_hash(f"{said.text}\n{when}")


def searched(words: str, label: str | None) -> str:
    """What a memory is found by: its text, and the wording of it that was verified."""
    return f"{words}\n{label}" if label else words


def same(session: Session, user_id: str, said: Statement) -> MemoryRow | None:
    """The row that says the same: an active one, or a pending one."""
    says_it = of(user_id).where(
        MemoryRow.kind == said.kind,
        MemoryRow.context == said.context,
        MemoryRow.hash == hash_of(said),
    )
    # Asked for both at once, SQLite would read all active memories of the user.
    for status in (MemoryStatus.ACTIVE, MemoryStatus.PENDING):
        row = session.scalars(says_it.where(MemoryRow.status == status)).first()
        if row is not None:
            return row
    return _same_recurring(session, user_id, said) if said.recurrence is not None else None


def insert_pending(session: Session, user_id: str, said: Statement, now: datetime) -> MemoryRow:
    """Insert a pending row. The text of `said` is as it is to be stored."""
    held = {name: getattr(said, name) for name in OF_STATEMENT}
    held |= {name: _storable(held[name]) for name in UNCHECKED}
    row = MemoryRow(
        **held,
        user_id=user_id,
        status=MemoryStatus.PENDING,
        support=1,
        valid_from=said.said_at or now,
        hash=hash_of(said),
        length=sum(text.terms(searched(said.text, said.label)).values()),
        created_at=now,
        updated_at=now,
    )
    session.add(row)
    session.flush()
    add_entities(session, row, said.entities)
    graph.note(session, row, [graph.relation_of(row), *said.relations])
    return row


def activate(session: Session, row: MemoryRow, now: datetime) -> None:
    """Activate a row, write its full text and have it indexed."""
    if row.status != MemoryStatus.PENDING:
        row.valid_to = None
    row.status = MemoryStatus.ACTIVE
    row.superseded_by = None
    row.updated_at = now
    _write_full_text(session, row, now)


def retire(session: Session, row: MemoryRow, status: MemoryStatus, now: datetime) -> None:
    """Deactivate a row, and remove it from full text and index. No prompt holds it from now on."""
    row.status = status
    row.updated_at = now
    session.flush()
    full_text.MEMORIES.remove(session, row.user_id, [row.memory_id])
    indexes.add_ops(session, row.user_id, [row.memory_id], IndexOperation.REMOVE, now)
    profiles.drop(session, row.user_id)


def reword(session: Session, row: MemoryRow, words: str, label: str | None, now: datetime) -> None:
    """Change the words of a row, with all that is made of them."""
    is_same = text.normalise(words) == text.normalise(row.text)
    row.text, row.label = words, label
    row.hash = row.hash if is_same else hash_of(row)
    row.length = sum(text.terms(searched(words, label)).values())
    if row.status == MemoryStatus.ACTIVE:
        full_text.MEMORIES.remove(session, row.user_id, [row.memory_id])
        _write_full_text(session, row, now)
    note_change(session, row, now)


def note_change(session: Session, row: MemoryRow, now: datetime) -> None:
    """Note that a row was changed, and that the profile may tell it otherwise."""
    row.updated_at = now
    session.flush()
    profiles.drop(session, row.user_id)


def say_again(session: Session, row: MemoryRow, said: Statement, now: datetime) -> None:
    """Count one more support for a row that was said again, unless that is only a copy, or
    comes from the same turn or the same digest."""
    is_copy = said.source is MemorySource.IMPORT
    if not is_copy and not has_same_origin(row, said):
        row.support += 1
        row.updated_at = now
    if said.source is MemorySource.USER:
        row.source = MemorySource.USER
    row.sensitive |= said.sensitive
    row.pinned |= said.pinned
    # A copy of a reminder tells how it stood when it was copied.
    if said.due_at is None or not is_copy:
        row.expires_at = None if row.pinned else said.expires_at
    if said.due_at is not None and not is_copy:
        row.due_at, row.recurrence, row.zone = said.due_at, said.recurrence, said.zone
        row.notified_at = row.done_at = None
        row.hash = hash_of(said)
    add_entities(session, row, said.entities)
    graph.note(session, row, said.relations)


def has_same_origin(row: MemoryRow, said: Statement) -> bool:
    """Whether a statement comes from where the row does, and so says nothing more."""
    is_same_turn = said.turn_id is not None and said.turn_id == row.turn_id
    is_same_digest = said.digest_id is not None and said.digest_id == row.digest_id
    return is_same_turn or is_same_digest


def add_entities(session: Session, row: MemoryRow, names: Iterable[str]) -> None:
    """Note what a row is about, in addition to what is known."""
    told = dict.fromkeys(map(text.storable, names))
    known = set(_entities(session, row)) if told else set()
    entities = [
        {"user_id": row.user_id, "entity": name, "memory_id": row.memory_id}
        for name in told
        if name not in known
    ]
    if entities:
        session.execute(insert(MemoryEntityRow), entities)


def delete_pending(session: Session, row: MemoryRow) -> None:
    """Delete a pending row, which has no full text and no vector."""
    session.execute(delete(MemoryRow).where(MemoryRow.memory_id == row.memory_id))
    session.expunge(row)
    relations.sweep(session, row.user_id)


def _write_full_text(session: Session, row: MemoryRow, now: datetime) -> None:
    """Write the full text of a row, and have it indexed."""
    session.flush()
    found = {**text.terms(searched(row.text, row.label)), **text.subject_terms(row.subject)}
    full_text.MEMORIES.write(session, row.user_id, row.memory_id, found)
    indexes.add_ops(session, row.user_id, [row.memory_id], IndexOperation.PUT, now)


def _same_recurring(session: Session, user_id: str, said: Statement) -> MemoryRow | None:
    """The reminder that recurs and was kept under the hash of an older gaia."""
    found = session.scalars(
        of(user_id)
        .where(
            MemoryRow.kind == MemoryKind.REMINDER,
            MemoryRow.context == said.context,
            MemoryRow.status.in_((MemoryStatus.ACTIVE, MemoryStatus.PENDING)),
            MemoryRow.recurrence.is_not(None),
        )
        .order_by(MemoryRow.memory_id)
    )
    wanted = hash_of(said)
    return next((row for row in found if hash_of(row) == wanted), None)


def _entities(session: Session, row: MemoryRow) -> Iterable[str]:
    return session.scalars(
        select(MemoryEntityRow.entity).where(
            MemoryEntityRow.user_id == row.user_id, MemoryEntityRow.memory_id == row.memory_id
        )
    )


def _storable(words: str | None) -> str | None:
    return None if words is None else text.storable(words)
