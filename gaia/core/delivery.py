"""Delivery: chunks leave the outbox one after the other, in the order of their ids.

A chunk is marked as being sent before the channel gets it, so that a crash in
between is known: its outcome is unknown, and it is sent once more, marked as a
possible repeat. A channel that cannot tell the outcome of the repeat either has
had its chance: the chunk is dead, and shown as such. A dead chunk ends its reply:
what follows would make no sense without it.

Some providers tell later what became of a chunk. The next one waits for that, though not
for long, since chunks that are sent in order may arrive in another one; so does the repeat
of one whose outcome is unknown. All that is known stands in the outbox.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from weakref import WeakKeyDictionary

from sqlalchemy.orm import Session

from gaia.core import reports, retries
from gaia.core.observing import Observer, outcome_of
from gaia.core.reports import Settled
from gaia.core.retries import Retries, Verdict
from gaia.core.workers import Workers
from gaia.current import Current, Use
from gaia.errors import SendError, UnknownSendError
from gaia.logs import turn_in_log
from gaia.messages import DeliveryReport, Outbound
from gaia.ports import Channel, Clock
from gaia.settings.schema import Settings
from gaia.store import conversations, inbox, outbox, outbox_files, sending
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.inbox import Answered
from gaia.store.outbox import Chunk
from gaia.store.tables import OutboxState

logger = logging.getLogger(__name__)

CONFIRM_SECONDS = 10
"""So long a chunk, or the repeat of one, waits for what the provider tells of the one
that was sent last. Most are delivered within two seconds."""

CONFIRM = timedelta(seconds=CONFIRM_SECONDS)
AT_ONCE = timedelta(0)

INTERRUPTED = "gaia was interrupted while it was sent"


@dataclass(frozen=True, slots=True)
class _Due:
    """The next chunk of a conversation, what it answers, and until when it waits for what
    a provider tells of the one before."""

    chunk: Chunk
    conversation: Conversation
    answered: Answered
    confirmed_by: datetime | None


@dataclass(frozen=True, slots=True)
class _Judged:
    """What becomes of a chunk that was not sent, and when to go on; no verdict if a report
    has told it first."""

    wait: timedelta | None
    verdict: Verdict | None = None


class Delivery:
    """Sends what waits in the outbox."""

    def __init__(
        self,
        *,
        database: Database,
        channels: Mapping[str, Channel],
        clock: Clock,
        settings: Current[Settings],
        observer: Observer,
    ) -> None:
        self._database = database
        self._channels = channels
        self._clock = clock
        self._retries = Retries(settings)
        self._observer = observer
        self._listening: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        self._uses: WeakKeyDictionary[Channel, Use] = WeakKeyDictionary()
        self._workers = Workers("delivery", self._work, clock)

    def wake(self, conversation_id: int) -> None:
        """Say that a chunk waits in the outbox."""
        self._workers.wake(conversation_id)

    def reachable(self, channel: str, chat: str) -> None:
        """Say that somebody listens on a chat again."""
        for conversation_id in tuple(self._listening.pop((channel, chat), ())):
            self.wake(conversation_id)

    async def reported(self, channel: str, report: DeliveryReport) -> None:
        """Keep what became of a chunk that the channel had taken, and go on.

        Raises:
            StoreError: That cannot be stored.
        """
        now = self._clock.now()
        settled = await self._database.write(self._settle, channel, report, now)
        if settled is not None and settled.wakes:
            self.wake(settled.chunk.conversation_id)
        if settled is None:
            logger.debug("a report on chunk %d tells nothing new", report.outbox_id)
        elif settled.verdict is not None:
            retries.log(settled.chunk, settled.verdict, now)
            self._observer.chunk(channel, outcome_of(settled.verdict))
        elif not report.of_question:
            self._observer.chunk(channel, report.stage.value)

    def _settle(
        self, session: Session, channel: str, report: DeliveryReport, now: datetime
    ) -> Settled | None:
        settled = reports.settle(session, channel, report, self._retries, now)
        if settled is not None:
            self._listen(settled.conversation)
        return settled

    async def recover(self) -> None:
        """At start: take up what an earlier process left."""
        waiting = await self._database.read(outbox.open_conversations)
        for conversation_id in waiting:
            self.wake(conversation_id)

    async def flush(self) -> None:
        """Return when all that channels take at once has been sent, and send no more."""
        await self._workers.flush()

    async def cancel(self) -> None:
        """Interrupt all sending, to be taken up at the next start."""
        await self._workers.cancel()

    async def sent_all(self, channel: Channel) -> None:
        """Return when the channel sends nothing at the moment."""
        use = self._uses.get(channel)
        if use is not None:
            await use.over()

    def _listen(self, conversation: Conversation) -> None:
        """Have the conversation woken when somebody listens on its chat again."""
        place = (conversation.channel, conversation.chat)
        self._listening[place].add(conversation.conversation_id)

    async def _work(self, conversation_id: int) -> timedelta | None:
        due = await self._database.read(_next, conversation_id)
        if due is None:
            return None
        chunk, confirmed_by = due.chunk, due.confirmed_by
        channel = self._channels.get(due.conversation.channel)
        if channel is None:
            return None
        now = self._clock.now()
        if chunk.not_before is not None and chunk.not_before > now:
            return chunk.not_before - now
        if confirmed_by is not None and now < confirmed_by <= now + CONFIRM:
            return confirmed_by - now
        with turn_in_log(chunk.turn_id):
            if chunk.state is OutboxState.SENDING and channel.reports:
                return await self._await_report(chunk)
            # From this look at the channels on: one that is replaced is waited for.
            with self._uses.setdefault(channel, Use()):
                return await self._send(channel, due)

    async def _send(self, channel: Channel, due: _Due) -> timedelta | None:
        chunk = due.chunk
        # Reachability may change from here on: ask to hear of it before it is read.
        self._listen(due.conversation)
        outbound = await self._database.write(_begin, chunk, due.answered, self._clock.now())
        if outbound is None:
            return AT_ONCE
        try:
            provider_id = await channel.send(outbound)
        except SendError as exc:
            return await self._not_sent(channel, chunk, exc)
        except Exception as exc:
            logger.exception("channel %s failed to send chunk %d", channel.name, chunk.outbox_id)
            outcome = UnknownSendError(f"the channel failed: {type(exc).__name__}")
            return await self._not_sent(channel, chunk, outcome)
        return await self._taken(channel, chunk, provider_id)

    async def _taken(self, channel: Channel, read: Chunk, provider_id: str) -> timedelta | None:
        state = OutboxState.QUEUED if channel.reports else OutboxState.SENT
        confirmed_by = self._clock.now() + CONFIRM if channel.reports else None
        chunk = await self._database.write(_mark_taken, read, provider_id, state, confirmed_by)
        self._observer.chunk(channel.name, state.value)
        return _next_step(chunk)

    async def _not_sent(self, channel: Channel, read: Chunk, exc: SendError) -> timedelta | None:
        now = self._clock.now()
        repeat_not_before = now + CONFIRM if channel.reports else None
        judged = await self._database.write(self._judge, read, exc, now, repeat_not_before)
        if judged.verdict is not None:
            retries.log(read, judged.verdict, now)
            self._observer.chunk(channel.name, outcome_of(judged.verdict))
        return judged.wait

    def _judge(
        self,
        session: Session,
        read: Chunk,
        exc: SendError,
        now: datetime,
        repeat_not_before: datetime | None,
    ) -> _Judged:
        chunk = outbox.get(session, read.outbox_id)
        if chunk is None or chunk.state is not OutboxState.SENDING:
            # A report, which knows better, has come first.
            return _Judged(_next_step(chunk))
        verdict = self._retries.judge(chunk, exc, now, repeat_not_before=repeat_not_before)
        goes_on = retries.write(session, chunk, verdict, now)
        return _Judged(AT_ONCE if goes_on else None, verdict)

    async def _await_report(self, read: Chunk) -> timedelta:
        """A crash has left the outcome unknown. The provider may still tell it."""
        not_before = self._clock.now() + CONFIRM
        await self._database.write(_mark_unknown, read, not_before)
        return AT_ONCE


def _next_step(chunk: Chunk | None) -> timedelta | None:
    """When to go on after a chunk. One that has been reported as undelivered while it was
    sent may wait until somebody can be reached."""
    waits = chunk is not None and chunk.state is OutboxState.PENDING and chunk.not_before is None
    return None if waits else AT_ONCE


def _next(session: Session, conversation_id: int) -> _Due | None:
    conversation = conversations.get(session, conversation_id)
    chunk = outbox.next_chunk(session, conversation_id)
    if conversation is None or chunk is None:
        return None
    return _Due(
        chunk,
        conversation,
        inbox.answered(session, chunk.turn_id) if chunk.turn_id else Answered(),
        sending.next_not_before(session, conversation_id),
    )


def _begin(session: Session, read: Chunk, answered: Answered, now: datetime) -> Outbound | None:
    """Mark a chunk as being sent; None when it has changed since it was read."""
    chunk = outbox.get(session, read.outbox_id)
    conversation = conversations.get(session, read.conversation_id)
    if chunk != read or conversation is None:
        return None
    is_repeat = chunk.repeated or chunk.state in reports.IN_THE_MIDDLE
    sending.begin(session, chunk.outbox_id, repeated=is_repeat, now=now)
    return Outbound(
        outbox_id=chunk.outbox_id,
        chat=conversation.chat,
        text=chunk.text,
        seq=chunk.seq,
        final=chunk.final,
        turn_id=chunk.turn_id,
        in_reply_to=answered.provider_message_ids,
        is_repeat=is_repeat,
        is_failure=answered.in_vain,
        buttons=chunk.buttons,
        file=outbox_files.of_chunk(session, chunk.outbox_id),
        contact=conversation.contact,
    )


def _mark_taken(
    session: Session,
    read: Chunk,
    provider_id: str,
    state: OutboxState,
    confirmed_by: datetime | None,
) -> Chunk | None:
    sending.mark_taken(
        session, read.outbox_id, provider_id, state=state, next_not_before=confirmed_by
    )
    return outbox.get(session, read.outbox_id)


def _mark_unknown(session: Session, read: Chunk, not_before: datetime) -> None:
    chunk = outbox.get(session, read.outbox_id)
    if chunk is not None and chunk.state is OutboxState.SENDING:
        sending.mark_unknown(session, chunk.outbox_id, error=INTERRUPTED, not_before=not_before)
