"""The interactive chat's screen: the greeting, notes, answers, and what comes by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from rich.console import Console
from rich.text import Text

from channels.terminal_wire import ChunkFrame, PreviewFrame, WelcomeFrame
from gaia.cli.chat.answer import Answer
from gaia.cli.chat.markdown import ReplyMarkdown
from gaia.cli.chat.plain import heading_of_unasked
from gaia.cli.console import strip_controls
from gaia.messages import MenuEntry
from gaia.ports import Clock

PrintAbove = Callable[[Callable[[], None]], Awaitable[None]]
"""Runs a function that prints, with the prompt out of its way."""


class ChatScreen:
    """Implements `gaia.cli.chat.link.Screen` for a person at a terminal."""

    def __init__(
        self, console: Console, print_above: PrintAbove, clock: Clock, *, version: str
    ) -> None:
        self._console = console
        self._print_above = print_above
        self._clock = clock
        self._version = version
        self._welcome: WelcomeFrame | None = None
        self._greeted = asyncio.Event()
        self._answer: Answer | None = None
        self.is_incognito = False
        """Whether nothing is kept of what is typed at the moment."""

    @property
    def commands(self) -> Sequence[MenuEntry]:
        """The slash commands that the user may give."""
        return self._welcome.commands if self._welcome is not None else ()

    async def until_greeted(self) -> None:
        """Return once the first greeting is printed. Shows that it may take a while."""
        with self._console.status("connecting…"):
            await self._greeted.wait()
        if self._welcome is not None:
            self._print_greeting(self._welcome)

    async def attached(self, welcome: WelcomeFrame) -> None:
        if self._welcome is not None:
            await self.note("connected again")
        self._welcome = welcome
        self.is_incognito = welcome.is_incognito
        self._greeted.set()

    async def lost(self) -> None:
        await self.note("the connection to gaia is lost; waiting for it to come back…")

    async def reply(self, chunk: ChunkFrame, *, own: bool) -> None:
        self.is_incognito = chunk.is_incognito
        if own and self._answer is not None:
            self._answer.reply(chunk.text)
            return
        await self._print_above(lambda: self._print_unasked(chunk))

    def preview(self, frame: PreviewFrame) -> None:
        if self._answer is not None:
            self._answer.preview(frame)

    async def note(self, text: str) -> None:
        """Print a line from the chat itself."""
        await self._print_above(lambda: self._console.print(Text(text, style="dim")))

    @asynccontextmanager
    async def answering(self) -> AsyncIterator[Answer]:
        """Show an answer as it grows, for as long as the context lasts."""
        embedded = self._welcome is not None and self._welcome.embedded
        self._console.print()
        with Answer(self._console, self._clock, embedded=embedded) as answer:
            self._answer = answer
            ticking = asyncio.create_task(answer.tick(), name="answer-tick")
            try:
                yield answer
            finally:
                self._answer = None
                ticking.cancel()
                await asyncio.wait((ticking,))
        if not ticking.cancelled():
            ticking.result()

    def _print_unasked(self, chunk: ChunkFrame) -> None:
        self._console.print(Text(heading_of_unasked(chunk), style="dim"))
        self._console.print(ReplyMarkdown(strip_controls(chunk.text)))
        self._console.print()

    def _print_greeting(self, welcome: WelcomeFrame) -> None:
        where = " on this machine" if welcome.embedded else ""
        name = strip_controls(welcome.user_name)
        self._print_line(f"gaia {self._version} · {strip_controls(welcome.model)}{where}", "bold")
        if welcome.version != self._version:
            self._print_line(
                f"The daemon is gaia {strip_controls(welcome.version)}: restart it to update it.",
                "yellow",
            )
        if welcome.new_user:
            self._print_line(f"Nice to meet you, {name}.")
        elif welcome.conversation_turns:
            self._print_line(f"Welcome back, {name}. The conversation goes on where it was.")
        else:
            self._print_line(f"Hello, {name}.")
        self._print_line(
            "Enter sends, Alt+Enter starts a new line, Ctrl-D leaves, /help lists commands.",
            "dim",
        )
        self._console.print()

    def _print_line(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style=style))
