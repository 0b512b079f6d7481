"""What becomes of a chunk, decided and written: of one that was not delivered, and of one
of which its provider tells something after it has taken it, or while it takes it.

A failure is the same whether the channel said so at once or its provider reports it later.
Reports come late, twice, in any order, and of each copy of a chunk apart. A chunk never goes
back from where it has got to, and is never sent again once any copy has arrived. That a
copy failed counts for the present one alone.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Protocol

from sqlalchemy.orm import Session

from gaia.errors import RetryableSendError, SendError, UnknownSendError, UnreachableError
from gaia.messages import Contact, DeliveryReport, DeliveryStage, ReceiptKind
from gaia.settings.schema import Settings
from gaia.store import chunk_states, conversations, outbox
from gaia.store.conversations import Conversation
from gaia.store.outbox import Chunk
from gaia.store.tables import InboxState, OutboxState
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

SHORTEST_RETRY = timedelta(milliseconds=200)
"""However soon a channel wants a chunk again, one that refuses is not asked in a loop."""

FIRST_RETRY = timedelta(seconds=1)
LONGEST_RETRY = timedelta(minutes=5)

CONFIRM_SECONDS = 10
"""How long a chunk, or the repeat of one, waits for what the provider reports on the one
that was sent last. Most are delivered within two seconds."""

CONFIRM = timedelta(seconds=CONFIRM_SECONDS)

IN_THE_MIDDLE = (OutboxState.SENDING, OutboxState.UNKNOWN)
"""The states in which nobody knows yet what the provider calls the present copy."""


@dataclass(frozen=True, slots=True)
class TryAgain:
    """It was not delivered, and is sent again then."""

    name: ClassVar[str] = "refused"
    error: str
    not_before: datetime


@dataclass(frozen=True, slots=True)
class Wait:
    """It was not delivered, and waits until somebody can be reached. `asked` and
    `contact_lost` are those of `errors.UnreachableError`."""

    name: ClassVar[str] = "waiting"
    error: str
    asked: bool
    contact_lost: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """It may have been sent: it is sent once more, marked."""

    name: ClassVar[str] = "unknown"
    error: str
    not_before: datetime | None


@dataclass(frozen=True, slots=True)
class GiveUp:
    """It never will be delivered, nor will what follows it in its reply."""

    name: ClassVar[str] = "given_up"
    error: str


Verdict = TryAgain | Wait | Repeat | GiveUp
"""What becomes of a chunk that was not delivered; its `name` is what metrics call it."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What a report has changed. `verdict` is what becomes of a chunk that failed;
    `wakes` says whether its conversation has something to do now."""

    chunk: Chunk
    conversation: Conversation
    verdict: Verdict | None
    wakes: bool


class Observer(Protocol):
    """Hears of what happens, at once: none of its methods may block or raise."""

    def received(self, channel: str, kind: ReceiptKind) -> None:
        """A message came, and that became of it."""
        ...

    def turn_ended(self, state: InboxState, seconds: float) -> None:
        """A turn came to an end, or to one that is tried again, after so long."""
        ...

    def chunk(self, channel: str, outcome: str) -> None:
        """A chunk was sent, its provider told of it, or it was not delivered."""
        ...


class Retries:
    """Judges failures by the settings of `delivery`."""

    def __init__(self, settings: Swappable[Settings]) -> None:
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
        bounds = self._settings.value.delivery
        give_up_after = timedelta(hours=bounds.give_up_after_hours)
        return chunk.attempts < bounds.attempts and now - refused_since < give_up_after


def judge_report(chunk: Chunk, report: DeliveryReport) -> OutboxState | SendError | None:
    """How far a chunk has got by a report, or why it was not delivered; None when the
    report is old, or tells nothing new."""
    match report.stage:
        case DeliveryStage.READ:
            return OutboxState.READ if chunk.state is not OutboxState.READ else None
        case DeliveryStage.DELIVERED:
            return OutboxState.DELIVERED if chunk.state not in chunk_states.ARRIVED else None
        case DeliveryStage.SENT:
            is_news = chunk.state is not OutboxState.SENT and _is_present_copy(chunk, report)
            return OutboxState.SENT if is_news else None
        case DeliveryStage.FAILED:
            return _failure(report) if _is_present_copy(chunk, report) else None


def settle_report(
    session: Session, channel: str, report: DeliveryReport, policy: Retries, now: datetime
) -> Settled | None:
    """Write what a report of `channel` tells, within the caller's transaction; None when
    it changes nothing."""
    chunk = outbox.get(session, report.outbox_id)
    if chunk is None or chunk.sent_at is None:
        # What no channel ever got was a chunk of an earlier outbox.
        return None
    conversation = conversations.get(session, chunk.conversation_id)
    if conversation is None or conversation.channel != channel:
        return None
    is_first_failure = (
        report.stage is DeliveryStage.FAILED and report.provider_id not in chunk.failed_ids
    )
    if is_first_failure:
        chunk_states.note_failed(session, chunk, report.provider_id)
    if report.of_question:
        return _not_asked(session, chunk, conversation, report) if is_first_failure else None
    news = judge_report(chunk, report)
    if news is None:
        return None
    if isinstance(news, OutboxState):
        chunk_states.mark_reported(
            session,
            chunk.outbox_id,
            report.provider_id,
            news,
            next_not_before=_holds_until(chunk, news, now),
        )
        return Settled(chunk, conversation, None, wakes=news in chunk_states.ARRIVED)
    verdict = policy.judge(chunk, _reconsidered(news, chunk, conversation.contact), now)
    wakes = write_verdict(session, chunk, verdict, now)
    return Settled(chunk, conversation, verdict, wakes=wakes)


def write_verdict(session: Session, chunk: Chunk, verdict: Verdict, now: datetime) -> bool:
    """Write what becomes of a chunk; returns whether there is something to do now, or
    once its time has come, rather than when somebody can be reached."""
    match verdict:
        case TryAgain():
            chunk_states.mark_refused(
                session,
                chunk.outbox_id,
                error=verdict.error,
                now=now,
                not_before=verdict.not_before,
            )
        case Repeat():
            chunk_states.mark_unknown(
                session, chunk.outbox_id, error=verdict.error, not_before=verdict.not_before
            )
        case GiveUp():
            chunk_states.end_reply(session, chunk, error=verdict.error)
        case Wait():
            return _write_waiting(session, chunk, verdict, now)
    return True


def log_verdict(chunk: Chunk, verdict: Verdict, now: datetime) -> None:
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


def _holds_until(chunk: Chunk, news: OutboxState, now: datetime) -> datetime | None:
    """Until when the next chunk waits for more; it may be by this report alone that the
    present one is known to have been taken."""
    if news is not OutboxState.SENT:
        return None
    return chunk.not_before if chunk.state is OutboxState.QUEUED else now + CONFIRM


def _not_asked(
    session: Session, chunk: Chunk, conversation: Conversation, report: DeliveryReport
) -> Settled:
    """Nobody was asked to write. The next time that something is to be sent they are; what
    waits says so until then, and is not tried at once: that would ask again and again."""
    conversations.forget_asked(session, conversation.conversation_id)
    verdict = None
    if chunk.state is OutboxState.PENDING and chunk.not_before is None:
        verdict = Wait(str(_failure(report)), asked=False, contact_lost=False)
        chunk_states.mark_waiting(session, chunk.outbox_id, error=verdict.error)
    return Settled(chunk, conversation, verdict, wakes=False)


def _is_present_copy(chunk: Chunk, report: DeliveryReport) -> bool:
    """Whether a report is about the copy that was sent last. While it is being sent, or
    nobody knows whether it was, any counts that has not failed before."""
    if chunk.state in outbox.ON_ITS_WAY:
        return report.provider_id == chunk.provider_id
    return chunk.state in IN_THE_MIDDLE and report.provider_id not in chunk.failed_ids


def _failure(report: DeliveryReport) -> SendError:
    """Why a copy failed. Of one that the provider reports on, the outcome is known."""
    failure = report.failure
    if failure is None:
        return RetryableSendError("it was not delivered, and the provider does not say why")
    return RetryableSendError(str(failure)) if isinstance(failure, UnknownSendError) else failure


def _reconsidered(failure: SendError, chunk: Chunk, contact: Contact) -> SendError:
    """Somebody who could not be reached, and has written since, can be: it is not waited
    for them, but tried again soon."""
    if (
        isinstance(failure, UnreachableError)
        and chunk.sent_at is not None
        and contact.written_at is not None
        and contact.written_at > chunk.sent_at
    ):
        return RetryableSendError(str(failure))
    return failure


def _write_waiting(session: Session, chunk: Chunk, verdict: Wait, now: datetime) -> bool:
    """A person whose last message does not count, as it turns out, may be reached in
    another way: the channel is asked once more."""
    since = chunk.sent_at or now
    chunk_states.mark_waiting(session, chunk.outbox_id, error=verdict.error)
    if verdict.asked:
        conversations.note_asked(session, chunk.conversation_id, now, since=since)
    return verdict.contact_lost and conversations.lose_contact(
        session, chunk.conversation_id, before=since
    )
