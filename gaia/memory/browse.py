"""A user's memories at a glance: some of one kind or context, episodes by time, what was learned
on each day, and figures on all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from itertools import islice

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from gaia.memory import rows
from gaia.memory.memory import COLUMNS, Memory, Page, memory_of
from gaia.memory.owner import owner
from gaia.store import indexes, usage
from gaia.store.indexes import IndexBacklog
from gaia.store.memory_tables import MemoryEntityRow, MemoryKind, MemoryRow, MemoryStatus

MOST_EPISODES = 200
MOST_REMINDERS = 200


@dataclass(frozen=True, slots=True)
class Choice:
    """Which memories are shown. What is None is left open."""

    status: MemoryStatus = MemoryStatus.ACTIVE
    kind: MemoryKind | None = None
    context: str | None = None


@dataclass(frozen=True, slots=True)
class Day:
    """A day: how many memories were kept on it, and how many model calls its answers took."""

    day: date
    kept: int
    calls: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """How many memories there are, by status; of those that count, by kind and source.

    `oldest` and `newest` are when the first and the last of these was said, `entities` how
    many people and things they are about. `unindexed` is what the index has still to take in.
    """

    statuses: Mapping[str, int]
    kinds: Mapping[str, int]
    sources: Mapping[str, int]
    hidden: int
    characters: int
    oldest: datetime | None
    newest: datetime | None
    entities: int
    unindexed: IndexBacklog

    @property
    def active(self) -> int:
        """How many memories count."""
        return self.statuses.get(MemoryStatus.ACTIVE, 0)


def page(session: Session, user_id: str, choice: Choice, *, number: int, size: int) -> Page:
    """A page of the memories that are chosen, pinned ones first, then the newest; the last
    page for too high a number."""
    return rows.page(session, _chosen(user_id, choice), number=number, size=size)


def saying(
    session: Session, user_id: str, choice: Choice, words: str, *, limit: int
) -> Sequence[Memory]:
    """Those of the memories that are chosen in which all the words stand, in the same order: a
    search finds what is in use alone."""
    wanted = words.casefold().split()
    chosen = _chosen(user_id, choice).with_only_columns(*COLUMNS)
    stored = map(memory_of, session.execute(chosen))
    found = (each for each in stored if all(word in each.text.casefold() for word in wanted))
    return list(islice(found, limit))


def _chosen(user_id: str, choice: Choice) -> Select[MemoryRow]:
    chosen = rows.of(user_id).where(MemoryRow.status == choice.status)
    if choice.kind is not None:
        chosen = chosen.where(MemoryRow.kind == choice.kind)
    if choice.context is not None:
        chosen = chosen.where(MemoryRow.context == choice.context)
    return chosen.order_by(MemoryRow.pinned.desc(), MemoryRow.memory_id.desc())


def contexts(session: Session, user_id: str) -> Sequence[str]:
    """The contexts in which the user has memories, by name."""
    found = session.scalars(
        select(MemoryRow.context)
        .where(MemoryRow.user_id == owner(user_id))
        .distinct()
        .order_by(MemoryRow.context)
    )
    return found.all()


def episodes(session: Session, user_id: str) -> Sequence[Memory]:
    """The user's latest episodes, the newest first."""
    found = session.scalars(
        rows.of(user_id)
        .where(MemoryRow.kind == MemoryKind.EPISODE, MemoryRow.status == MemoryStatus.ACTIVE)
        .order_by(MemoryRow.valid_from.desc(), MemoryRow.memory_id.desc())
        .limit(MOST_EPISODES)
    )
    return [memory_of(row) for row in found]


def reminders(session: Session, user_id: str) -> Sequence[Memory]:
    """The user's reminders, those that are due first before those without a time."""
    found = session.scalars(
        rows.of(user_id)
        .where(MemoryRow.kind == MemoryKind.REMINDER, MemoryRow.status == MemoryStatus.ACTIVE)
        .order_by(MemoryRow.due_at.is_(None), MemoryRow.due_at, MemoryRow.memory_id)
        .limit(MOST_REMINDERS)
    )
    return [memory_of(row) for row in found]


def days(session: Session, user_id: str, since: datetime, zone: tzinfo) -> Sequence[Day]:
    """What happened on each day of a time zone from `since` on, the oldest first; days of which
    there is nothing to tell are left out."""
    kept = _kept_by_day(session, user_id, since, zone)
    calls: Counter[date] = Counter()
    for used in usage.since(session, since.astimezone(zone).date(), user_id=owner(user_id)):
        if used.usage.purpose == usage.TURN:
            calls[used.day] += used.usage.calls
    return [Day(day, kept.get(day, 0), calls[day]) for day in sorted({*kept, *calls})]


def statistics(session: Session, user_id: str) -> Statistics:
    """The figures of one user."""
    theirs = MemoryRow.user_id == owner(user_id)
    counts = (theirs, MemoryRow.status == MemoryStatus.ACTIVE)

    def by(
        column: InstrumentedAttribute[str], *conditions: ColumnElement[bool]
    ) -> Mapping[str, int]:
        found = session.execute(
            select(column, func.count()).where(*conditions).group_by(column).order_by(column)
        )
        return dict(found.all())

    hidden, characters, oldest, newest = session.execute(
        select(
            func.count().filter(MemoryRow.sensitive),
            func.coalesce(func.sum(func.length(MemoryRow.text)), 0),
            func.min(MemoryRow.valid_from),
            func.max(MemoryRow.valid_from),
        ).where(*counts)
    ).one()
    entities = session.scalar(
        select(func.count(MemoryEntityRow.entity.distinct()))
        .join(MemoryRow, MemoryRow.memory_id == MemoryEntityRow.memory_id)
        .where(MemoryEntityRow.user_id == user_id, *counts)
    )
    return Statistics(
        statuses=by(MemoryRow.status, theirs),
        kinds=by(MemoryRow.kind, *counts),
        sources=by(MemoryRow.source, *counts),
        hidden=hidden,
        characters=characters,
        oldest=oldest,
        newest=newest,
        entities=entities or 0,
        unindexed=indexes.ops_backlog(session, user_id),
    )


def _kept_by_day(
    session: Session, user_id: str, since: datetime, zone: tzinfo
) -> Mapping[date, int]:
    made = session.scalars(
        select(MemoryRow.created_at).where(
            MemoryRow.user_id == owner(user_id),
            MemoryRow.status != MemoryStatus.PENDING,
            MemoryRow.created_at >= since,
        )
    )
    return Counter(time.astimezone(zone).date() for time in made)
