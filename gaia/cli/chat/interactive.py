"""The conversation of a person at a terminal: prompt, answer, prompt."""

from __future__ import annotations

import asyncio
import os
import termios
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.patch_stdout import patch_stdout

from gaia.cli.chat.link import Exchange, ExchangeResult, Link, ending_unless, interrupts_set
from gaia.cli.chat.screen import ChatScreen
from gaia.errors import RefusedError
from gaia.files import create
from gaia.messages import MenuEntry

LEAVING = frozenset({"/quit", "/exit"})
LEAVE = "Leave the chat"
HOW_TO_LEAVE = "Ctrl-D or /quit leaves the chat."
NOT_STORED = (
    "gaia could not store the message, so it was not sent. It is back in the prompt; "
    "`gaia status` may say what is wrong."
)
TOO_FAST = "gaia left that out: it was one message too many for a minute. Say it again in a moment."
STOPPED = "The answer was stopped: by a /stop in another window, or because this user was removed."
DENIED = "gaia does not take messages from you: ask an owner to let you in."
MARK = "> "
INCOGNITO_MARK = "incognito> "


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
            case ExchangeResult.FAILED:
                await self._screen.note(NOT_STORED)
                return text
            case ExchangeResult.REFUSED:
                await self._screen.note(TOO_FAST)
                return text
            case ExchangeResult.DENIED:
                await self._screen.note(DENIED)
            case ExchangeResult.STOPPED:
                await self._screen.note(STOPPED)
        return ""

    async def _answer(self, exchange: Exchange) -> ExchangeResult | None:
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


class Prompt:
    """Reads what the user types.

    Enter sends. Alt+Enter, Ctrl-J and a backslash at the line's end start a
    new line, and pasted lines stay one message. Tab completes slash commands. Ctrl-Z suspends
    the program. Ctrl-C clears what was typed; if there is nothing to clear, it calls
    `on_idle_interrupt`.
    """

    def __init__(
        self,
        history_file: Path,
        on_idle_interrupt: Callable[[], None],
        *,
        commands: Callable[[], Sequence[MenuEntry]] = lambda: (),
        is_incognito: Callable[[], bool] = lambda: False,
    ) -> None:
        def mark() -> str:
            return INCOGNITO_MARK if is_incognito() else MARK

        self._session: PromptSession[str] = PromptSession(
            mark,
            multiline=True,
            prompt_continuation=lambda width, *_: " " * width,
            history=_open_history(history_file, is_incognito),
            key_bindings=_key_bindings(on_idle_interrupt),
            completer=CommandCompleter(commands),
            complete_while_typing=False,
            enable_open_in_editor=False,
            enable_suspend=True,
        )

    async def read(self, default: str = "") -> str | None:
        """The next message, `default` being typed already; `None` on Ctrl-D."""
        try:
            with patch_stdout(raw=True):
                return await self._session.prompt_async(default=default, handle_sigint=False)
        except EOFError:
            return None

    async def print_above(self, print_now: Callable[[], None]) -> None:
        """Call `print_now` with the prompt, if it is there, out of the way."""
        if self._session.app.is_running:
            await run_in_terminal(print_now)
        else:
            print_now()


class CommandCompleter(Completer):
    """Completes the name of a slash command, with which a message begins."""

    def __init__(self, commands: Callable[[], Sequence[MenuEntry]]) -> None:
        self._commands = commands

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        typed = document.text_before_cursor
        if not typed.startswith("/") or any(map(str.isspace, typed)):
            return
        told = {each.name: each.description for each in self._commands()} | {"quit": LEAVE}
        for name, description in sorted(told.items()):
            if name.startswith(typed[1:].casefold()):
                yield Completion(f"/{name}", -len(typed), display_meta=description)


class PrivateHistory(FileHistory):
    """A history file that only its owner can read. A full disk costs the
    history, not the message; what is typed incognito is not in it."""

    def __init__(self, file: Path, is_incognito: Callable[[], bool] = lambda: False) -> None:
        super().__init__(file)
        self._is_incognito = is_incognito

    def store_string(self, string: str) -> None:
        if self._is_incognito():
            return
        with suppress(OSError):
            super().store_string(string)


def _open_history(file: Path, is_incognito: Callable[[], bool]) -> History:
    try:
        create(file)
    except OSError:
        return InMemoryHistory()
    return PrivateHistory(file, is_incognito)


def _key_bindings(on_idle_interrupt: Callable[[], None]) -> KeyBindings:
    bindings = KeyBindings()
    typing = has_focus(DEFAULT_BUFFER)

    @bindings.add("enter", filter=typing)
    def send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.char_before_cursor == "\\":
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @bindings.add("escape", "enter", filter=typing)
    @bindings.add("c-j", filter=typing)
    def start_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @bindings.add("tab", filter=typing)
    def complete(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is not None:
            buffer.complete_next()
            return
        asked = CompleteEvent(completion_requested=True)
        match list(buffer.completer.get_completions(buffer.document, asked)):
            case [only]:
                buffer.apply_completion(only)
            case [_, *_]:
                buffer.start_completion(insert_common_part=True)

    @bindings.add("c-c", filter=typing)
    def interrupt(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            run_in_terminal(on_idle_interrupt)

    return bindings


@contextmanager
def hidden_typing(file_descriptor: int) -> Iterator[None]:
    """Keep what is typed for the next prompt, without an echo, key by key: in
    the terminal's own line mode Enter would arrive as the key that starts a line."""
    if not os.isatty(file_descriptor):
        yield
        return
    before = termios.tcgetattr(file_descriptor)
    quiet = termios.tcgetattr(file_descriptor)
    quiet[0] &= ~termios.ICRNL
    quiet[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(file_descriptor, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(file_descriptor, termios.TCSADRAIN, before)
