"""Takes in a file of memories: every one is checked before the first is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from gaia.errors import UnfitMemoryError
from gaia.memory import ledger, pending, rows
from gaia.memory.memory import Statement
from gaia.memory.owner import owner
from gaia.memory.reminders.recurrence import next_time
from gaia.memory.transfer.record import Record, from_markdown, parse_line, statement_of
from gaia.ports import Clock
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemoryStatus

BATCH = 50
"""Memories in one transaction, so that a daemon that runs beside never waits long."""

_Key = tuple[str, str, str]
"""What two memories of a user that say the same have in common: kind, context and hash."""

_Asked = tuple[str, str, datetime | None]
"""What a reminder and its copy have in common: context, hash of the words, when it was said."""


@dataclass(frozen=True, slots=True)
class _Before:
    """What was there before a file. Reminders are told apart by what they say and when they
    were asked for: one may be snoozed since, or done."""

    superseded: Mapping[_Key, datetime]
    reminders: Mapping[_Asked, int]


class FileFormat(StrEnum):
    """How memories stand in a file."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A line that cannot be taken, and why. The cause holds none of its words."""

    line: int
    cause: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What a file holds: what can be taken, and what cannot. Of the `pending` among the
    statements the gaia that wrote them was not sure."""

    statements: Sequence[Statement]
    mistakes: Sequence[Mistake]
    pending: frozenset[Statement] = frozenset()


@dataclass(frozen=True, slots=True)
class ImportResult:
    """How many memories are new, and how many were known."""

    new: int
    known: int


def format_of(content: str) -> FileFormat:
    """How memories stand in `content`, by its first character."""
    return FileFormat.JSONL if content.lstrip()[:1] == "{" else FileFormat.MARKDOWN


def check(content: str, file_format: FileFormat) -> Checked:
    """Everything in `content` that is meant to be a memory."""
    statements: list[Statement] = []
    mistakes: list[Mistake] = []
    unsure: set[Statement] = set()
    for line, told in _told(content, file_format):
        try:
            record = parse_line(told) if isinstance(told, str) else told
            statements.append(statement_of(record))
        except UnfitMemoryError as exc:
            mistakes.append(Mistake(line, str(exc)))
            continue
        if record.pending:
            unsure.add(statements[-1])
    return Checked(statements, mistakes, frozenset(unsure))


async def import_statements(
    database: Database,
    user_id: str,
    statements: Sequence[Statement],
    clock: Clock,
    progress: Callable[[int, int], None],
    *,
    unsure: Collection[Statement] = (),
) -> ImportResult:
    """Remember the statements, unless they are known; those that are `unsure` are pending.
    May be interrupted and repeated.

    What was superseded is not brought back by a statement that is older than that, nor a
    reminder that its user is done with; one that is known stays as it is.
    `progress` gets how many are done, and of how many.
    """
    before = await database.read(_before, user_id)
    copies = Counter(map(_asked, set(statements)))
    new = 0
    for start in range(0, len(statements), BATCH):
        batch = statements[start : start + BATCH]
        new += await database.write(_add, batch, before, copies, unsure, user_id, clock)
        progress(start + len(batch), len(statements))
    return ImportResult(new, len(statements) - new)


def _told(content: str, file_format: FileFormat) -> Iterator[tuple[int, str | Record]]:
    """What is meant to be a memory, and on which line it begins; a line of JSON is still to be
    read."""
    lines = content.split("\n")
    if file_format is FileFormat.JSONL:
        return ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    return ((item.line, item.record) for item in from_markdown(lines))


def _before(session: Session, user_id: str) -> _Before:
    """Until when each statement was valid that was superseded, and how many reminders there
    are that were said at a time."""
    theirs = MemoryRow.user_id == owner(user_id)
    found = session.execute(
        select(MemoryRow.kind, MemoryRow.context, MemoryRow.hash, func.max(MemoryRow.valid_to))
        .where(theirs, MemoryRow.status == MemoryStatus.SUPERSEDED, MemoryRow.valid_to.is_not(None))
        .group_by(MemoryRow.kind, MemoryRow.context, MemoryRow.hash)
    )
    reminders = session.execute(
        select(MemoryRow.context, MemoryRow.text, MemoryRow.valid_from).where(
            theirs,
            MemoryRow.kind == MemoryKind.REMINDER,
            MemoryRow.status != MemoryStatus.PENDING,
        )
    )
    return _Before(
        {(kind, context, known): until for kind, context, known, until in found if until},
        Counter((context, rows.text_hash(text), said_at) for context, text, said_at in reminders),
    )


def _asked(said: Statement) -> _Asked:
    return (said.context, rows.text_hash(said.text), said.said_at)


def _is_there(said: Statement, before: _Before, copies: Mapping[_Asked, int]) -> bool:
    """Whether a statement is known, or was, and is to stay as it is."""
    asked = _asked(said)
    if said.kind is MemoryKind.REMINDER and (there := before.reminders.get(asked, 0)):
        return there >= copies[asked]
    stored = replace(said, text=ledger.checked(said.text))
    until = before.superseded.get((stored.kind, stored.context, rows.hash_of(stored)))
    return until is not None and said.said_at is not None and said.said_at <= until


def _still_to_come(statement: Statement, now: datetime) -> Statement:
    """A statement, but that of what recurs the next time counts and none that is over."""
    if statement.recurrence is None or statement.due_at is None or statement.due_at > now:
        return statement
    again = next_time(statement.recurrence, statement.zone, statement.due_at, now)
    return replace(statement, due_at=again or statement.due_at)


def _add(
    session: Session,
    batch: Sequence[Statement],
    before: _Before,
    copies: Mapping[_Asked, int],
    unsure: Collection[Statement],
    user_id: str,
    clock: Clock,
) -> int:
    new = 0
    for statement in batch:
        if _is_there(statement, before, copies):
            continue
        keep = pending.add if statement in unsure else ledger.add
        now = clock.now()
        added = keep(session, user_id, _still_to_come(statement, now), now)
        new += added.is_new
    return new
