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
COLUMNS = (
    *(_HEIRS.c[field.name] for field in fields(Memory) if field.name in _HEIRS.c),
    _BEFORE,
)
"""What a memory is read from where it is told to a model."""


def memory_of(row: MemoryRow | Row[Any]) -> Memory:
    """The memory that a row holds, or its `COLUMNS`."""
    return Memory(
        memory_id=row.memory_id,
        user_id=row.user_id,
        kind=MemoryKind(row.kind),
        text=row.text,
        quote=row.quote,
        label=row.label,
        verdict=row.verdict,
        subject=row.subject,
        predicate=row.predicate,
        object=row.object,
        context=row.context,
        sensitive=row.sensitive,
        is_shared=row.is_shared,
        pinned=row.pinned,
        source=MemorySource(row.source),
        status=MemoryStatus(row.status),
        support=row.support,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        superseded_by=row.superseded_by,
        expires_at=row.expires_at,
        due_at=row.due_at,
        recurrence=row.recurrence,
        zone=row.zone,
        notified_at=row.notified_at,
        done_at=row.done_at,
        digest_id=row.digest_id,
        session_id=row.session_id,
        position=row.position,
        turn_id=row.turn_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        replaces=row.replaces,
        before=None if isinstance(row, MemoryRow) else row.before,
    )
