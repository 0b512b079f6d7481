"""One client of the terminal channel, from its welcome until it goes.

The attachment queues what the client is to get, so that a slow or stuck
client never holds up the daemon, and knows which chunks the client printed.
Who gets what is decided in `channels.terminal`.
"""

from __future__ import annotations

import asyncio
import logging
from base64 import b64encode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from channels.terminal_wire import (
    ChunkFrame,
    ClientFrame,
    FileFrame,
    HelloFrame,
    ServerFrame,
    TurnEndedFrame,
    TurnStartedFrame,
    TurnTextFrame,
    TurnToolFrame,
    decode_client_frame,
    encode,
)
from gaia.clock import first_of, within
from gaia.errors import UnknownSendError, UnreachableError, WireError
from gaia.messages import Outbound, TurnEnded, TurnEvent, TurnStarted, TurnText, TurnTool
from gaia.ports import Clock

logger = logging.getLogger(__name__)

ACK_SECONDS = 30.0
"""How long a client may take to print a chunk before it is dismissed as stuck."""

BACKLOG_FRAMES = 200
"""With that many frames unwritten, previews are dropped and no more is read."""


class Connection(Protocol):
    """Text messages both ways. Nothing of a web framework passes it."""

    async def read(self) -> str | None:
        """Return the next message, or `None` when the other side is gone."""
        ...

    async def write(self, text: str) -> None:
        """Send a message. Raises `ConnectionError` when the other side is gone."""
        ...


@dataclass(slots=True)
class _Delivery:
    """A chunk on its way. It is settled once the client printed it, or left."""

    written: bool = False
    printed: bool = False
    settled: asyncio.Event = field(default_factory=asyncio.Event)

    def settle(self, printed: bool) -> None:
        if not self.settled.is_set():
            self.printed = printed
            self.settled.set()


