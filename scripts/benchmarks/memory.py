"""memory: what of a daemon is resident, idle and after many turns, against the agent kit alone."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from figures import Figure, resident_megabytes
from gaia_outside import outside, person, python
from start import KIT

TURNS = 1_000
QUICK_TURNS = 10


async def measure(quick: bool) -> Sequence[Figure]:
    floor, name = _kit_megabytes(), "kit imported"
    turns = QUICK_TURNS if quick else TURNS
    async with outside() as daemon:
        idle = daemon.resident_megabytes()
        writer = person(daemon.telegram, 0)
        for number in range(turns):
            await daemon.ask(writer, f"This is message {number}.")
        used = daemon.resident_megabytes()
        await daemon.ask(writer, "/remember I drink tea in the morning")
        for number in range(QUICK_TURNS):
            await daemon.ask(writer, f"What do I drink at {number}?")
        remembering = daemon.resident_megabytes()
    return [
        Figure("resident, ready", idle, "MB", floor, name),
        Figure(f"resident, after {turns:,} turns", used, "MB", floor, name),
        Figure("resident, with a first memory", remembering, "MB", floor, name),
    ]


def _kit_megabytes() -> float:
    """The memory of a process that has imported the kit and waits."""
    waiting = python(f"{KIT}; print(flush=True); input()")
    pipe = subprocess.PIPE
    with subprocess.Popen(waiting, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        resident = resident_megabytes(process.pid)
        process.communicate(b"\n")
    return resident
