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
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Concatenate, ParamSpec
from weakref import WeakKeyDictionary

from sqlalchemy.orm import Session

from gaia.clock import time_left
from gaia.core import outcomes, reminder_chunks
from gaia.core.outcomes import CONFIRM, GiveUp, Observer, Retries, Settled, Verdict
from gaia.core.patience import kept
from gaia.core.shares import ALL, Share
from gaia.core.workers import Workers
from gaia.errors import SendError, UnknownSendError
from gaia.logs import turn_in_log
from gaia.messages import DeliveryReport, Outbound
from gaia.ports import Channel, Clock
from gaia.settings.schema import Settings
from gaia.store import chunk_states, forgets, inbox, outbox
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.inbox import Answered
from gaia.store.outbox import Chunk, Due
from gaia.store.people import departures
from gaia.store.tables import OutboxState
from gaia.swappable import Lease, Swappable

logger = logging.getLogger(__name__)

AT_ONCE = timedelta(0)

P = ParamSpec("P")

INTERRUPTED = "gaia was interrupted while it was sent"


@dataclass(frozen=True, slots=True)
class _Begun:
    """A chunk that is marked as being sent, and what its channel gets."""

    chunk: Chunk
    channel: Channel
    outbound: Outbound
    user_id: str


_Step = _Begun | timedelta | None
"""What to do next in a conversation: a chunk to send, or when to look again."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """What becomes of a chunk that was not sent, and when to go on; no verdict if a report
    has told it first."""

    wait: timedelta | None
    verdict: Verdict | None = None


class Delivery:
    """Sends what waits in the outbox. `faded` is called once something incognito has gone."""

    def __init__(
        self,
        *,
        database: Database,
        channels: Mapping[str, Channel],
        clock: Clock,
        settings: Swappable[Settings],
        observer: Observer,
        faded: Callable[[], None] = lambda: None,
        share: Share[int] = ALL,
    ) -> None:
        self._database = database
        self._channels = channels
        self._clock = clock
        self._retries = Retries(settings)
        self._observer = observer
        self._faded = faded
        self._listening: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        self._uses: WeakKeyDictionary[Channel, Lease] = WeakKeyDictionary()
        self._workers = Workers("delivery", self._work, clock, share)

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
        if settled is not None and settled.chunk.is_incognito:
            self._faded()
        if settled is not None and settled.wakes:
            self.wake(settled.chunk.conversation_id)
        if settled is None:
            logger.debug("a report on chunk %d tells nothing new", report.outbox_id)
        elif settled.verdict is not None:
            outcomes.log_verdict(settled.chunk, settled.verdict, now)
            self._observer.chunk(channel, settled.verdict.name)
        elif not report.of_question:
            self._observer.chunk(channel, report.stage.value)

    def _settle(
        self, session: Session, channel: str, report: DeliveryReport, now: datetime
    ) -> Settled | None:
        settled = outcomes.settle_report(session, channel, report, self._retries, now)
        if settled is not None and settled.chunk.is_incognito:
            forgets.fade(session, settled.conversation.user_id, now)
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
            await use.returned()

    def _listen(self, conversation: Conversation) -> None:
        """Have the conversation woken when somebody listens on its chat again."""
        place = (conversation.channel, conversation.chat)
        self._listening[place].add(conversation.conversation_id)

    async def _work(self, conversation_id: int) -> timedelta | None:
        begun = await self._with_channels(self._begin, conversation_id)
        while isinstance(begun, _Begun):
            with turn_in_log(begun.chunk.turn_id), self._use(begun.channel):
                begun = await self._send(begun)
        return begun

    async def _send(self, begun: _Begun) -> _Step:
        """Send a chunk; returns the next one if that may follow at once."""
        channel, chunk = begun.channel, begun.chunk
        try:
            provider_id = await channel.send(begun.outbound)
        except SendError as exc:
            return await self._not_sent(channel, chunk, exc)
        except Exception as exc:
            logger.exception("channel %s failed to send chunk %d", channel.name, chunk.outbox_id)
            outcome = UnknownSendError(f"the channel failed: {type(exc).__name__}")
            return await self._not_sent(channel, chunk, outcome)
        state = OutboxState.QUEUED if channel.reports else OutboxState.SENT
        confirmed_by = self._clock.now() + CONFIRM if channel.reports else None
        taken = partial(self._with_channels, self._taken, begun, provider_id, state, confirmed_by)
        step = await kept(self._clock, taken)
        self._observer.chunk(channel.name, state.value)
        if chunk.is_incognito:
            self._faded()
        return step

    async def _not_sent(self, channel: Channel, read: Chunk, exc: SendError) -> timedelta | None:
        now = self._clock.now()
        repeat_not_before = now + CONFIRM if channel.reports else None
        judge = partial(self._database.write, self._judge, read, exc, now, repeat_not_before)
        judged = await kept(self._clock, judge)
        if judged.verdict is not None:
            outcomes.log_verdict(read, judged.verdict, now)
            self._observer.chunk(channel.name, judged.verdict.name)
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
        goes_on = outcomes.write_verdict(session, chunk, verdict, now)
        return _Judged(AT_ONCE if goes_on else None, verdict)

    def _begin(
        self, session: Session, channels: Mapping[str, Channel], conversation_id: int
    ) -> _Step:
        """Mark the next chunk as being sent, or say when to look again."""
        due = outbox.next_due(session, conversation_id)
        channel = channels.get(due.conversation.channel) if due else None
        if due is None or channel is None:
            return None
        now, chunk = self._clock.now(), due.chunk
        if not (due.is_theirs or chunk.is_farewell):
            verdict = GiveUp(departures.NOT_THEIRS)
            outcomes.write_verdict(session, chunk, verdict, now)
            outcomes.log_verdict(chunk, verdict, now)
            return AT_ONCE
        if wait := time_left(chunk.not_before, now):
            return wait
        if due.held_until is not None and now < due.held_until <= now + CONFIRM:
            return due.held_until - now
        if chunk.state is OutboxState.SENDING and channel.reports:
            # A crash has left the outcome unknown. The provider may still tell it.
            chunk_states.mark_unknown(
                session, chunk.outbox_id, error=INTERRUPTED, not_before=now + CONFIRM
            )
            return CONFIRM
        due = reminder_chunks.leaving(session, due, channel, now)
        if due is None:
            return AT_ONCE
        chunk = due.chunk
        # Reachability may change once this is committed: by then it is asked to hear of it.
        self._listen(due.conversation)
        is_repeat = chunk.repeated or chunk.state in outcomes.IN_THE_MIDDLE
        chunk_states.begin(session, chunk.outbox_id, repeated=is_repeat, now=now)
        answered = inbox.answered(session, chunk.turn_id) if chunk.turn_id else Answered()
        return _Begun(
            chunk, channel, _outbound(due, answered, is_repeat=is_repeat), due.conversation.user_id
        )

    def _taken(
        self,
        session: Session,
        channels: Mapping[str, Channel],
        begun: _Begun,
        provider_id: str,
        state: OutboxState,
        confirmed_by: datetime | None,
    ) -> _Step:
        """Mark a chunk as taken, and begin with the next."""
        chunk = begun.chunk
        is_news = chunk_states.mark_taken(
            session, chunk.outbox_id, provider_id, state=state, next_not_before=confirmed_by
        )
        if chunk.is_incognito:
            forgets.fade(session, begun.user_id, self._clock.now())
        if not is_news and _next_step(outbox.get(session, chunk.outbox_id)) is None:
            return None
        if self._workers.closed:
            return AT_ONCE
        return self._begin(session, channels, chunk.conversation_id)

    async def _with_channels(
        self,
        function: Callable[Concatenate[Session, Mapping[str, Channel], P], _Step],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> _Step:
        """Write with a look at the channels: one that is replaced meanwhile is waited for."""
        channels = dict(self._channels)
        with ExitStack() as used:
            for channel in channels.values():
                used.enter_context(self._use(channel))
            return await self._database.write(function, channels, *args, **kwargs)

    def _use(self, channel: Channel) -> Lease:
        return self._uses.setdefault(channel, Lease())


def _next_step(chunk: Chunk | None) -> timedelta | None:
    """When to go on after a chunk. One that has been reported as undelivered while it was
    sent may wait until somebody can be reached."""
    waits = chunk is not None and chunk.state is OutboxState.PENDING and chunk.not_before is None
    return None if waits else AT_ONCE


def _outbound(due: Due, answered: Answered, *, is_repeat: bool) -> Outbound:
    chunk, conversation = due.chunk, due.conversation
    return Outbound(
        outbox_id=chunk.outbox_id,
        chat=conversation.chat,
        text=chunk.text,
        seq=chunk.seq,
        final=chunk.final,
        turn_id=chunk.turn_id,
        in_reply_to=answered.provider_message_ids,
        is_repeat=is_repeat,
        is_failure=answered.is_failed,
        buttons=chunk.buttons,
        file=due.file,
        contact=conversation.contact,
        is_incognito=conversation.is_incognito,
    )
