"""Runs `gaia chat` in one of its modes: a person, one message, or lines."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TextIO

from gaia import __version__
from gaia.cli.chat.files import save_file
from gaia.cli.chat.host import DaemonFinder, Host
from gaia.cli.chat.link import Link, Screen
from gaia.cli.chat.plain import (
    ChatInterruptedError,
    PlainScreen,
    read_lines,
    say,
    say_lines,
)
from gaia.errors import OutputError
from gaia.paths import Home
from gaia.ports import Clock

Mode = Callable[[Link], Coroutine[None, None, None]]


@dataclass(frozen=True, slots=True)
class Streams:
    """The three standard streams."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO

    @property
    def interactive(self) -> bool:
        """Whether a person sits in front of them."""
        return self.stdin.isatty() and self.stdout.isatty()


def run_chat(chatting: Coroutine[None, None, bool], stdout: TextIO) -> int:
    """Run a `chat` that prints on `stdout`, and return the exit code. Raises what it raises."""
    try:
        answered = asyncio.run(chatting)
    except (KeyboardInterrupt, ChatInterruptedError):
        return 128 + signal.SIGINT
    except asyncio.CancelledError:
        return 128 + signal.SIGTERM
    except OutputError as exc:
        _silence(stdout)
        if isinstance(exc.__cause__, BrokenPipeError):
            return 1
        raise
    return 0 if answered else 1


async def chat(
    home: Home,
    host: Host,
    clock: Clock,
    streams: Streams,
    *,
    user: str,
    message: str | None,
    restart_seconds: float = 0.0,
) -> bool:
    """Chat as `user` until the user leaves, the input ends, or `message` is answered.
    `restart_seconds` is how long a service may take to come back before a daemon is hosted.

    Returns whether each message of a program was answered; a person sees that alone.

    Raises:
        GaiaError: No daemon can be reached or hosted, or it refuses.
    """
    if message is None and streams.interactive:
        screen, mode = _interactive(home, clock, streams)
    else:
        screen, mode = _plain(streams, message)
    async with DaemonFinder(home.control_socket, host, clock) as finder:
        link = Link(
            finder.connect,
            screen,
            clock,
            user=user,
            interactive=message is None and streams.interactive,
            version=__version__,
            save_file=lambda file, user_id: save_file(home, file, user_id),
            restart_seconds=restart_seconds,
        )
        with _terminations_cancel():
            await _linked(link, mode)
    return not (isinstance(screen, PlainScreen) and screen.failed)


def _interactive(home: Home, clock: Clock, streams: Streams) -> tuple[Screen, Mode]:
    from rich.console import Console

    from gaia.cli.chat.interactive import HOW_TO_LEAVE, InteractiveChat, Prompt
    from gaia.cli.chat.screen import ChatScreen

    console = Console(file=streams.stdout)
    prompt = Prompt(
        home.terminal_history,
        lambda: console.print(HOW_TO_LEAVE, style="dim", highlight=False),
        commands=lambda: screen.commands,
        is_incognito=lambda: screen.is_incognito,
    )
    screen = ChatScreen(console, prompt.print_above, clock, version=__version__)
    keyboard = streams.stdin.fileno()
    return screen, lambda link: InteractiveChat(link, prompt, screen, keyboard=keyboard).run()


def _plain(streams: Streams, message: str | None) -> tuple[Screen, Mode]:
    screen = PlainScreen(streams.stdout, streams.stderr, version=__version__)
    if message is not None:
        return screen, lambda link: say(link, screen, message)
    return screen, lambda link: say_lines(link, screen, read_lines(streams.stdin.fileno()))


async def _linked(link: Link, mode: Mode) -> None:
    """Run the mode while the link runs. The first that ends, ends both."""
    linked = asyncio.create_task(link.run(), name="chat-link")
    talking = asyncio.create_task(mode(link), name="chat-mode")
    try:
        await asyncio.wait((linked, talking), return_when=asyncio.FIRST_COMPLETED)
    finally:
        talking.cancel()
        linked.cancel()
        await asyncio.wait((linked, talking))
    (linked if talking.cancelled() else talking).result()


@contextmanager
def _terminations_cancel() -> Iterator[None]:
    """SIGTERM and SIGHUP cancel the running task, so that a hosted daemon drains."""
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("signals need a running task to cancel")
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGHUP)
    for each in signals:
        loop.add_signal_handler(each, task.cancel)
    try:
        yield
    finally:
        for each in signals:
            loop.remove_signal_handler(each)


def _silence(stdout: TextIO) -> None:
    """Keep Python from trying once more, and complaining, when it exits."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
