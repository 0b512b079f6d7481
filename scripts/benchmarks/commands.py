"""commands: the processor time of commands beside a running daemon, against Typer and Rich
alone."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from figures import Figure
from gaia_outside import least_seconds, outside, person, python

FLOOR = "import typer, rich"
COMMANDS = (
    *("--help", "status", "users list", "jobs", "audit", "costs", "outbox list"),
    *("memory list --user person0", "memory search --user person0 tea"),
    *("sessions list", "sessions search --user person0 tea", "chat -m hello"),
)
QUICK_COMMANDS = ("status", "users list", "chat -m hello")


async def measure(quick: bool) -> Sequence[Figure]:
    rounds = 1 if quick else 5
    floor = 1000 * least_seconds(python(FLOOR), rounds)
    figures = []
    async with outside() as daemon:
        await daemon.ask(person(daemon.telegram, 0), "I drink tea")
        for command in QUICK_COMMANDS if quick else COMMANDS:
            words = (sys.executable, "-m", "gaia", *command.split())
            taken = await asyncio.to_thread(least_seconds, words, rounds, daemon.home)
            figures.append(Figure(f"gaia {command}", 1000 * taken, "ms", floor, "typer, rich"))
    return figures
