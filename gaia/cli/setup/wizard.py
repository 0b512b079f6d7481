"""One run of `gaia setup`, from the first look to the last word."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import typer

from gaia.cli.findings_text import wants_colour
from gaia.cli.setup import INTERRUPTED, closing
from gaia.cli.setup.carrying_out import carry_out
from gaia.cli.setup.dialogue import Dialogue
from gaia.cli.setup.flags import Flags
from gaia.cli.setup.questions import gather
from gaia.cli.setup.steps import Setting
from gaia.cli.setup.trying import Trying
from gaia.cli.table import terminal_width
from gaia.cli.waiting_line import WaitingLine
from gaia.clock import SystemClock
from gaia.ops.setup.place import check_place
from gaia.ops.setup.present import look_around
from gaia.paths import Home, find_home

WELCOME = (
    "This sets gaia up. Enter takes what stands in brackets; nothing is written before the last "
    "question, so Ctrl-C leaves all as it is. You can run it again whenever you like."
)


def run(flags: Flags, home_named: str, *, as_json: bool) -> None:
    """Ask, do, and tell."""
    clock = SystemClock()
    dialogue = Dialogue(width=terminal_width(), is_coloured=wants_colour(sys.stdout, os.environ))
    try:
        if not flags.yes:
            dialogue.say(WELCOME)
        home = _choose_home(dialogue, home_named, asks=not flags.yes)
        present = asyncio.run(look_around(home, os.environ, clock))
        trying = Trying(clock, WaitingLine(sys.stderr, os.environ), wanted=flags.check)
        wishes = gather(Setting(present, flags, trying, dialogue))
    except (typer.Abort, KeyboardInterrupt):
        typer.echo("\nNothing was changed.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    done = carry_out(present, wishes, clock)
    if as_json:
        typer.echo(closing.as_json(done))
    else:
        closing.show(done, dialogue)


def _choose_home(dialogue: Dialogue, named: str, *, asks: bool) -> Home:
    """The home that is named; a new one where the owner wants it."""
    home = Home(Path(named).expanduser().absolute()) if named else find_home()
    if asks and not named and not os.environ.get("GAIA_HOME") and not home.root.exists():
        dialogue.heading("gaia's home")
        dialogue.say("One folder has all that gaia keeps: settings, keys, memory, conversations.")
        chosen = dialogue.ask("Where?", default=str(home.root), check=_usable)
        home = Home(Path(chosen))
    check_place(home)
    return home


def _usable(text: str) -> str:
    root = Path(text).expanduser().absolute()
    check_place(Home(root))
    return str(root)