class Attachment:
    """A client that is attached to one chat."""

    def __init__(self, hello: HelloFrame, clock: Clock) -> None:
        self.chat = hello.user
        self.client_id = hello.client_id
        self.interactive = hello.interactive
        self._clock = clock
        self._frames: asyncio.Queue[ServerFrame] = asyncio.Queue()
        self._room = asyncio.Event()
        self._room.set()
        self._dismissed = asyncio.Event()
        self._deliveries: dict[int, _Delivery] = {}
        self._unanswered = dict.fromkeys(hello.waiting, hello.interactive)
        self._previewed: set[str] = set()

    def wrote(self, client_message_id: str, wants_preview: bool) -> None:
        """Note that the client is the author of a message, and awaits its reply."""
        self._unanswered[client_message_id] = wants_preview

    def awaits(self, message_ids: tuple[str, ...]) -> bool:
        """Whether the client wrote one of the messages."""
        return any(message_id in self._unanswered for message_id in message_ids)

    def offer(self, frame: ServerFrame) -> None:
        """Queue a frame. Never blocks."""
        self._frames.put_nowait(frame)
        if self._frames.qsize() >= BACKLOG_FRAMES:
            self._room.clear()

    def preview(self, event: TurnEvent) -> None:
        """Queue a preview, if the client asked for one of this turn; and that there is no answer,
        if it awaits one.

        A client that falls behind loses the rest of the turn's preview, since
        one with a hole would be worse than none.
        """
        if isinstance(event, TurnEnded) and self.awaits(event.unanswered):
            for message_id in event.unanswered:
                self._unanswered.pop(message_id, None)
            self._previewed.discard(event.turn_id)
            self.offer(_preview_frame(event))
            return
        if isinstance(event, TurnStarted):
            if not any(self._unanswered.get(message_id) for message_id in event.in_reply_to):
                return
            self._previewed.add(event.turn_id)
        if event.turn_id not in self._previewed:
            return
        if isinstance(event, TurnEnded) or not self._room.is_set():
            self._previewed.discard(event.turn_id)
        if self._room.is_set():
            self.offer(_preview_frame(event))

    async def deliver(self, outbound: Outbound, content: bytes | None = None) -> None:
        """Send a chunk, with the content of its file, and return when the client has printed it.

        A client that does not answer in time is dismissed: it gets the chunk
        again when it wakes up and attaches again, and drops it if it is a copy.

        Raises:
            UnreachableError: The chunk was not sent.
            UnknownSendError: It was sent, and the client left without a word.
        """
        delivery = _Delivery()
        self._deliveries[outbound.outbox_id] = delivery
        try:
            self.offer(self._chunk_frame(outbound, content))
            await self._printed_in_time(delivery)
        finally:
            del self._deliveries[outbound.outbox_id]
        if not delivery.printed:
            reason = f"the terminal client of {self.chat!r} left before it had printed the chunk"
            raise UnknownSendError(reason) if delivery.written else UnreachableError(reason)
        if outbound.final:
            for message_id in outbound.in_reply_to:
                self._unanswered.pop(message_id, None)

    def delivered(self, outbox_id: int) -> None:
        """Note that the client printed a chunk. One that is not on its way is ignored."""
        if delivery := self._deliveries.get(outbox_id):
            delivery.settle(True)

    @property
    def is_dismissed(self) -> bool:
        """Whether it is ending, so that nothing reaches the client any more."""
        return self._dismissed.is_set()

    def dismiss(self) -> None:
        """End `run` soon, whatever the client does."""
        self._dismissed.set()
        for delivery in self._deliveries.values():
            delivery.settle(False)

    async def run(
        self, connection: Connection, take: Callable[[ClientFrame], Awaitable[None]]
    ) -> None:
        """Write what was offered and pass on what is read, until either side ends."""
        try:
            await first_of(
                self._write(connection), self._read(connection, take), self._dismissed.wait()
            )
        finally:
            self.dismiss()

    def _chunk_frame(self, outbound: Outbound, content: bytes | None) -> ChunkFrame:
        """The author of the message drops what it printed before, so that what
        it prints is never a repeat."""
        is_author = self.awaits(outbound.in_reply_to)
        file = None
        if outbound.file is not None and content is not None:
            file = FileFrame(name=outbound.file.name, content=b64encode(content))
        return ChunkFrame(
            outbox_id=outbound.outbox_id,
            text=outbound.text if is_author else outbound.marked_text,
            seq=outbound.seq,
            final=outbound.final,
            turn_id=outbound.turn_id,
            in_reply_to=outbound.in_reply_to,
            is_failure=outbound.is_failure,
            is_incognito=outbound.is_incognito,
            file=file,
        )

    async def _write(self, connection: Connection) -> None:
        while True:
            frame = await self._frames.get()
            if self._frames.qsize() < BACKLOG_FRAMES:
                self._room.set()
            if isinstance(frame, ChunkFrame) and (
                delivery := self._deliveries.get(frame.outbox_id)
            ):
                delivery.written = True
            try:
                await connection.write(encode(frame))
            except ConnectionError:
                return

    async def _read(
        self, connection: Connection, take: Callable[[ClientFrame], Awaitable[None]]
    ) -> None:
        while (text := await connection.read()) is not None:
            try:
                frame = decode_client_frame(text)
            except WireError as exc:
                logger.warning("A terminal client is dismissed: %s", exc)
                return
            await take(frame)
            await self._room.wait()

    async def _printed_in_time(self, delivery: _Delivery) -> None:
        try:
            await within(self._clock, ACK_SECONDS, delivery.settled.wait())
        except TimeoutError:
            logger.warning(
                "A terminal client has not printed a chunk for %d seconds and is dismissed",
                ACK_SECONDS,
            )
            self.dismiss()


def _preview_frame(event: TurnEvent) -> ServerFrame:
    match event:
        case TurnStarted():
            return TurnStartedFrame(turn_id=event.turn_id)
        case TurnText():
            return TurnTextFrame(turn_id=event.turn_id, text=event.text)
        case TurnTool():
            return TurnToolFrame(turn_id=event.turn_id, tool=event.tool)
        case TurnEnded():
            return TurnEndedFrame(turn_id=event.turn_id, unanswered=event.unanswered)
