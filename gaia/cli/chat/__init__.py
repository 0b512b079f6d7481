"""`gaia chat`: talks to the daemon over its local socket.

This module is read by every command, so it imports nothing heavy.
"""

from __future__ import annotations

import getpass
import os
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import say

if TYPE_CHECKING:
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
    from gaia.cli.chat.run import Streams, run_chat
    from gaia.cli.control import is_served
    from gaia.clock import SystemClock
    from gaia.paths import find_home

    home = find_home()
    waits = not is_served(home) and _comes_back(home)
    if waits:
        say("Waiting for gaia's service to come back …", err=True)
    code = run_chat(
        home,
        lambda: host_daemon(home, None if message is None else _tell_learning),
        SystemClock(),
        Streams(sys.stdin, sys.stdout, sys.stderr),
        user=_named(user),
        message=_not_blank(message),
        restart_seconds=RESTART_SECONDS if waits else 0.0,
    )
    raise typer.Exit(code)


def _comes_back(home: Home) -> bool:
    from gaia.clock import SystemClock
    from gaia.ops.service.installer import comes_back

    return comes_back(home, os.environ, SystemClock().now())


def _tell_learning() -> None:
    say(
        "Reading the conversation before this one for what is worth remembering; Ctrl-C puts "
        "that off.",
        err=True,
    )


def _named(user: str | None) -> str:
    if user is None:
        try:
            return getpass.getuser()
        except (OSError, KeyError) as exc:
            raise typer.BadParameter("this login has no name: say who you are with --user") from exc
    name = user.strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise typer.BadParameter(f"--user {user!r}: a name has 1 to {LONGEST_NAME} characters")
    return name


def _not_blank(message: str | None) -> str | None:
    if message is not None and not message.strip():
        raise typer.BadParameter("--message is empty: write what you want to say")
    return message
