"""The client's end of the terminal channel: attaches, attaches again, loses nothing.

What the user sees is up to the `Screen`; where the daemon comes from is up to
the `Dial`.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Protocol

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from channels.terminal_wire import (
    MESSAGE_CHARACTERS,
    ChunkFrame,
    ClientFrame,
    DeliveredFrame,
    FileFrame,
    HelloFrame,
    MessageFrame,
    PreviewFrame,
    ReceiptFrame,
    RefusedFrame,
    TurnEndedFrame,
    WelcomeFrame,
    decode_server_frame,
    encode,
)
from gaia.errors import NotRunningError, RefusedError, WireError
from gaia.ports import Clock

RESTART_SECONDS = 30.0
"""How long a daemon that went away may take to come back before another is hosted."""

WELCOMES_MISSED = 20
"""So many connections in a row that end before the welcome, and the link gives up."""

PAUSE_SECONDS = 0.1
"""The pause after a missed welcome, times the number of those missed: 21 s in all."""

SaveFile = Callable[[FileFrame, str], str]
"""Writes a file for the user of that id, and says where it is."""

Dial = Callable[[float], Awaitable[ClientConnection]]
"""Connects to the daemon; it is given the seconds to wait before hosting one."""


class Screen(Protocol):
    """Where the user sees what happens."""

    async def attached(self, welcome: WelcomeFrame) -> None:
        """The client is attached, for the first time or again."""
        ...

    async def lost(self) -> None:
        """The connection broke; the link is trying again."""
        ...

    async def reply(self, chunk: ChunkFrame, *, own: bool) -> None:
        """Print a chunk and return when it is printed. `own` says that it
        answers a message of this client that is not finished."""
        ...

    def preview(self, frame: PreviewFrame) -> None:
        """Show how a turn goes on."""
        ...


class ExchangeResult(StrEnum):
    """How an exchange ended."""

    ANSWERED = "answered"
    DENIED = "denied"
    REFUSED = "refused"
    FAILED = "failed"
    STOPPED = "stopped"


class Exchange:
    """A message of this client and, in the end, its answer."""

    def __init__(self, message: MessageFrame) -> None:
        self.message = message
        self.accepted = False
        self._ending: asyncio.Future[ExchangeResult] = asyncio.get_running_loop().create_future()

    async def ending(self) -> ExchangeResult:
        """Wait until it is over. May be awaited often, and cancelled."""
        return await asyncio.shield(self._ending)

    def end(self, ending: ExchangeResult) -> None:
        """Mark it over. The first ending counts."""
        if not self._ending.done():
            self._ending.set_result(ending)


class Link:
    """The attachment of this process to the daemon, for as long as `run` runs."""

    def __init__(
        self,
        dial: Dial,
        screen: Screen,
        clock: Clock,
        *,
        user: str,
        interactive: bool,
        version: str,
        save_file: SaveFile,
        restart_seconds: float = 0.0,
    ) -> None:
        self._dial = dial
        self._screen = screen
        self._clock = clock
        self._user = user
        self._interactive = interactive
        self._version = version
        self._save_file = save_file
        self._user_id = ""
        self._client_id = uuid.uuid4().hex
        self._connection: ClientConnection | None = None
        self._exchanges: dict[str, Exchange] = {}
        self._printed: set[int] = set()
        self._restart_seconds = restart_seconds

    async def run(self) -> None:
        """Attach, and attach again whenever the connection breaks, until cancelled.

        Raises:
            RefusedError: The daemon turned this client away.
            NotRunningError: No daemon answers, and none can be hosted.
        """
        missed = 0
        while True:
            connection = await self._dial(self._restart_seconds)
            async with connection:
                try:
                    await self._attach(connection)
                    missed = 0
                    await self._listen(connection)
                except ConnectionClosed:
                    missed += self._connection is None
                finally:
                    attached, self._connection = self._connection is not None, None
            if attached:
                await self._screen.lost()
            if missed >= WELCOMES_MISSED:
                raise NotRunningError(
                    "the daemon hangs up without a welcome: see its log, or restart it"
                )
            if missed:
                await self._clock.sleep(missed * PAUSE_SECONDS)

    async def say(self, text: str, *, wants_preview: bool) -> Exchange:
        """Send a message. While there is no connection it waits for the next one.

        Raises:
            RefusedError: The message is too long.
        """
        if len(text) > MESSAGE_CHARACTERS:
            raise RefusedError(
                f"the message has {len(text)} characters, and at most {MESSAGE_CHARACTERS} "
                "can be sent: send it in parts"
            )
        message = MessageFrame(
            client_message_id=uuid.uuid4().hex,
            text=_without_surrogates(text),
            wants_preview=wants_preview,
        )
        exchange = Exchange(message)
        self._exchanges[message.client_message_id] = exchange
        await self._send(message)
        return exchange

    def abandon(self, exchange: Exchange) -> None:
        """Stop waiting for an answer. If one comes, it is not this client's own."""
        self._exchanges.pop(exchange.message.client_message_id, None)

    async def _attach(self, connection: ClientConnection) -> None:
        hello = HelloFrame(
            user=self._user,
            client_id=self._client_id,
            interactive=self._interactive,
            version=self._version,
            waiting=tuple(self._exchanges),
        )
        await connection.send(encode(hello))
        match decode_server_frame(_text(await connection.recv())):
            case RefusedFrame(reason=reason):
                raise RefusedError(reason)
            case WelcomeFrame() as welcome:
                self._user_id = welcome.user_id
                self._restart_seconds = 0.0 if welcome.hosted else RESTART_SECONDS
                await self._screen.attached(welcome)
                self._connection = connection
                for exchange in [e for e in self._exchanges.values() if not e.accepted]:
                    await connection.send(encode(exchange.message))
            case frame:
                raise WireError(f"the daemon answered hello with {frame.kind!r}: restart it")

    async def _listen(self, connection: ClientConnection) -> None:
        while True:
            match decode_server_frame(_text(await connection.recv())):
                case ChunkFrame() as chunk:
                    await self._take_chunk(chunk)
                case ReceiptFrame() as receipt:
                    self._take_receipt(receipt)
                case WelcomeFrame() | RefusedFrame():
                    continue
                case TurnEndedFrame() as ended:
                    self._screen.preview(ended)
                    for message_id in ended.unanswered:
                        self._end(message_id, ExchangeResult.STOPPED)
                case preview:
                    self._screen.preview(preview)

    async def _take_chunk(self, chunk: ChunkFrame) -> None:
        if chunk.outbox_id not in self._printed:
            own = any(message_id in self._exchanges for message_id in chunk.in_reply_to)
            await self._screen.reply(await self._with_file_saved(chunk), own=own)
            self._printed.add(chunk.outbox_id)
        await self._send(DeliveredFrame(outbox_id=chunk.outbox_id))
        if chunk.final:
            for message_id in chunk.in_reply_to:
                self._end(message_id, ExchangeResult.ANSWERED)

    async def _with_file_saved(self, chunk: ChunkFrame) -> ChunkFrame:
        """The chunk, which says where its file is now, if it has one."""
        if chunk.file is None:
            return chunk
        told = await asyncio.to_thread(self._save_file, chunk.file, self._user_id)
        return chunk.model_copy(update={"text": f"{chunk.text}\n\n{told}", "file": None})

    def _take_receipt(self, receipt: ReceiptFrame) -> None:
        match receipt.outcome:
            case "accepted":
                if exchange := self._exchanges.get(receipt.client_message_id):
                    exchange.accepted = True
            case "denied":
                self._end(receipt.client_message_id, ExchangeResult.DENIED)
            case "refused":
                self._end(receipt.client_message_id, ExchangeResult.REFUSED)
            case "failed":
                self._end(receipt.client_message_id, ExchangeResult.FAILED)

    def _end(self, message_id: str, ending: ExchangeResult) -> None:
        if exchange := self._exchanges.pop(message_id, None):
            exchange.end(ending)

    async def _send(self, frame: ClientFrame) -> None:
        """Send if there is a connection. A message that is lost here is sent
        on the next attaching, and a `delivered` when the chunk comes again."""
        if self._connection is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._connection.send(encode(frame))


def _text(data: str | bytes) -> str:
    return data if isinstance(data, str) else data.decode("utf-8", "replace")


def _without_surrogates(text: str) -> str:
    """Bytes of the command line that are no UTF-8 arrive as lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")


@contextmanager
def interrupts_set(event: asyncio.Event) -> Iterator[None]:
    """Ctrl-C sets `event` instead of ending the program, within the context."""
    loop = asyncio.get_running_loop()
    previous = signal.getsignal(signal.SIGINT)
    loop.add_signal_handler(signal.SIGINT, event.set)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, previous)


async def ending_unless(interrupted: asyncio.Event, exchange: Exchange) -> ExchangeResult | None:
    """The ending of `exchange`, or `None` if the user interrupts first."""
    async with asyncio.TaskGroup() as group:
        ending = group.create_task(exchange.ending())
        interrupt = group.create_task(interrupted.wait())
        await asyncio.wait((ending, interrupt), return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        interrupt.cancel()
    return None if ending.cancelled() else ending.result()
