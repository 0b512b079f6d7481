"""A memory and what it is made from, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select

from gaia.memory.contexts import GLOBAL
from gaia.memory.excerpts import one_line
from gaia.memory.extraction import Relation
from gaia.store.base import table_of
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemorySource, MemoryStatus

LONGEST_BEFORE = 160
"""Characters that are told of what a memory superseded."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What is to be remembered. What the fields mean is told at `MemoryRow`.

    `said_at` is when it was said, if not now; `entities` are what it is about, such
    as `person:sarah_chen`, `relations` what it tells of people and things beside its
    own subject, predicate and object. `said_again_at` is when the user sent the message in which
    they say it in their own words (`forgotten.says`): only such a statement may bring
    back what they had forgotten before. A turn that a crash has run again is as old
    as its message.
    """

    text: str
    source: MemorySource
    kind: MemoryKind = MemoryKind.FACT
    quote: str | None = None
    label: str | None = None
    verdict: str | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    context: str = "global"
    sensitive: bool = False
    is_shared: bool = False
    may_tell_credentials: bool = False
    pinned: bool = False
    entities: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    said_at: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    due_at: datetime | None = None
    recurrence: str | None = None
    zone: str | None = None
    notified_at: datetime | None = None
    digest_id: int | None = None
    session_id: str | None = None
    position: int | None = None
    turn_id: str | None = None
    said_again_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """A row of the ledger. `before` is what it is told with: the words of others, which are
    theirs alone, and read with its `COLUMNS`."""

    memory_id: int
    user_id: str
    kind: MemoryKind
    text: str
    quote: str | None
    label: str | None
    verdict: str | None
    subject: str | None
    predicate: str | None
    object: str | None
    context: str
    sensitive: bool
    is_shared: bool
    pinned: bool
    source: MemorySource
    status: MemoryStatus
    support: int
    valid_from: datetime
    valid_to: datetime | None
    superseded_by: int | None
    expires_at: datetime | None
    due_at: datetime | None
    recurrence: str | None
    zone: str | None
    notified_at: datetime | None
    done_at: datetime | None
    digest_id: int | None
    session_id: str | None
    position: int | None
    turn_id: str | None
    created_at: datetime
    updated_at: datetime
    replaces: int | None = None
    before: str | None = None

    @property
    def told(self) -> str:
        """Its words, with those in whose place it may stand for a while alone."""
        if not self.before:
            return self.text
        return f"{self.text} (before: {one_line(self.before, LONGEST_BEFORE)})"


@dataclass(frozen=True, slots=True)
class Added:
    """A memory, and whether it is new: the same statement is kept once."""

    memory: Memory
    is_new: bool


@dataclass(frozen=True, slots=True)
class Page:
    """Some of a user's memories, the newest first, of `total`. `number` counts from 1."""

    memories: Sequence[Memory]
    number: int
    pages: int
    total: int


_HEIRS = table_of(MemoryRow)
_EARLIER = _HEIRS.alias()
_BEFORE = (
    select(func.aggregate_strings(_EARLIER.c.text, "; "))
    .where(
        _EARLIER.c.superseded_by == _HEIRS.c.memory_id,
        _EARLIER.c.told_by_heir,
        _EARLIER.c.sensitive.is_(False),
        _EARLIER.c.context.in_((GLOBAL, _HEIRS.c.context)),
    )
    .correlate(_HEIRS)
    .scalar_subquery()
    .label("before")
)
_OF_ROW = tuple(field.name for field in fields(Memory) if field.name != _BEFORE.name)
COLUMNS = (*(_HEIRS.c[name] for name in _OF_ROW), _BEFORE)
"""What a memory is read from where it is told to a model."""


def memory_of(row: MemoryRow | Row[Any]) -> Memory:
    """The memory that a row holds, or its `COLUMNS`."""
    held = {name: getattr(row, name) for name in _OF_ROW}
    held |= {
        "kind": MemoryKind(row.kind),
        "source": MemorySource(row.source),
        "status": MemoryStatus(row.status),
        "before": None if isinstance(row, MemoryRow) else row.before,
    }
    return Memory(**held)
