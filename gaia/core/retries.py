"""Retries: what becomes of a chunk that was not delivered, decided and written.

It is the same whether the channel said so at once or its provider reports it later.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from gaia.current import Current
from gaia.errors import RetryableSendError, SendError, UnknownSendError, UnreachableError
from gaia.settings.schema import Settings
from gaia.store import conversations, sending
from gaia.store.outbox import Chunk

logger = logging.getLogger(__name__)

SHORTEST_RETRY = timedelta(milliseconds=200)
"""However soon a channel wants a chunk again, one that refuses is not asked in a loop."""

FIRST_RETRY = timedelta(seconds=1)
LONGEST_RETRY = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class TryAgain:
    """It was not delivered, and is sent again then."""

    error: str
    not_before: datetime


@dataclass(frozen=True, slots=True)
class Wait:
    """It was not delivered, and waits until somebody can be reached. `asked` and
    `contact_lost` are those of `errors.UnreachableError`."""

    error: str
    asked: bool
    contact_lost: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """It may have been sent: it is sent once more, marked."""

    error: str
    not_before: datetime | None


@dataclass(frozen=True, slots=True)
class GiveUp:
    """It never will be delivered, nor will what follows it in its reply."""

    error: str


Verdict = TryAgain | Wait | Repeat | GiveUp


class Retries:
    """Judges failures by the settings of `delivery`."""

    def __init__(self, settings: Current[Settings]) -> None:
        self._settings = settings

    def judge(
        self,
        chunk: Chunk,
        failure: SendError,
        now: datetime,
        *,
        repeat_not_before: datetime | None = None,
    ) -> Verdict:
        """What is to become of a chunk, whose `attempts` include the one that failed."""
        match failure:
            case UnreachableError():
                return Wait(str(failure), failure.asked, failure.contact_lost)
            case UnknownSendError() if not chunk.repeated:
                return Repeat(str(failure), repeat_not_before)
            case RetryableSendError() if self._may_try_again(chunk, now):
                return TryAgain(str(failure), now + retry_after(failure, chunk.attempts - 1))
            case _:
                return GiveUp(str(failure))

    def _may_try_again(self, chunk: Chunk, now: datetime) -> bool:
        refused_since = chunk.refused_since or now
        bounds = self._settings.now.delivery
        give_up_after = timedelta(hours=bounds.give_up_after_hours)
        return chunk.attempts < bounds.attempts and now - refused_since < give_up_after


def write(session: Session, chunk: Chunk, verdict: Verdict, now: datetime) -> bool:
    """Write what becomes of a chunk; returns whether there is something to do now, or
    once its time has come, rather than when somebody can be reached."""
    match verdict:
        case TryAgain():
            sending.mark_refused(
                session,
                chunk.outbox_id,
                error=verdict.error,
                now=now,
                not_before=verdict.not_before,
            )
        case Repeat():
            sending.mark_unknown(
                session, chunk.outbox_id, error=verdict.error, not_before=verdict.not_before
            )
        case GiveUp():
            sending.end_reply(session, chunk, error=verdict.error)
        case Wait():
            return _write_waiting(session, chunk, verdict, now)
    return True


def _write_waiting(session: Session, chunk: Chunk, verdict: Wait, now: datetime) -> bool:
    """A person whose last message does not count, as it turns out, may be reached in
    another way: the channel is asked once more."""
    since = chunk.sent_at or now
    sending.mark_waiting(session, chunk.outbox_id, error=verdict.error)
    if verdict.asked:
        conversations.note_asked(session, chunk.conversation_id, now, since=since)
    return verdict.contact_lost and conversations.lose_contact(
        session, chunk.conversation_id, before=since
    )


def log(chunk: Chunk, verdict: Verdict, now: datetime) -> None:
    """Say in the log what became of a chunk."""
    match verdict:
        case TryAgain():
            seconds = (verdict.not_before - now).total_seconds()
            logger.info("chunk %d waits for %.1f s: %s", chunk.outbox_id, seconds, verdict.error)
        case Wait():
            logger.info("chunk %d is pending: %s", chunk.outbox_id, verdict.error)
        case Repeat():
            logger.info("chunk %d is unknown: %s", chunk.outbox_id, verdict.error)
        case GiveUp():
            logger.error("chunk %d is dead: %s", chunk.outbox_id, verdict.error)


def retry_after(exc: RetryableSendError, attempts: int) -> timedelta:
    """The channel's own wish, else a pause that doubles with each attempt."""
    if exc.after_seconds is not None:
        return max(timedelta(seconds=exc.after_seconds), SHORTEST_RETRY)
    doublings = min(attempts, 16)
    return min(FIRST_RETRY * (1 << doublings), LONGEST_RETRY)
