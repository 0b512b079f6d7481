"""`gaia chat`: talks to the daemon over its local socket.

It is read for the help of all commands, so it imports nothing heavy.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import say
from gaia.cli.home import login_name

if TYPE_CHECKING:
    from datetime import datetime

    from gaia.paths import Home

LONGEST_NAME = 255
"""What the store can hold of a sender's name."""


def chat_command(
    message: Annotated[
        str | None,
        typer.Option("--message", "-m", help="Say this, print the reply alone, and leave."),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option("--user", help="Talk as this person. By default, your login name."),
    ] = None,
) -> None:
    """Talk to gaia.

    Uses the daemon that runs, or runs one for as long as the chat lasts.
    Without a terminal on standard input, each line is a message.
    """
    import sys

    from gaia.cli.chat.host import host_daemon
    from gaia.cli.chat.link import RESTART_SECONDS
    from gaia.cli.chat.run import Streams, chat, run_chat
    from gaia.cli.control import is_served
    from gaia.clock import SystemClock
    from gaia.paths import find_home

    home, clock = find_home(), SystemClock()
    waits = not is_served(home) and _comes_back(home, clock.now())
    if waits:
        say("Waiting for gaia's service to come back …", err=True)
    streams = Streams(sys.stdin, sys.stdout, sys.stderr)
    chatting = chat(
        home,
        lambda: host_daemon(home, None if message is None else _tell_learning),
        clock,
        streams,
        user=_named(user),
        message=_not_blank(message),
        restart_seconds=RESTART_SECONDS if waits else 0.0,
    )
    raise typer.Exit(run_chat(chatting, streams.stdout))


def _comes_back(home: Home, now: datetime) -> bool:
    # It loads for long, and is asked only where nobody serves.
    from gaia.ops.service.installer import comes_back

    return comes_back(home, os.environ, now)


def _tell_learning() -> None:
    say(
        "Reading the conversation before this one for what is worth remembering; Ctrl-C puts "
        "that off.",
        err=True,
    )


def _named(user: str | None) -> str:
    if user is None:
        if login := login_name():
            return login
        raise typer.BadParameter("this login has no name: say who you are with --user")
    name = user.strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise typer.BadParameter(f"--user {user!r}: a name has 1 to {LONGEST_NAME} characters")
    return name


def _not_blank(message: str | None) -> str | None:
    if message is not None and not message.strip():
        raise typer.BadParameter("--message is empty: write what you want to say")
    return message
