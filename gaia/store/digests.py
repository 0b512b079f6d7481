"""Digests: what becomes of sealed sessions, one row each, from the sealing to the end, and
what was read in their windows, which is kept until they are cleared.

Each function works within the caller's transaction; each change of state may be repeated
after a crash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.orm import Session

from gaia.store import conversations, inbox
from gaia.store.base import values_of
from gaia.store.conversations import Conversation
from gaia.store.digest_tables import DigestReason, DigestRow, DigestState, DigestWindowRow
from gaia.store.inbox import UNFINISHED
from gaia.store.tables import InboxRow

UNDER_WAY = (DigestState.SEALED, DigestState.EXTRACTED, DigestState.COMMITTED)

UNCOMMITTED = (DigestState.SEALED, DigestState.EXTRACTED, DigestState.FAILED)


@dataclass(frozen=True, slots=True)
class Digest:
    """A digest. What the fields mean is told at `DigestRow`."""

    digest_id: int
    session_id: str
    user_id: str
    conversation_id: int
    generation: int
    context: str
    reason: DigestReason
    state: DigestState
    attempts: int
    not_before: datetime | None
    error: str | None
    learned: int
    changed: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ReadWindow:
    """A window that was read. `outcome` is JSON; what it means is for the reader to know."""

    number: int
    last_archive_id: int
    outcome: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class DigestCounts:
    """How many digests wait, and how many failed; `failed_since` is when
    the oldest session of those was sealed, `error` is the last failure's, of one that is
    tried again where none failed for good."""

    waiting: int
    failed: int
    failed_since: datetime | None
    error: str | None


def seal(
    session: Session,
    conversation: Conversation,
    session_id: str,
    reason: DigestReason,
    now: datetime,
    *,
    before: int = 0,
) -> int | None:
    """Seal the present session of a conversation, and begin its next one; returns the
    number of the digest that it becomes.

    Messages that wait and came before the inbox id `before` belong to the sealed session,
    like those whose turn has begun; all others that wait are for the next one. None, and
    nothing is done, when nothing was said in the session or the conversation has moved on.
    """
    present = conversations.get(session, conversation.conversation_id)
    if present is None or present.generation != conversation.generation:
        return None
    if not present.session_turns and not _is_talked_in(session, present, before):
        return None
    row = DigestRow(
        session_id=session_id,
        user_id=present.user_id,
        conversation_id=present.conversation_id,
        generation=present.generation,
        context=present.context,
        reason=reason,
        state=DigestState.SEALED,
        attempts=0,
        learned=0,
        changed=0,
        created_at=now,
    )
    session.add(row)
    session.flush()
    inbox.begin_next_session(session, present.conversation_id, after=before - 1)
    return row.digest_id


def get(session: Session, digest_id: int) -> Digest | None:
    """A digest by its number; None when it, or its user, was removed."""
    row = session.get(DigestRow, digest_id, populate_existing=True)
    return None if row is None else _digest(row)


def under_way_of(session: Session, user_id: str) -> Sequence[Digest]:
    """The digests of a user that have not come to an end, the oldest first."""
    return _listed(session, DigestRow.user_id == user_id, DigestRow.state.in_(UNDER_WAY))


def users_under_way(session: Session) -> Sequence[str]:
    """The users with digests that have not come to an end."""
    rows = session.scalars(
        select(DigestRow.user_id).where(DigestRow.state.in_(UNDER_WAY)).distinct()
    )
    return rows.all()


def waits_for_turns(session: Session, digest: Digest) -> bool:
    """Whether messages of the sealed session, or of one before it, have still to be answered."""
    waiting = exists().where(
        InboxRow.conversation_id == digest.conversation_id,
        InboxRow.state.in_(UNFINISHED),
        InboxRow.is_command.is_(False),
        InboxRow.generation <= digest.generation,
    )
    return bool(session.scalar(select(waiting)))


def read_again(session: Session, digest_id: int) -> None:
    """Say that what was read is not the whole session: its windows are to be read again."""
    _delete_windows(session, digest_id)
    _set(session, digest_id, state=DigestState.SEALED)


def extracted(session: Session, digest_id: int) -> None:
    """Say that every window was read."""
    _set(session, digest_id, state=DigestState.EXTRACTED)


def succeeded(session: Session, digest_id: int) -> None:
    """Say that a window was read: failures count again."""
    _set(session, digest_id, attempts=0, not_before=None, error=None)


def committed(
    session: Session, digest_id: int, *, learned: int, changed: int, now: datetime
) -> None:
    """Say that memories and episode are written, in the transaction that writes them."""
    _set(
        session,
        digest_id,
        state=DigestState.COMMITTED,
        attempts=0,
        not_before=None,
        error=None,
        learned=learned,
        changed=changed,
        committed_at=now,
    )


def cleared(session: Session, digest_id: int) -> None:
    """Say that the session is gone. What was read in its windows goes as well."""
    _delete_windows(session, digest_id)
    _set(session, digest_id, state=DigestState.CLEARED)


def try_later(session: Session, digest_id: int, *, error: str, not_before: datetime) -> None:
    """Count a failure, to be tried again at `not_before`."""
    _set(session, digest_id, attempts=DigestRow.attempts + 1, error=error, not_before=not_before)


def failed(session: Session, digest_id: int, *, error: str) -> None:
    """Count the last failure: it is tried no more until `retry`."""
    _set(
        session,
        digest_id,
        state=DigestState.FAILED,
        attempts=DigestRow.attempts + 1,
        error=error,
        not_before=None,
    )


def retry(session: Session, user_id: str | None = None) -> Sequence[Digest]:
    """Have failed digests tried once more, of one user if named; returns which."""
    whose = () if user_id is None else (DigestRow.user_id == user_id,)
    again = _listed(session, DigestRow.state == DigestState.FAILED, *whose)
    session.execute(
        update(DigestRow)
        .where(DigestRow.digest_id.in_([digest.digest_id for digest in again]))
        .values(state=DigestState.SEALED, attempts=0, not_before=None)
    )
    return again


def hasten(session: Session, user_id: str | None = None) -> Sequence[Digest]:
    """Have digests that wait for another attempt tried at once, of one user if named;
    returns those that have not come to an end."""
    whose = () if user_id is None else (DigestRow.user_id == user_id,)
    waiting = _listed(session, DigestRow.state.in_(UNDER_WAY), *whose)
    session.execute(
        update(DigestRow)
        .where(DigestRow.digest_id.in_([digest.digest_id for digest in waiting]))
        .values(attempts=0, not_before=None)
    )
    return waiting


def prune(session: Session, before: datetime) -> int:
    """Delete the digests of sessions that are gone and were sealed before then; returns how
    many they were."""
    result = session.execute(
        delete(DigestRow)
        .where(DigestRow.state == DigestState.CLEARED, DigestRow.created_at < before)
        .returning(DigestRow.digest_id)
    )
    return len(result.all())


def counts(session: Session, user_id: str | None = None) -> DigestCounts:
    """How the digests are getting on, of one user if named."""
    whose = () if user_id is None else (DigestRow.user_id == user_id,)
    waiting = session.scalar(select(func.count()).where(DigestRow.state.in_(UNDER_WAY), *whose))
    has_failed = DigestRow.state == DigestState.FAILED
    failed, since = session.execute(
        select(func.count(), func.min(DigestRow.created_at)).where(has_failed, *whose)
    ).one()
    error = session.scalar(
        select(DigestRow.error)
        .where(DigestRow.error.is_not(None), DigestRow.state != DigestState.CLEARED, *whose)
        .order_by(has_failed.desc(), DigestRow.digest_id.desc())
        .limit(1)
    )
    return DigestCounts(waiting or 0, failed, since, error)


def add_window(
    session: Session, digest_id: int, user_id: str, window: ReadWindow, now: datetime
) -> None:
    """Keep what was read in the next window of a digest."""
    session.add(
        DigestWindowRow(
            digest_id=digest_id,
            number=window.number,
            user_id=user_id,
            last_archive_id=window.last_archive_id,
            outcome=dict(window.outcome),
            created_at=now,
        )
    )
    session.flush()


def windows_of(session: Session, digest_id: int) -> Sequence[ReadWindow]:
    """The windows of a digest that were read, in order."""
    rows = session.scalars(
        select(DigestWindowRow)
        .where(DigestWindowRow.digest_id == digest_id)
        .order_by(DigestWindowRow.number)
    )
    return [ReadWindow(row.number, row.last_archive_id, row.outcome) for row in rows]


def drop_uncommitted(session: Session, user_id: str) -> None:
    """Delete the user's digests that are not committed, with what was read for them."""
    session.execute(
        delete(DigestRow).where(DigestRow.user_id == user_id, DigestRow.state.in_(UNCOMMITTED))
    )


