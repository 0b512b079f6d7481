"""growth: whether a turn costs the same however old its conversation is, and however much is
remembered. What it costs is processor time, since minutes lie between the turns that are
compared, and the machine may be busier by then."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from figures import Figure, milliseconds
from gaia_inside import Inside, inside

from gaia.clock import SystemClock
from gaia.paths import Home

MARKS = (40, 1_000, 10_000)
QUICK_MARKS = (5, 15)
MEMORIES = 100_000
QUICK_MEMORIES = 100
SAMPLE = 30
"""Turns that a median is taken of: ten up to the mark, and those after it. From the 31st on a
request replays as many earlier turns as it ever does."""


PAUSE = timedelta(seconds=30)


class Unhurried(SystemClock):
    """The real clock, and the pauses that somebody makes between their messages, without
    anybody waiting for them: nobody writes thousands of messages a minute."""

    def __init__(self) -> None:
        self._paused = timedelta(0)

    def pause(self) -> None:
        self._paused += PAUSE

    def now(self) -> datetime:
        return super().now() + self._paused

    def monotonic(self) -> float:
        return super().monotonic() + self._paused.total_seconds()


async def measure(quick: bool) -> Sequence[Figure]:
    with TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        figures = await _conversation(home, QUICK_MARKS if quick else MARKS, 5 if quick else SAMPLE)
        memories = QUICK_MEMORIES if quick else MEMORIES
        await asyncio.to_thread(_remember, home, Path(folder) / "memories.jsonl", memories)
        async with inside(home) as gaia:
            taken = [await _turn(gaia, number) for number in range(5 if quick else SAMPLE)]
    first = figures[0].value
    name = f"turn with {memories:,} memories"
    return [*figures, Figure(name, milliseconds(taken), "ms", first, figures[0].name)]


async def _conversation(home: Home, marks: Sequence[int], sample: int) -> list[Figure]:
    figures: list[Figure] = []
    clock = Unhurried()
    async with inside(home, clock) as gaia:
        taken: list[float] = []
        for mark in marks:
            for number in range(len(taken), mark - sample // 3 + sample):
                clock.pause()
                taken.append(await _turn(gaia, number))
            median, first = milliseconds(taken[-sample:]), figures[0] if figures else None
            floor = (first.value, first.name) if first else (None, "")
            figures.append(Figure(f"turn {mark:,} of a conversation", median, "ms", *floor))
    return figures


async def _turn(gaia: Inside, number: int) -> float:
    """The processor time of the turn of that number."""
    before = time.process_time()
    await gaia.turn(number)
    return time.process_time() - before


def _remember(home: Home, file: Path, memories: int) -> None:
    """Take memories in as a user does, by a file."""
    lines = (
        json.dumps({"text": f"On day {number} I saw boat {number % 997} in harbour {number % 89}"})
        for number in range(memories)
    )
    file.write_text("\n".join(lines))
    command = (sys.executable, "-m", "gaia", "memory", "import", str(file))
    environ = {**os.environ, "GAIA_HOME": str(home.root)}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environ)
