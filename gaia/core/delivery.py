"""Delivery: chunks leave the outbox one after the other, in the order of their ids.

A chunk is marked as being sent before the channel gets it, so that a crash in
between is known: its outcome is unknown, and it is sent once more, marked as a
possible repeat. A channel that cannot tell the outcome of the repeat either has
had its chance: the chunk is dead, and shown as such. A dead chunk ends its reply:
what follows would make no sense without it.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta

from gaia.core.workers import Workers
from gaia.errors import (
    RetryableSendError,
    SendError,
    UnknownSendError,
    UnreachableError,
)
from gaia.logs import turn_in_log
from gaia.messages import DeliveryReport, Outbound
from gaia.ports import Channel, Clock
from gaia.settings.schema import DeliverySettings
from gaia.store import conversations, inbox, outbox
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.inbox import Answered
from gaia.store.outbox import Chunk
from gaia.store.tables import OutboxState

logger = logging.getLogger(__name__)

SHORTEST_RETRY = timedelta(milliseconds=200)
"""However soon a channel wants a chunk again, one that refuses is not asked in a loop."""

FIRST_RETRY = timedelta(seconds=1)
LONGEST_RETRY = timedelta(minutes=5)


class Delivery:
    """Sends what waits in the outbox."""

    def __init__(
        self,
        *,
        database: Database,
        channels: Mapping[str, Channel],
        clock: Clock,
        settings: DeliverySettings,
    ) -> None:
        self._database = database
        self._channels = channels
        self._clock = clock
        self._attempts = settings.attempts
        self._give_up_after = timedelta(hours=settings.give_up_after_hours)
        self._unreachable: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        self._workers = Workers("delivery", self._work, clock)

    def wake(self, conversation_id: int) -> None:
        """Say that a chunk waits in the outbox."""
        self._workers.wake(conversation_id)

    def reachable(self, channel: str, chat: str) -> None:
        """Say that somebody listens on a chat again."""
        for conversation_id in self._unreachable.pop((channel, chat), ()):
            self.wake(conversation_id)

    async def reported(self, channel: str, report: DeliveryReport) -> None:
        """Keep what became of a chunk that the channel had taken, and go on.

        Raises:
            StoreError: That cannot be stored.
        """
        raise NotImplementedError

    async def recover(self) -> None:
        """At start: take up what an earlier process left."""
        async with self._database.read() as session:
            waiting = await outbox.open_conversations(session)
        for conversation_id in waiting:
            self.wake(conversation_id)

    async def flush(self) -> None:
        """Return when all that channels take at once has been sent, and send no more."""
        await self._workers.flush()

    async def cancel(self) -> None:
        """Interrupt all sending, to be taken up at the next start."""
        await self._workers.cancel()

    async def _work(self, conversation_id: int) -> timedelta | None:
        async with self._database.read() as session:
            conversation = await conversations.get(session, conversation_id)
            chunk = await outbox.next_chunk(session, conversation_id)
            if conversation is None or chunk is None:
                return None
            answered = await inbox.answered(session, chunk.turn_id) if chunk.turn_id else Answered()
        channel = self._channels.get(conversation.channel)
        if channel is None:
            return None
        now = self._clock.now()
        if chunk.not_before is not None and chunk.not_before > now:
            return chunk.not_before - now
        with turn_in_log(chunk.turn_id):
            return await self._send(channel, conversation, chunk, answered)

    async def _send(
        self, channel: Channel, conversation: Conversation, chunk: Chunk, answered: Answered
    ) -> timedelta | None:
        is_repeat = chunk.repeated or chunk.state in (OutboxState.SENDING, OutboxState.UNKNOWN)
        async with self._database.write() as session:
            await outbox.mark_sending(session, chunk.outbox_id, repeated=is_repeat)
        outbound = Outbound(
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
        )
        # Reachability may change while the channel looks: ask to hear of it first.
        place = (conversation.channel, conversation.chat)
        self._unreachable[place].add(conversation.conversation_id)
        try:
            provider_id = await channel.send(outbound)
        except SendError as exc:
            return await self._not_sent(chunk, exc, is_repeat=is_repeat)
        except Exception as exc:
            logger.exception("channel %s failed to send chunk %d", channel.name, chunk.outbox_id)
            outcome = UnknownSendError(f"the channel failed: {type(exc).__name__}")
            return await self._not_sent(chunk, outcome, is_repeat=is_repeat)
        self._unreachable[place].discard(conversation.conversation_id)
        async with self._database.write() as session:
            await outbox.mark_sent(session, chunk.outbox_id, provider_id, self._clock.now())
        return timedelta(0)

    async def _not_sent(self, chunk: Chunk, exc: SendError, *, is_repeat: bool) -> timedelta | None:
        match exc:
            case UnreachableError():
                await self._mark(chunk, OutboxState.PENDING, str(exc))
                return None
            case UnknownSendError() if not is_repeat:
                await self._mark(chunk, OutboxState.UNKNOWN, str(exc))
                return timedelta(0)
            case RetryableSendError() if self._may_try_again(chunk):
                return await self._try_again(chunk, exc)
            case _:
                logger.error("chunk %d is dead: %s", chunk.outbox_id, exc)
                async with self._database.write() as session:
                    await outbox.end_reply(session, chunk, error=str(exc))
                return timedelta(0)

    def _may_try_again(self, chunk: Chunk) -> bool:
        now = self._clock.now()
        refused_since = chunk.refused_since or now
        return chunk.attempts + 1 < self._attempts and now - refused_since < self._give_up_after

    async def _try_again(self, chunk: Chunk, exc: RetryableSendError) -> timedelta:
        wait = retry_after(exc, chunk.attempts)
        now = self._clock.now()
        logger.info("chunk %d waits for %.1f s: %s", chunk.outbox_id, wait.total_seconds(), exc)
        async with self._database.write() as session:
            await outbox.mark_refused(
                session, chunk.outbox_id, error=str(exc), now=now, not_before=now + wait
            )
        return wait

    async def _mark(self, chunk: Chunk, state: OutboxState, error: str) -> None:
        logger.info("chunk %d is %s: %s", chunk.outbox_id, state, error)
        async with self._database.write() as session:
            await outbox.mark(session, chunk.outbox_id, state, error=error)


def retry_after(exc: RetryableSendError, attempts: int) -> timedelta:
    """The channel's own wish, else a pause that doubles with each attempt."""
    if exc.after_seconds is not None:
        return max(timedelta(seconds=exc.after_seconds), SHORTEST_RETRY)
    doublings = min(attempts, 16)
    return min(FIRST_RETRY * (1 << doublings), LONGEST_RETRY)
