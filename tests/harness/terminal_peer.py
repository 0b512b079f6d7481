"""A terminal client without a socket or a screen: says frames, collects frames."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from channels.terminal_wire import (
    ChunkFrame,
    ClientFrame,
    DeliveredFrame,
    HelloFrame,
    MessageFrame,
    ServerFrame,
    WelcomeFrame,
    decode_server_frame,
    encode,
)

FrameT = TypeVar("FrameT", bound=ServerFrame)


class TerminalPeer:
    """Both ends of a `channels.terminal_attachment.Connection`.

    The channel reads and writes; the test says, leaves and looks at what came.
    """

    def __init__(self, user: str = "ada", *, interactive: bool = True, client_id: str = "") -> None:
        self.user = user
        self.interactive = interactive
        self.client_id = client_id or f"client-of-{user}"
        self.readable = asyncio.Event()
        self.readable.set()
        self._to_channel: asyncio.Queue[str | None] = asyncio.Queue()
        self._to_client: asyncio.Queue[ServerFrame] = asyncio.Queue()
        self._gone = False

    async def read(self) -> str | None:
        return await self._to_channel.get()

    async def write(self, text: str) -> None:
        await self.readable.wait()
        if self._gone:
            raise ConnectionError("the peer is gone")
        self._to_client.put_nowait(decode_server_frame(text))

    def say(self, frame: ClientFrame) -> None:
        """Send a frame."""
        self._to_channel.put_nowait(encode(frame))

    def say_raw(self, text: str) -> None:
        """Send what is no frame."""
        self._to_channel.put_nowait(text)

    def hello(self, *, waiting: tuple[str, ...] = ()) -> None:
        """Introduce the client."""
        self.say(
            HelloFrame(
                user=self.user,
                client_id=self.client_id,
                interactive=self.interactive,
                version="0.1.0",
                waiting=waiting,
            )
        )

    def write_message(
        self, text: str, *, message_id: str = "m1", wants_preview: bool = False
    ) -> None:
        """Send what the user wrote."""
        self.say(MessageFrame(client_message_id=message_id, text=text, wants_preview=wants_preview))

    def leave(self) -> None:
        """Break the connection."""
        self._gone = True
        self._to_channel.put_nowait(None)

    async def frame(self, kind: type[FrameT]) -> FrameT:
        """The next frame, which must be of `kind`."""
        frame = await self._to_client.get()
        if not isinstance(frame, kind):
            raise AssertionError(f"expected {kind.__name__}, got {frame!r}")
        return frame

    async def welcomed(self) -> WelcomeFrame:
        """Say hello and return the welcome."""
        self.hello()
        return await self.frame(WelcomeFrame)

    async def print_chunk(self) -> ChunkFrame:
        """Take the next chunk and acknowledge it."""
        chunk = await self.frame(ChunkFrame)
        self.say(DeliveredFrame(outbox_id=chunk.outbox_id))
        return chunk

    @property
    def unread(self) -> int:
        """How many frames came and were not looked at."""
        return self._to_client.qsize()
