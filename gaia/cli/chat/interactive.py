"""The conversation of a person at a terminal: prompt, answer, prompt."""

from __future__ import annotations

import asyncio

from gaia.cli.chat.interrupts import ending_unless, interrupts_set
from gaia.cli.chat.link import Ending, Exchange, Link
from gaia.cli.chat.prompt import Prompt, hidden_typing
from gaia.cli.chat.screen import ChatScreen
from gaia.errors import RefusedError

LEAVING = frozenset({"/quit", "/exit"})

HOW_TO_LEAVE = "Ctrl-D or /quit leaves the chat."

NOT_STORED = (
    "gaia could not store the message, so it was not taken. It is back in the prompt; "
    "`gaia status` may say what is wrong."
)
TOO_FAST = "gaia left that out: it was one message too many for a minute. Say it again in a moment."
DENIED = "gaia does not take messages from you: ask an owner to let you in."


class InteractiveChat:
    """Asks and shows until the user leaves."""

    def __init__(self, link: Link, prompt: Prompt, screen: ChatScreen, *, keyboard: int) -> None:
        """`keyboard` is the file descriptor that the user types into."""
        self._link = link
        self._prompt = prompt
        self._screen = screen
        self._keyboard = keyboard

    async def run(self) -> None:
        """Return when the user leaves."""
        with hidden_typing(self._keyboard):
            await self._screen.until_greeted()
            await self._read_and_answer()

    async def _read_and_answer(self) -> None:
        put_back = ""
        while (text := await self._prompt.read(put_back)) is not None:
            put_back = ""
            if text.strip() in LEAVING:
                return
            if text.strip():
                put_back = await self._converse(text)

    async def _converse(self, text: str) -> str:
        """Send a message and show its answer. Returns the text if it was not taken."""
        try:
            exchange = await self._link.say(text, wants_preview=True)
        except RefusedError as exc:
            await self._screen.note(str(exc))
            return text
        match await self._answer(exchange):
            case Ending.FAILED:
                await self._screen.note(NOT_STORED)
                return text
            case Ending.REFUSED:
                await self._screen.note(TOO_FAST)
                return text
            case Ending.DENIED:
                await self._screen.note(DENIED)
        return ""

    async def _answer(self, exchange: Exchange) -> Ending | None:
        """Show the answer. Ctrl-C asks gaia to stop, and a second one stops waiting."""
        interrupted = asyncio.Event()
        with interrupts_set(interrupted):
            async with self._screen.answering() as answer:
                if ending := await ending_unless(interrupted, exchange):
                    return ending
                interrupted.clear()
                answer.stopping()
                stop = await self._link.say("/stop", wants_preview=False)
                await ending_unless(interrupted, stop)
        self._link.abandon(exchange)
        self._link.abandon(stop)
        return None
