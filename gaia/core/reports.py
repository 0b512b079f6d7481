"""Reports: what a provider tells of a chunk after it has taken it, or while it takes it.

They come late, twice, in any order, and of each copy of a chunk apart. A chunk never goes
back from where it has got to, and is never sent again once any copy has arrived. That a
copy failed counts for the present one alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from gaia.core import retries
from gaia.core.retries import Retries, Verdict, Wait
from gaia.errors import RetryableSendError, SendError, UnknownSendError, UnreachableError
from gaia.messages import Contact, DeliveryReport, DeliveryStage
from gaia.store import conversations, outbox, sending
from gaia.store.conversations import Conversation
from gaia.store.outbox import Chunk
from gaia.store.tables import OutboxState

CONFIRM_SECONDS = 10
"""So long a chunk, or the repeat of one, waits for what the provider tells of the one
that was sent last. Most are delivered within two seconds."""

CONFIRM = timedelta(seconds=CONFIRM_SECONDS)

IN_THE_MIDDLE = (OutboxState.SENDING, OutboxState.UNKNOWN)
"""The states in which nobody knows yet what the provider calls the present copy."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What a report has changed. `verdict` is what becomes of a chunk that failed;
    `wakes` says whether its conversation has something to do now."""

    chunk: Chunk
    conversation: Conversation
    verdict: Verdict | None
    wakes: bool


def judge(chunk: Chunk, report: DeliveryReport) -> OutboxState | SendError | None:
    """How far a chunk has got by a report, or why it was not delivered; None when the
    report is old, or tells nothing new."""
    match report.stage:
        case DeliveryStage.READ:
            return OutboxState.READ if chunk.state is not OutboxState.READ else None
        case DeliveryStage.DELIVERED:
            return OutboxState.DELIVERED if chunk.state not in sending.ARRIVED else None
        case DeliveryStage.SENT:
            is_news = chunk.state is not OutboxState.SENT and _is_present_copy(chunk, report)
            return OutboxState.SENT if is_news else None
        case DeliveryStage.FAILED:
            return _failure(report) if _is_present_copy(chunk, report) else None


def settle(
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
        sending.note_failed(session, chunk, report.provider_id)
    if report.of_question:
        return _not_asked(session, chunk, conversation, report) if is_first_failure else None
    news = judge(chunk, report)
    if news is None:
        return None
    if isinstance(news, OutboxState):
        sending.mark_reported(
            session,
            chunk.outbox_id,
            report.provider_id,
            news,
            next_not_before=_holds_until(chunk, news, now),
        )
        return Settled(chunk, conversation, None, wakes=news in sending.ARRIVED)
    verdict = policy.judge(chunk, _reconsidered(news, chunk, conversation.contact), now)
    wakes = retries.write(session, chunk, verdict, now)
    return Settled(chunk, conversation, verdict, wakes=wakes)


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
        sending.mark_waiting(session, chunk.outbox_id, error=verdict.error)
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