def read_uncommitted_again(session: Session, user_id: str) -> None:
    """Drop what was read in the windows of a user who has something forgotten, since it may
    tell that in whatever words. What is not committed is read again once that is done."""
    session.execute(delete(DigestWindowRow).where(DigestWindowRow.user_id == user_id))
    session.execute(
        update(DigestRow)
        .where(DigestRow.user_id == user_id, DigestRow.state == DigestState.EXTRACTED)
        .values(state=DigestState.SEALED)
    )


def _delete_windows(session: Session, digest_id: int) -> None:
    """Delete what was read in the windows of a digest."""
    session.execute(delete(DigestWindowRow).where(DigestWindowRow.digest_id == digest_id))


def _is_talked_in(session: Session, conversation: Conversation, before: int) -> bool:
    """Whether messages that belong to the present session are being answered, or will be."""
    theirs = InboxRow.turn_id.is_not(None) | (InboxRow.inbox_id < before)
    unfinished = exists().where(
        InboxRow.conversation_id == conversation.conversation_id,
        InboxRow.state.in_(UNFINISHED),
        InboxRow.is_command.is_(False),
        InboxRow.generation == conversation.generation,
        theirs,
    )
    return bool(session.scalar(select(unfinished)))


def _set(session: Session, digest_id: int, **values: Any) -> None:
    session.execute(update(DigestRow).where(DigestRow.digest_id == digest_id).values(**values))


def _listed(session: Session, *which: ColumnElement[bool]) -> Sequence[Digest]:
    rows = session.scalars(select(DigestRow).where(*which).order_by(DigestRow.digest_id))
    return [_digest(row) for row in rows]


def _digest(row: DigestRow) -> Digest:
    told = values_of(Digest, row)
    told["reason"] = DigestReason(row.reason)
    told["state"] = DigestState(row.state)
    return Digest(**told)
