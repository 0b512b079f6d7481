"""A machine that breaks over and over: kills, a database that is removed, a disk that takes no
more, a clock that jumps by a year. Nothing that was acknowledged is lost, and nothing is answered
twice.

A round of each; an hour of them, drawn from a seed, in a thorough run. GAIA_KILL_SEED replays it.
"""

from __future__ import annotations

import asyncio
import os
import random
import resource
import signal
from asyncio.subprocess import DEVNULL
from collections import Counter
from contextlib import suppress
from time import monotonic

import pytest

from gaia.clock import SystemClock
from gaia.messages import REPEAT_MARK
from gaia.paths import Home
from gaia.testing.clock import until
from tests.e2e.test_kill import PEOPLE, prepare
from tests.harness.databases import url_of
from tests.harness.effort import KILL_SEED, drawn, rounds
from tests.harness.forked import Forked, ForkServer
from tests.servers.chat_provider import ChatProvider, running_provider
from tests.servers.model_server import Step, spawned_model_server

SECONDS = rounds(0, thorough=3600)
HARMS_IN_A_ROW = 15
"""Fewer than the interruptions after which a turn is given up."""
HARMS = ("kill", "fill", "jump")
REMOVE = "remove"
"""What is done to gaia.db alone."""
YEAR = 400
NOTICED_SECONDS = 20
ALL_ANSWERED_SECONDS = 120


class Machine:
    """Runs one daemon at a time, and breaks it."""

    def __init__(self, home: Home, forks: ForkServer, url: str, chance: random.Random) -> None:
        self.home = home
        self._forks = forks
        self._url = url
        self._chance = chance

    async def start(self, days: int = 0) -> Forked:
        return await self._forks.start(
            "tests.harness.jumping_daemon",
            str(days),
            self._url,
            environ={**os.environ, "GAIA_HOME": str(self.home.root)},
            stdin=DEVNULL,
        )

    async def suffer(self, harm: str, provider: ChatProvider) -> None:
        """Let a daemon work for a moment, and do this to it; it has ended when this returns."""
        days = self._chance.choice((YEAR, -YEAR)) if harm == "jump" else 0
        daemon = await self.start(days)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._chance.uniform(1, 3)):
                await provider.until_event(provider.events + self._chance.randint(1, 20))
        if harm == REMOVE:
            self.home.database.unlink()
            async with asyncio.timeout(NOTICED_SECONDS):
                await until(lambda: any(self.home.backups.glob("gaia-at-loss-*.db")))
        if harm == "fill":
            resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
            await asyncio.sleep(self._chance.uniform(0.1, 0.5))
        daemon.send_signal(signal.SIGTERM if harm == REMOVE else signal.SIGKILL)
        await daemon.wait()
        for copy in self.home.backups.glob("gaia-at-loss-*.db"):
            copy.rename(self.home.database)
            for side in ("-wal", "-shm"):
                self.home.database.with_name(f"gaia.db{side}").unlink(missing_ok=True)

    async def recover(self, expected: set[str], provider: ChatProvider) -> None:
        """Let a daemon work in peace: all that was said is answered, and nothing else."""
        daemon = await self.start()
        with suppress(TimeoutError):
            async with asyncio.timeout(ALL_ANSWERED_SECONDS):
                await provider.until_delivered(expected)
        delivered = {each.text.removeprefix(REPEAT_MARK) for each in provider.delivered}
        assert (expected - delivered, delivered - expected) == (set(), set())
        daemon.send_signal(signal.SIGTERM)
        await daemon.wait()


@pytest.mark.timeout(300 + 2 * SECONDS)
async def test_nothing_is_lost_on_a_machine_that_breaks_over_and_over(home, forks):
    chance, expected, ends_at = drawn(KILL_SEED), set(), monotonic() + SECONDS
    async with (
        spawned_model_server(forks.start) as model,
        running_provider(SystemClock()) as (provider, url),
    ):
        await model.script(Step(times=None, latency_seconds=0.02))
        await prepare(home, model.openai_base_url)
        with home.settings_file.open("a") as settings:
            # Each of them writes every two seconds, for an hour.
            settings.write(
                "limits: {messages_per_minute: 10000, user_tokens_per_day: 100000000, "
                "tokens_per_day: 1000000000}\n"
            )
        machine = Machine(home, forks, url, chance)
        all_harms = HARMS if url_of(home) else (*HARMS, REMOVE)
        harms, number = list(all_harms), 0
        while harms:
            harm = harms.pop(0)
            for person in PEOPLE:
                number += 1
                await provider.write(person, f"{person} says {number}")
                expected.add(f"echo: {person} says {number}")
            await machine.suffer(harm, provider)
            if not harms:
                await machine.recover(expected, provider)
                if monotonic() < ends_at:
                    harms = chance.choices(all_harms, k=HARMS_IN_A_ROW)
    unmarked = [each for each in provider.delivered if not each.text.startswith(REPEAT_MARK)]
    assert max(Counter(each.text for each in unmarked).values()) == 1
