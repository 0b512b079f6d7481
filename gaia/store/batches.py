"""Batches: which messages of the inbox make the next turn, and when.

A conversation's messages are taken in order by its one worker, and none before
the slash commands that came earlier are done. A row found `running` or
`stopping` by that worker is its own unfinished business, left by a crash or by
a store that failed: it is taken again under the same turn id.
An album is never cut in two: its messages settle for a time of their own, and
what came between them goes along. So does a paste that was cut, where bursts settle.
Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Integer, Row, bindparam, func, select, update
from sqlalchemy.orm import Session

from gaia.clock import time_left
from gaia.messages import Attachment
from gaia.store import inbox, pastes
from gaia.store.inbox import UNFINISHED, Message, read_attachments
from gaia.store.tables import InboxState

BURST_MESSAGES = 50
"""A turn takes at most this many messages of a burst."""

BURST_SETTLES = 10
"""A burst is cut after this many settle times, for people who never pause."""

ALBUM_SETTLE = timedelta(seconds=0.5)
"""An album is complete when nothing has come for so long: its photos are messages
of their own, which a provider delivers one by one."""

TABLE = inbox.TABLE

_THEIRS = TABLE.c.conversation_id == bindparam("in_conversation")
_OPEN = TABLE.c.state.in_(UNFINISHED)
_NEXT_COMMAND = (
    select(TABLE)
    .where(_THEIRS, _OPEN, TABLE.c.is_command.is_(True))
    .order_by(TABLE.c.inbox_id)
    .limit(1)
)
_first_command = (
    _NEXT_COMMAND.with_only_columns(func.min(TABLE.c.inbox_id))
    .order_by(None)
    .limit(None)
    .correlate(None)
    .scalar_subquery()
)
_WAITING = (
    select(TABLE)
    .where(_THEIRS, _OPEN, TABLE.c.is_command.is_(False))
    .where(TABLE.c.inbox_id < func.coalesce(_first_command, TABLE.c.inbox_id + 1))
    .order_by(TABLE.c.inbox_id)
    .limit(BURST_MESSAGES + 1)
)
"""One more than a turn takes tells that others wait behind them."""
_START = (
    update(TABLE)
    .where(TABLE.c.inbox_id.in_(bindparam("rows", expanding=True)))
    .values(state=bindparam("as_"), turn_id=bindparam("of_turn"), starts=TABLE.c.starts + 1)
)
_EARLIER_ATTACHMENTS = (
    select(TABLE.c.turn_id, TABLE.c.attachments)
    .where(
        _THEIRS,
        TABLE.c.generation == bindparam("of_session"),
        TABLE.c.inbox_id < bindparam("before"),
        TABLE.c.is_command.is_(False),
        TABLE.c.turn_id.is_not(None),
        TABLE.c.state.in_((InboxState.DONE, InboxState.STOPPED)),
    )
    # By the index: the sort must not read the whole conversation.
    .order_by(TABLE.c.received_at.desc(), TABLE.c.inbox_id.desc())
    .limit(bindparam("most", type_=Integer()))
)


@dataclass(frozen=True, slots=True)
class Batch:
    """The messages of one turn, oldest first, the parts of a paste as one. `inbox_id` is the
    first one's.

    `stopped` says that the user stopped it and that it did not come to its end.
    `starts` counts this run of it, `failures` earlier runs that failed: the
    other earlier runs were interrupted. `more_wait` says that others wait behind them. `context`
    is where its memories belong, and of one that `is_incognito` nothing is kept.
    """

    turn_id: str
    inbox_id: int
    conversation_id: int
    generation: int
    provider_message_ids: tuple[str, ...]
    messages: tuple[Message, ...]
    sent_at: datetime
    wants_preview: bool
    stopped: bool
    starts: int
    failures: int
    context: str
    is_incognito: bool
    more_wait: bool = False

    @property
    def text(self) -> str:
        """The messages of a burst as one text."""
        return "\n".join(message.text for message in self.messages)


def take(
    session: Session, conversation_id: int, *, turn_id: str, settle: timedelta, now: datetime
) -> Batch | timedelta | None:
    """Mark the messages of the next turn as running and return them; or how long until it
    may begin, None when nothing waits.

    They keep the turn id of an earlier run; `turn_id` is for a first run.
    """
    waiting = _waiting(session, conversation_id)
    rows = _next_rows(waiting, settle)
    if not rows:
        return None
    wait = _ready_after(rows, settle, now)
    if wait > timedelta(0):
        return wait
    return _start(session, rows, turn_id, more_wait=len(waiting) > len(rows))


def _ready_after(rows: Sequence[Row[Any]], settle: timedelta, now: datetime) -> timedelta:
    first, last = rows[0], rows[-1]
    if wait := time_left(first.not_before, now):
        return wait
    clock_was_set_back = last.received_at > now
    if first.turn_id is not None or len(rows) == BURST_MESSAGES or clock_was_set_back:
        return timedelta(0)
    settled_at = min(
        last.received_at + _settle_of(last, settle),
        first.received_at + BURST_SETTLES * _settle_of(first, settle),
    )
    albums = [row.received_at + ALBUM_SETTLE for row in rows if row.album is not None]
    parts = [last.received_at + pastes.PART_SETTLE] if _may_go_on(last, settle) else []
    ready_at: datetime = max([settled_at, *albums, *parts])
    return ready_at - now


def earlier_attachments(session: Session, batch: Batch, *, turns: int) -> tuple[Attachment, ...]:
    """The attachments of the last `turns` turns of the same session, oldest first."""
    rows = session.execute(
        _EARLIER_ATTACHMENTS,
        {
            "in_conversation": batch.conversation_id,
            "of_session": batch.generation,
            "before": batch.inbox_id,
            "most": turns * BURST_MESSAGES,
        },
    )
    found: list[Attachment] = []
    seen: set[str] = set()
    for turn_id, written in rows:
        seen.add(turn_id)
        if len(seen) > turns:
            break
        found += reversed(read_attachments(written))
    return tuple(reversed(found))


def take_command(session: Session, conversation_id: int, *, turn_id: str) -> Batch | None:
    """Mark the next slash command as running and return it."""
    row = session.execute(_NEXT_COMMAND, {"in_conversation": conversation_id}).one_or_none()
    return None if row is None else _start(session, [row], turn_id)


def _waiting(session: Session, conversation_id: int) -> Sequence[Row[Any]]:
    """The messages that no unfinished command stands before, the oldest first."""
    return session.execute(_WAITING, {"in_conversation": conversation_id}).all()


def _next_rows(rows: Sequence[Row[Any]], settle: timedelta) -> Sequence[Row[Any]]:
    """Those of the waiting messages that make the next turn."""
    if not rows:
        return []
    first = rows[0]
    if first.turn_id is not None:
        return [row for row in rows if row.turn_id == first.turn_id]
    begun_or_moved = (
        position
        for position, row in enumerate(rows)
        if row.turn_id is not None or _place(row) != _place(first)
    )
    whole = rows[: next(begun_or_moved, len(rows))]
    if len(whole) >= BURST_MESSAGES:
        whole = _without_last_album(whole[:BURST_MESSAGES])
    return _burst(whole, settle)


def _place(row: Row[Any]) -> tuple[object, ...]:
    """What the messages of a turn have in common."""
    return row.generation, row.context, row.is_incognito


def _without_last_album(rows: Sequence[Row[Any]]) -> Sequence[Row[Any]]:
    """`rows` up to the album that they end in, whose other photos may be behind them;
    all of them when there is nothing before it."""
    last = rows[-1].album
    if last is None:
        return rows
    begins = next(position for position, row in enumerate(rows) if row.album == last)
    return rows[:begins] if begins else rows


def _burst(rows: Sequence[Row[Any]], settle: timedelta) -> list[Row[Any]]:
    """Those of `rows`, from the first one, that came in quick succession, with
    their albums to the last photo."""
    length = 1
    while length < len(rows):
        albums = {row.album for row in rows[:length] if row.album is not None}
        if any(row.album in albums for row in rows[length:]):
            length += 1
            continue
        if _is_apart(rows[0], rows[length - 1], rows[length], settle):
            break
        length += 1
    return list(rows[:length])


def _is_apart(first: Row[Any], previous: Row[Any], row: Row[Any], settle: timedelta) -> bool:
    """Whether `row` is for the next turn: after a pause, or after a burst without one. A clock
    that was set back between the two is a pause as well."""
    pause: timedelta = abs(row.received_at - previous.received_at)
    if pause < pastes.PART_SETTLE and _may_go_on(previous, settle):
        return False
    burst: timedelta = abs(row.received_at - first.received_at)
    longest_burst = BURST_SETTLES * _settle_of(first, settle)
    return pause >= _settle_of(previous, settle) or burst >= longest_burst


def _may_go_on(row: Row[Any], settle: timedelta) -> bool:
    return bool(settle) and pastes.may_go_on(row)


def _settle_of(row: Row[Any], settle: timedelta) -> timedelta:
    return settle if row.album is None else max(settle, ALBUM_SETTLE)


def _start(
    session: Session, rows: Sequence[Row[Any]], turn_id: str, *, more_wait: bool = False
) -> Batch:
    first = rows[0]
    turn_id = first.turn_id or turn_id
    stopped = first.state == InboxState.STOPPING
    begun = {
        "rows": [row.inbox_id for row in rows],
        "as_": InboxState.STOPPING if stopped else InboxState.RUNNING,
        "of_turn": turn_id,
    }
    session.execute(_START, begun)
    return Batch(
        turn_id=turn_id,
        inbox_id=first.inbox_id,
        conversation_id=first.conversation_id,
        generation=first.generation,
        provider_message_ids=tuple(row.provider_message_id for row in rows),
        messages=tuple(pastes.joined(rows)),
        sent_at=rows[-1].sent_at,
        wants_preview=any(row.wants_preview for row in rows),
        stopped=stopped,
        starts=first.starts + 1,
        failures=first.failures,
        context=first.context,
        is_incognito=any(row.is_incognito for row in rows),
        more_wait=more_wait,
    )
