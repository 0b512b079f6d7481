"""Reminders: memories that are said at their time, once, and again where they recur.

`due_at` is when one is due next. One that recurs keeps the time of day of its zone, whatever
the clocks do; what it missed while gaia was off is said once. One that does not recur, and that
nobody is done with, is overdue for a week.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.orm import Session

from gaia.errors import UnfitMemoryError, UnknownMemoryError
from gaia.memory import ledger, pending, rows
from gaia.memory.contexts import GLOBAL, visible
from gaia.memory.memory import Added, Memory, Statement, memory_of
from gaia.memory.owner import owner
from gaia.memory.reminders.recurrence import anchored, at_time_of_day, next_time
from gaia.memory.reminders.requests import Wanted
from gaia.store import edits
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemorySource, MemoryStatus
from gaia.store.tables import UserRow
from gaia.zones import zone_of

OVERDUE = timedelta(days=7)
"""How long after it was due one that nobody is done with is told."""

MOST_OPEN = 1000
"""Reminders that a user may have open."""

WRONG_BY = timedelta(days=1)
"""What was said so far ahead of now was said by a wrong clock."""

PLACES_IN = 200
"""Memories in which it is looked where a user lives."""

AT_ONCE = 50
"""Reminders that are read at once to be said; so many end a transaction."""


@dataclass(frozen=True, slots=True)
class Told:
    """A reminder that is said now: `was_due` at, for whom, and when it is due again."""

    reminder: Memory
    was_due: datetime
    zone: str | None


def add(
    session: Session,
    user_id: str,
    wanted: Wanted,
    now: datetime,
    *,
    source: MemorySource,
    context: str = GLOBAL,
    quote: str | None = None,
    turn_id: str | None = None,
    said_again_at: datetime | None = None,
) -> Added:
    """Keep a reminder.

    Raises:
        UnfitMemoryError: There are too many, or it cannot be a memory.
    """
    if _open_count(session, user_id) >= MOST_OPEN:
        raise UnfitMemoryError(f"there are {MOST_OPEN:,} reminders already: cancel some first")
    due = wanted.due
    said = Statement(
        text=wanted.task,
        source=source,
        kind=MemoryKind.REMINDER,
        context=context,
        quote=quote,
        due_at=due.at,
        recurrence=anchored(due),
        zone=due.zone,
        turn_id=turn_id,
        said_again_at=said_again_at,
    )
    return ledger.add(session, user_id, said, now)


def coming(
    session: Session, user_id: str, now: datetime, limit: int, context: str = GLOBAL
) -> Sequence[Memory]:
    """The user's reminders that are still to come, or overdue, and seen in a context, the first
    to be due first."""
    found = session.scalars(
        rows.of(owner(user_id))
        .where(*_open(), _in_time(now), MemoryRow.context.in_(visible(context)))
        .order_by(MemoryRow.due_at, MemoryRow.memory_id)
        .limit(limit)
    )
    return [memory_of(row) for row in found]


def count_elsewhere(session: Session, user_id: str, now: datetime, context: str) -> int:
    """How many such reminders of the user belong to other contexts."""
    query = select(func.count()).where(
        MemoryRow.user_id == owner(user_id),
        *_open(),
        _in_time(now),
        MemoryRow.context.not_in(visible(context)),
    )
    return session.scalar(query) or 0


def next_due(session: Session, now: datetime, after: datetime | None = None) -> datetime | None:
    """When the next reminder of anybody is due, of those due later than `after`, if that is
    named; None if there is none to say."""
    query = select(func.min(MemoryRow.due_at)).where(*_open(), _in_time(now), _unsaid(now))
    return session.scalar(query if after is None else query.where(MemoryRow.due_at > after))


def take_due(session: Session, now: datetime, without: Collection[str] = ()) -> Sequence[Told]:
    """The first reminders that are due, of all users but those `without` a place to hear them;
    nothing is written, see `mark_said`."""
    found = session.execute(
        select(MemoryRow, UserRow.zone)
        .join(UserRow, UserRow.user_id == MemoryRow.user_id)
        .where(
            *_open(),
            MemoryRow.due_at <= now,
            _in_time(now),
            _unsaid(now),
            UserRow.removed_at.is_(None),
            MemoryRow.user_id.not_in(without),
        )
        .order_by(MemoryRow.due_at, MemoryRow.memory_id)
        .limit(AT_ONCE)
    )
    told = [(memory_of(row), zone) for row, zone in found]
    return [Told(each, each.due_at, zone) for each, zone in told if each.due_at is not None]


def still_to_tell(session: Session, user_id: str, memory_id: int, was_due: datetime) -> Told | None:
    """The user's reminder that was due at that time and could not be told then; None where they
    are done with it, or have cancelled, changed, forgotten or put it off. One that has run out
    meanwhile is told: nobody has heard it."""
    found = session.execute(
        select(MemoryRow, UserRow.zone)
        .join(UserRow, UserRow.user_id == MemoryRow.user_id)
        .where(MemoryRow.user_id == owner(user_id), MemoryRow.memory_id == memory_id)
    ).one_or_none()
    if found is None:
        return None
    row, zone = found
    has_run_out = row.status == MemoryStatus.ARCHIVED and row.valid_to is not None
    is_over = row.done_at is not None or not (row.status == MemoryStatus.ACTIVE or has_run_out)
    is_put_off = row.recurrence is None and row.due_at is not None and row.due_at > was_due
    return None if is_over or is_put_off else Told(memory_of(row), was_due, zone)


def mark_said(session: Session, memory_id: int, now: datetime) -> None:
    """Note that a reminder is said now, and when it is due again."""
    row = session.get_one(MemoryRow, memory_id)
    row.notified_at = now
    again = _next_time(row, now)
    if again is not None:
        row.due_at = again
    elif row.due_at is not None:
        row.expires_at = now + OVERDUE


def was_said_ahead(session: Session, now: datetime) -> bool:
    """Whether something was said by a clock that ran ahead."""
    return session.scalar(select(exists().where(*_said_ahead(now)))) or False


def mend_after_wrong_clock(session: Session, now: datetime) -> None:
    """Have what a clock that ran ahead has said be said at its time."""
    for row in session.scalars(select(MemoryRow).where(*_said_ahead(now))):
        row.notified_at = row.expires_at = None
        row.due_at = next_time(row.recurrence, row.zone, now, now) or row.due_at


def done(session: Session, user_id: str, memory_id: int, now: datetime) -> Memory:
    """Note that a user is done with a reminder. One that recurs goes on until its last time.

    Raises:
        UnknownMemoryError: The user has no open reminder of that number.
    """
    row = _open_row(session, user_id, memory_id)
    is_to_come = row.recurrence is not None and row.due_at is not None and row.due_at > now
    if not is_to_come and _next_time(row, now) is None:
        row.done_at = now
        rows.retire(session, row, MemoryStatus.ARCHIVED, now)
    return memory_of(row)


def snooze(session: Session, user_id: str, memory_id: int, until: datetime) -> Memory:
    """Have a reminder said again at that time; one that recurs goes on after it.

    Raises:
        UnknownMemoryError: The user has no open reminder of that number.
    """
    row = _open_row(session, user_id, memory_id)
    row.due_at, row.expires_at = until, None
    session.flush()
    return memory_of(row)


def cancel(session: Session, user_id: str, memory_id: int, now: datetime) -> Memory:
    """Have a reminder said no more.

    Raises:
        UnknownMemoryError: The user has no open reminder of that number.
    """
    row = _open_row(session, user_id, memory_id)
    rows.retire(session, row, MemoryStatus.ARCHIVED, now)
    return memory_of(row)


def of_edited(session: Session, user_id: str, turn_id: str) -> Sequence[Memory]:
    """The user's open reminders that a turn's message set before it was edited."""
    wanted = MemoryRow.turn_id.in_(edits.replaced_turns(session, turn_id))
    return [
        memory_of(row) for row in session.scalars(rows.of(owner(user_id)).where(*_open(), wanted))
    ]


def give_way(
    session: Session, edited: Sequence[Memory], memory_id: int, now: datetime
) -> Sequence[Memory]:
    """Cancel those of `of_edited` in whose place another one stands; returns them."""
    replaced = [each for each in edited if each.memory_id != memory_id]
    for each in replaced:
        cancel(session, each.user_id, each.memory_id, now)
    return replaced


def restore(session: Session, user_id: str, memory_id: int, now: datetime) -> Memory:
    """Have a reminder said after all that was cancelled.

    Raises:
        UnknownMemoryError: The user has none of that number, or its time is over.
    """
    memory = ledger.get(session, user_id, memory_id)
    due_at = memory.due_at
    if due_at is not None and due_at <= now:
        due_at = next_time(memory.recurrence, memory.zone, due_at, now)
    is_cancelled = memory.status is MemoryStatus.ARCHIVED and memory.done_at is None
    again = None
    if memory.kind is MemoryKind.REMINDER and is_cancelled and due_at is not None:
        again = pending.reactivate(session, user_id, memory_id, now)
    if again is None:
        raise UnknownMemoryError(f"no cancelled reminder {memory_id} is still to come")
    row = session.get_one(MemoryRow, memory_id)
    row.due_at = due_at
    return memory_of(row)


def move_to_zone(session: Session, user_id: str, zone: str) -> int:
    """Keep the time of day of the user's reminders, in another time zone; returns how many
    changed."""
    changed = 0
    for row in session.scalars(
        rows.of(owner(user_id)).where(*_open(), MemoryRow.zone.is_not(None))
    ):
        if row.due_at is not None and row.zone != zone:
            local = row.due_at.astimezone(zone_of(row.zone)).replace(tzinfo=None)
            row.due_at = at_time_of_day(local, zone_of(zone))
            row.zone = zone
            changed += 1
    return changed


def _next_time(row: MemoryRow, now: datetime) -> datetime | None:
    return None if row.due_at is None else next_time(row.recurrence, row.zone, row.due_at, now)


def _open() -> Sequence[ColumnElement[bool]]:
    """The conditions under which a reminder is still to be said, or nobody is done with it."""
    return (
        MemoryRow.due_at.is_not(None),
        MemoryRow.kind == MemoryKind.REMINDER,
        MemoryRow.status == MemoryStatus.ACTIVE,
        MemoryRow.done_at.is_(None),
    )


def _in_time(now: datetime) -> ColumnElement[bool]:
    """What is too late by now is not said; what recurs goes on."""
    return or_(MemoryRow.due_at > now - OVERDUE, MemoryRow.recurrence.is_not(None))


def _said_ahead(now: datetime) -> Sequence[ColumnElement[bool]]:
    return (*_open(), MemoryRow.notified_at > now + WRONG_BY)


def _unsaid(now: datetime) -> ColumnElement[bool]:
    said = MemoryRow.notified_at
    return or_(said.is_(None), said < MemoryRow.due_at, said > now + WRONG_BY)


def _open_row(session: Session, user_id: str, memory_id: int) -> MemoryRow:
    row = session.scalar(rows.one_of(user_id, memory_id, MemoryStatus.ACTIVE).where(*_open()))
    if row is None:
        raise UnknownMemoryError(f"there is no open reminder {memory_id}")
    return row


def _open_count(session: Session, user_id: str) -> int:
    query = select(func.count()).where(MemoryRow.user_id == owner(user_id), *_open())
    return session.scalar(query) or 0


def told_of_places(session: Session, user_id: str, context: str) -> Sequence[str]:
    """What a user has told of themselves that is seen in a context, the newest first: it may
    name where they live."""
    kinds = (MemoryKind.FACT, MemoryKind.NOTE)
    found = session.scalars(
        select(MemoryRow.text)
        .where(
            MemoryRow.user_id == owner(user_id),
            MemoryRow.status == MemoryStatus.ACTIVE,
            MemoryRow.kind.in_(kinds),
            MemoryRow.context.in_(visible(context)),
        )
        .order_by(MemoryRow.memory_id.desc())
        .limit(PLACES_IN)
    )
    return found.all()
