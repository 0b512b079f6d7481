"""Chats without a person at the terminal: one message, or a message a line.

Replies go to standard output and nothing else does; notes go to standard error.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TextIO

from channels.terminal_wire import ChunkFrame, PreviewFrame, WelcomeFrame
from gaia.cli.chat.link import Exchange, ExchangeResult, Link, ending_unless, interrupts_set
from gaia.cli.console import strip_controls
from gaia.errors import OutputError, RefusedError, StoreError
from gaia.memory.excerpts import unescaped
from gaia.text import cut

READ_BYTES = 65536
LONGEST_QUOTE = 40
"""Characters of a message that a note is about."""


class ChatInterruptedError(Exception):
    """The user wants no answer any more, and leaves."""


class PlainScreen:
    """Implements `gaia.cli.chat.link.Screen` for programs that read the replies."""

    def __init__(self, replies: TextIO, notes: TextIO, *, version: str) -> None:
        self._replies = replies
        self._notes = notes
        self._version = version
        self._stopping = False
        self.failed = False
        """Whether one of the replies only told that there is no answer."""

    async def attached(self, welcome: WelcomeFrame) -> None:
        if welcome.version != self._version:
            self._note(f"note: the daemon is gaia {welcome.version}, this is gaia {self._version}")

    async def lost(self) -> None:
        self._note("note: the connection to gaia is lost; waiting for it to come back")

    async def reply(self, chunk: ChunkFrame, *, own: bool) -> None:
        text = unescaped(strip_controls(chunk.text))
        if own and self._stopping:
            self._note(text)
        elif own:
            self._print(text)
            self.failed = self.failed or chunk.is_failure
        else:
            self._note(f"{heading_of_unasked(chunk)} {text}")

    def preview(self, frame: PreviewFrame) -> None:
        """No preview is asked for."""

    def stopping(self) -> None:
        """Whatever comes from now on is no reply that a program waits for."""
        self._stopping = True

    def _print(self, text: str) -> None:
        try:
            self._replies.write(text + "\n")
            self._replies.flush()
        except OSError as exc:
            raise OutputError(
                f"the reply cannot be written to standard output ({exc.strerror}): "
                "the next chat shows it as an earlier reply"
            ) from exc

    def _note(self, text: str) -> None:
        self._notes.write(strip_controls(text) + "\n")
        self._notes.flush()


def heading_of_unasked(chunk: ChunkFrame) -> str:
    """What stands before a chunk that answers nothing of this client's."""
    return "(earlier reply)" if chunk.in_reply_to else "gaia:"


async def say(link: Link, screen: PlainScreen, text: str) -> None:
    """Send a message and return when its reply is printed.

    Raises:
        ChatInterruptedError: Ctrl-C: gaia was asked to stop.
        RefusedError: gaia does not take messages from this user, or the answer was stopped.
        StoreError: The daemon could not store the message.
    """
    interrupted = asyncio.Event()
    with interrupts_set(interrupted):
        exchange = await link.say(text, wants_preview=False)
        ending = await ending_unless(interrupted, exchange)
        if ending is None:
            interrupted.clear()
            screen.stopping()
            await _stop(link, exchange, interrupted)
            raise ChatInterruptedError
    match ending:
        case ExchangeResult.DENIED:
            raise RefusedError(
                "gaia does not take messages from this user: add the user with `gaia users add`"
            )
        case ExchangeResult.REFUSED:
            raise RefusedError(
                f"the message {cut(text, LONGEST_QUOTE)!r} was left out: it was one too many for "
                "a minute. Say it again in a moment, or raise limits.messages_per_minute"
            )
        case ExchangeResult.FAILED:
            raise StoreError(
                f"the daemon could not store the message {cut(text, LONGEST_QUOTE)!r}, so it was "
                "not taken: see the daemon's log, then send it again"
            )
        case ExchangeResult.STOPPED:
            raise RefusedError(
                f"the answer to {cut(text, LONGEST_QUOTE)!r} was stopped: somebody wrote /stop as "
                "this user, or removed the user"
            )
        case ExchangeResult.ANSWERED:
            return


async def _stop(link: Link, exchange: Exchange, interrupted: asyncio.Event) -> None:
    """Stop the answer, if there is one yet. Another Ctrl-C ends the wait for that."""
    if exchange.accepted:
        await ending_unless(interrupted, await link.say("/stop", wants_preview=False))


async def say_lines(link: Link, screen: PlainScreen, lines: AsyncIterator[str]) -> None:
    """Send each line that is not blank, the next after the reply to the former."""
    async for line in lines:
        if line.strip():
            await say(link, screen, line)


async def read_lines(file_descriptor: int) -> AsyncIterator[str]:
    """The lines of a file, pipe or terminal, without their ends and a byte order mark.

    A thread reads, since a file cannot be awaited. It is given up once the
    next line is no longer wanted, and holds no lock of Python's own files.
    """
    rest = b""
    while data := await _read(file_descriptor):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            yield line.decode("utf-8-sig", "replace").removesuffix("\r")
    if rest:
        yield rest.decode("utf-8-sig", "replace")


async def _read(file_descriptor: int) -> bytes:
    loop = asyncio.get_running_loop()
    read: asyncio.Future[bytes] = loop.create_future()

    def settle(data: bytes) -> None:
        if not read.done():
            read.set_result(data)

    def run() -> None:
        try:
            data = os.read(file_descriptor, READ_BYTES)
        except OSError:
            data = b""
        with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(settle, data)

    threading.Thread(target=run, name="standard-input", daemon=True).start()
    return await read
