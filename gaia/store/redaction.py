"""Takes words out of the inbox, the outbox and what memories quote, row by row, and
leaves the rows.

Reads and judges outside of any transaction, then changes what goes in short ones.
Each step may be repeated: what was replaced is not touched again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from gaia.store import conversations, replies
from gaia.store.digest_tables import ArchivedTurnRow
from gaia.store.engine import Database
from gaia.store.inbox import BEGUN, UNFINISHED
from gaia.store.memory_tables import MemoryRow
from gaia.store.outbox import OPEN
from gaia.store.tables import InboxRow, InboxState, OutboxRow, OutboxState

REPLACEMENT = "[forgotten]"
"""Stands where a text was that goes."""

WITHOUT_WORDS: Mapping[str, Any] = {
    "text": REPLACEMENT,
    "notes": [],
    "replied_to": None,
    "attachments": [],
}
"""What a message is without what was said."""

UNSAID: Mapping[str, Any] = {"text": REPLACEMENT, "buttons": [], "error": None}
"""What a chunk is without what was said."""

ROWS_AT_A_TIME = 200

PATIENCE = timedelta(minutes=10)
"""How long a message may wait for its turn before its words go unread: it is for a
channel that is switched off, or gaia does not get to it."""

ABANDONED = timedelta(hours=1)
"""How long what was begun is believed to go on. No turn and no sending takes so long: it
was interrupted, on a channel that is switched off since."""

GRACE = timedelta(seconds=30)
"""How long an answer that was written since may take to be sent before its words go."""

FORGET_COMMAND = "/forget"
"""What a command begins with that names what is to be forgotten."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """The user's texts that go: those that `says` finds, and all of the turns
    `sources`; with `everything`, all. What was received after the message `inbox_id`
    stays, and what came of it. `since` is when it was wished for. A text that says it has
    at least one of `terms`; where they are None any may."""

    user_id: str
    says: Callable[[str], bool]
    sources: frozenset[str]
    everything: bool
    inbox_id: int
    since: datetime
    terms: frozenset[str] | None = None


def spared_turns(session: Session, redaction: Redaction, now: datetime) -> frozenset[str]:
    """The turns that stay: those of what was received afterwards for good, and those that
    are not over until they are."""
    unfinished = () if _is_abandoned(redaction, now) else UNFINISHED
    rows = session.scalars(
        select(InboxRow.turn_id)
        .where(
            InboxRow.conversation_id.in_(conversations.ids_of_user(redaction.user_id)),
            or_(InboxRow.inbox_id > redaction.inbox_id, InboxRow.state.in_(unfinished)),
            InboxRow.turn_id.is_not(None),
        )
        .distinct()
    )
    return frozenset(turn_id for turn_id in rows if turn_id is not None)


async def redact_inbox(database: Database, redaction: Redaction, now: datetime) -> bool:
    """Redact what was received; returns whether nothing is left to be done when a turn ends."""
    pages = await database.read(
        _pages,
        InboxRow.inbox_id,
        InboxRow.conversation_id.in_(conversations.ids_of_user(redaction.user_id)),
        InboxRow.inbox_id <= redaction.inbox_id,
    )
    awaited = _awaited(redaction, now)
    complete = True
    for page in pages:
        rows = await database.read(_inbox_rows, page)
        going = await asyncio.to_thread(_going_messages, rows, redaction)
        await database.write(_unsay_inbox, going, awaited)
        complete = complete and not any(row.state in awaited for row in rows)
    return complete


async def redact_outbox(
    database: Database, redaction: Redaction, spared: frozenset[str], now: datetime
) -> bool:
    """Redact what was answered, but for the turns `spared`; returns whether nothing is left
    to be done when it has been sent."""
    theirs = conversations.ids_of_user(redaction.user_id)
    pages = await database.read(_pages, OutboxRow.outbox_id, OutboxRow.conversation_id.in_(theirs))
    leaving = () if _is_abandoned(redaction, now) else (OutboxState.SENDING,)
    complete = True
    for page in pages:
        rows, commands = await database.read(_outbox_rows, page)
        judged = [row for row in rows if row.turn_id is None or row.turn_id not in spared]
        going = await asyncio.to_thread(_going_chunks, judged, redaction, commands)
        ready = [
            row.outbox_id
            for row in going
            if row.state not in leaving and not _has_grace(row, redaction, now)
        ]
        redacted = await database.write(_unsay_outbox, ready, leaving)
        complete = complete and redacted == len(going)
    return complete


async def redact_quotes(database: Database, redaction: Redaction, spared: frozenset[str]) -> None:
    """Take the user's words out of memories that stay, where they tell what goes as well:
    of one message, several memories may be kept. Not of the turns `spared`."""
    has_words = (MemoryRow.user_id == redaction.user_id) & MemoryRow.quote.is_not(None)
    pages = await database.read(_pages, MemoryRow.memory_id, has_words)
    for page in pages:
        of_page = has_words & MemoryRow.memory_id.in_(page)
        rows = await database.read(_quote_rows, of_page)
        judged = [row for row in rows if row.turn_id is None or row.turn_id not in spared]
        going = await asyncio.to_thread(_going_quotes, judged, redaction)
        await database.write(_drop_quotes, has_words, going)


def redact_before_joining(session: Session, user_id: str, inbox_id: int) -> None:
    """Redact at once what everything is to be forgotten of, and has come to its end: its
    conversations are about to be those of another user, of whom that was not said."""
    theirs = conversations.ids_of_user(user_id)
    session.execute(
        update(InboxRow)
        .where(
            InboxRow.conversation_id.in_(theirs),
            InboxRow.inbox_id <= inbox_id,
            InboxRow.state.not_in(UNFINISHED),
        )
        .values(**WITHOUT_WORDS)
    )
    session.execute(
        update(OutboxRow)
        .where(OutboxRow.conversation_id.in_(theirs), OutboxRow.state.not_in(OPEN))
        .values(**UNSAID)
    )
    later = select(InboxRow.turn_id).where(
        InboxRow.conversation_id.in_(theirs),
        InboxRow.inbox_id > inbox_id,
        InboxRow.turn_id.is_not(None),
    )
    session.execute(
        delete(ArchivedTurnRow).where(
            ArchivedTurnRow.user_id == user_id, ArchivedTurnRow.turn_id.not_in(later)
        )
    )


def _awaited(redaction: Redaction, now: datetime) -> Collection[InboxState]:
    """The states of messages that are waited for."""
    if _is_abandoned(redaction, now):
        return ()
    return BEGUN if now - redaction.since > PATIENCE else UNFINISHED


def _is_abandoned(redaction: Redaction, now: datetime) -> bool:
    return now - redaction.since > ABANDONED


def _going_messages(rows: Sequence[InboxRow], redaction: Redaction) -> Sequence[InboxRow]:
    return [
        row
        for row in rows
        if (row.text != REPLACEMENT or row.notes or row.replied_to or row.attachments)
        and (
            redaction.everything
            or row.turn_id in redaction.sources
            or (row.is_command and row.text.strip().lower().startswith(FORGET_COMMAND))
            or any(map(redaction.says, _texts(row)))
        )
    ]


def _texts(row: InboxRow) -> Iterator[str]:
    yield row.text
    yield from row.notes
    yield from replies.words(row.replied_to)
    # What a person wrote in pieces may say it as a whole.
    yield "\n".join([row.text, *row.notes])
    yield from (each["file_name"] for each in row.attachments if each.get("file_name"))


def _going_chunks(
    rows: Sequence[OutboxRow], redaction: Redaction, commands: frozenset[str]
) -> Sequence[OutboxRow]:
    """An answer to a command that is still to be sent may be the one that tells that
    everything is forgotten: it goes only if it tells of what."""
    return [
        row
        for row in rows
        if not _is_redacted(row)
        and (
            (redaction.everything and _is_before(row, redaction, commands))
            or row.turn_id in redaction.sources
            or any(map(redaction.says, _said(row)))
        )
    ]


def _going_quotes(rows: Sequence[MemoryRow], redaction: Redaction) -> Sequence[int]:
    return [
        row.memory_id
        for row in rows
        if row.turn_id in redaction.sources or (row.quote and redaction.says(row.quote))
    ]


def _is_redacted(row: OutboxRow) -> bool:
    return row.text == REPLACEMENT and not row.buttons and not row.error


def _is_before(row: OutboxRow, redaction: Redaction, commands: frozenset[str]) -> bool:
    if row.turn_id is None:
        return row.created_at <= redaction.since
    return row.state not in OPEN or row.turn_id not in commands


def _said(row: OutboxRow) -> Iterator[str]:
    yield row.text
    yield from (words for button in row.buttons for words in button.values())
    if row.error:
        yield row.error


def _has_grace(row: OutboxRow, redaction: Redaction, now: datetime) -> bool:
    is_answer_since = row.created_at > redaction.since and now - row.created_at < GRACE
    return row.state in OPEN and is_answer_since


def _commands(session: Session, rows: Sequence[OutboxRow]) -> frozenset[str]:
    """Those turns of `rows` that are commands."""
    turns = {row.turn_id for row in rows if row.turn_id is not None}
    found = session.scalars(
        select(InboxRow.turn_id).where(InboxRow.turn_id.in_(turns), InboxRow.is_command.is_(True))
    )
    return frozenset(turn_id for turn_id in found if turn_id is not None)


def _pages(
    session: Session, number: InstrumentedAttribute[int], *which: ColumnElement[bool]
) -> Sequence[Sequence[int]]:
    """The numbers of the rows of which all of this holds, so many at a time."""
    numbers = session.scalars(select(number).where(*which)).all()
    return [
        numbers[start : start + ROWS_AT_A_TIME] for start in range(0, len(numbers), ROWS_AT_A_TIME)
    ]


def _inbox_rows(session: Session, page: Sequence[int]) -> Sequence[InboxRow]:
    query = select(InboxRow).where(InboxRow.inbox_id.in_(page))
    return session.scalars(query).all()


def _unsay_inbox(
    session: Session, going: Sequence[InboxRow], awaited: Collection[InboxState]
) -> None:
    session.execute(
        update(InboxRow)
        .where(
            InboxRow.inbox_id.in_([row.inbox_id for row in going]),
            InboxRow.state.not_in(awaited),
        )
        .values(**WITHOUT_WORDS)
    )


def _outbox_rows(
    session: Session, page: Sequence[int]
) -> tuple[Sequence[OutboxRow], frozenset[str]]:
    query = select(OutboxRow).where(OutboxRow.outbox_id.in_(page))
    rows = session.scalars(query).all()
    commands = _commands(session, rows)
    return rows, commands


def _unsay_outbox(session: Session, ready: Sequence[int], leaving: Collection[OutboxState]) -> int:
    redacted = session.scalars(
        update(OutboxRow)
        .where(OutboxRow.outbox_id.in_(ready), OutboxRow.state.not_in(leaving))
        .values(**UNSAID)
        .returning(OutboxRow.outbox_id)
    )
    return len(redacted.all())


def _quote_rows(session: Session, of_page: ColumnElement[bool]) -> Sequence[MemoryRow]:
    return session.scalars(select(MemoryRow).where(of_page)).all()


def _drop_quotes(session: Session, has_words: ColumnElement[bool], going: Sequence[int]) -> None:
    session.execute(
        update(MemoryRow).where(has_words, MemoryRow.memory_id.in_(going)).values(quote=None)
    )
