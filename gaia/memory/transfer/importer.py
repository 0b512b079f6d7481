"""Takes in a file of memories: every one is checked before the first is stored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from gaia.errors import UnfitMemoryError
from gaia.memory import ledger, pending, rows
from gaia.memory.memory import Statement
from gaia.memory.owner import owner
from gaia.memory.transfer.record import Record, from_markdown, parse_line, statement_of
from gaia.ports import Clock
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryRow, MemoryStatus

BATCH = 50
"""Memories in one transaction, so that a daemon that runs beside never waits long."""

_Key = tuple[str, str, str]
"""What two memories of a user that say the same have in common: kind, context and hash."""


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
    for line, parsed in _parsed(content, file_format):
        try:
            record = parsed()
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

    What was superseded is not brought back by a statement that is older than that.
    `progress` gets how many are done, and of how many.
    """
    superseded = await database.read(_superseded, user_id)
    new = 0
    for start in range(0, len(statements), BATCH):
        batch = statements[start : start + BATCH]
        new += await database.write(_add, batch, superseded, unsure, user_id, clock)
        progress(start + len(batch), len(statements))
    return ImportResult(new, len(statements) - new)


def _parsed(content: str, file_format: FileFormat) -> Iterator[tuple[int, Callable[[], Record]]]:
    """The lines that are meant to be memories, with what reads them."""
    lines = content.split("\n")
    if file_format is FileFormat.JSONL:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, partial(parse_line, line)
    else:
        for item in from_markdown(lines):
            yield item.line, partial(_itself, item.record)


def _itself(record: Record) -> Record:
    return record


def _superseded(session: Session, user_id: str) -> Mapping[_Key, datetime]:
    """Until when each inactive statement was valid."""
    found = session.execute(
        select(MemoryRow.kind, MemoryRow.context, MemoryRow.hash, func.max(MemoryRow.valid_to))
        .where(
            MemoryRow.user_id == owner(user_id),
            MemoryRow.status == MemoryStatus.SUPERSEDED,
            MemoryRow.valid_to.is_not(None),
        )
        .group_by(MemoryRow.kind, MemoryRow.context, MemoryRow.hash)
    )
    return {(kind, context, known): until for kind, context, known, until in found if until}


def _is_outdated(statement: Statement, superseded: Mapping[_Key, datetime]) -> bool:
    stored = replace(statement, text=ledger.checked(statement.text))
    until = superseded.get((stored.kind, stored.context, rows.hash_of(stored)))
    return until is not None and statement.said_at is not None and statement.said_at <= until


def _add(
    session: Session,
    batch: Sequence[Statement],
    superseded: Mapping[_Key, datetime],
    unsure: Collection[Statement],
    user_id: str,
    clock: Clock,
) -> int:
    new = 0
    for statement in batch:
        if _is_outdated(statement, superseded):
            continue
        keep = pending.add if statement in unsure else ledger.add
        added = keep(session, user_id, statement, clock.now())
        new += added.is_new
    return new
