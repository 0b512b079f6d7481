#!/usr/bin/env python3
"""Whether a turn costs the same however old its conversation is.

Runs turns of one conversation with a model that answers at once, and prints the
median time of a turn late in the conversation against that of one early in it,
where the replay window is full already. Needs the environment of
`scripts/setup-dev`.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
import tempfile
import time
from pathlib import Path

from gaia.agent.models import ChatModel
from gaia.app import build_app
from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import Secrets, Settings
from gaia.store.opening import open_database
from gaia.store.users import Role, Users
from gaia.testing.fake_channel import FakeChannel
from gaia.testing.function_model import FunctionModel

SAMPLE = 50
"""Turns that a median is taken of."""


async def main(turns: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        home.create()
        clock = SystemClock()
        database = await open_database(home)
        channel = FakeChannel(clock)
        await Users(database, clock).create("ada", Role.OWNER, Address("fake", "ada"))
        app = build_app(
            home,
            LoadedSettings(Settings(), Secrets(), (), {}, {}),
            database,
            clock,
            model=ChatModel(FunctionModel(lambda request: "Certainly."), "embedded", "function"),
            extra_channels=[channel],
        )
        channel.connect(app.gateway("fake"))
        seconds = [await turn(channel, number) for number in range(turns)]
        await app.handlers.drain()
        await app.delivery.flush()
        await database.close()
    window = Settings().sessions.window_turns
    early = statistics.median(seconds[window : window + SAMPLE])
    late = statistics.median(seconds[-SAMPLE:])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"turns {window} to {window + SAMPLE}: {early * 1000:.1f} ms each")
    print(f"turns {turns - SAMPLE} to {turns}: {late * 1000:.1f} ms each")
    print(f"late / early: {late / early:.2f}")
    print(f"peak memory of the process: {memory:.0f} MB")


async def turn(channel: FakeChannel, number: int) -> float:
    started = time.perf_counter()
    await channel.say(f"This is message {number}.")
    await channel.until_sent(number + 1)
    return time.perf_counter() - started


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1000)
    asyncio.run(main(parser.parse_args().turns))
