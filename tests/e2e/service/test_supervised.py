"""gaia under a service manager: the command of its unit, and a watchdog that it feeds."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

import pytest

from gaia.clock import SystemClock
from gaia.ops.service.unit import user_unit, value_of
from gaia.paths import Home
from gaia.settings.schema import Settings
from tests.harness.supervisor import supervising
from tests.servers.telegram import Hang, running_telegram

SETTINGS = (
    "model: {provider: openai, name: fake, base_url: 'http://127.0.0.1:9/v1'}\nweb: {port: 0}\n"
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    home.settings_file.write_text(SETTINGS)
    return home


async def test_the_units_command_is_ready_alive_reloads_and_ends(
    home: Home, tmp_path: Path
) -> None:
    unit = user_unit(home, Settings())
    name, _, place = value_of(unit.text, "Environment").partition("=")
    environ = {**os.environ, name: place}
    with supervising(tmp_path, watchdog_seconds=0.3) as supervisor:
        process = await asyncio.create_subprocess_exec(
            *shlex.split(value_of(unit.text, "ExecStart")),
            env={**environ, **supervisor.environ},
            stdin=DEVNULL,
            stderr=DEVNULL,
        )
        try:
            ready = await supervisor.until_told("READY=1")
            assert supervisor.keep_alives(until=ready) == 0
            assert supervisor.messages[ready][1].startswith("STATUS=gaia ")
            await supervisor.until_alive(3)
            process.send_signal(signal.SIGHUP)
            reloading = await supervisor.until_told("RELOADING=1")
            reloaded = await supervisor.until_told("READY=1", since=reloading)
            await supervisor.until_alive(1, since=reloaded)
            process.send_signal(signal.SIGTERM)
            stopping = await supervisor.until_told("STOPPING=1")
            assert supervisor.messages[stopping][2] == "EXTEND_TIMEOUT_USEC=40000000"
            assert await process.wait() == 0
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def test_polling_that_hangs_turns_health_red_and_ends_the_keep_alives(home, tmp_path, forks):
    async with running_telegram(SystemClock()) as telegram:
        with supervising(tmp_path, watchdog_seconds=0.6) as supervisor:
            daemon = await forks.start(
                "tests.harness.impatient_daemon",
                telegram.url,
                telegram.token,
                environ={**os.environ, "GAIA_HOME": str(home.root), **supervisor.environ},
                stdin=DEVNULL,
                stderr=PIPE,
            )
            try:
                await supervisor.until_alive(2)
                await telegram.until_polled()
                assert (await health(home))[0] == 0

                telegram.faults = lambda seen: Hang() if seen.method == "getUpdates" else None
                stalled = await supervisor.until_told("STATUS=telegram: polling has stalled")
                code, told = await health(home)
                assert code == 1
                assert "telegram: polling has stalled: no answer since" in told
                telegram.no_more_faults()
                well = await supervisor.until_told("STATUS=works again", since=stalled)
                assert supervisor.keep_alives(stalled, well) == 0
                await supervisor.until_alive(2, since=well)
                assert (await health(home))[0] == 0
            finally:
                daemon.send_signal(signal.SIGTERM)
                _, log = await daemon.communicate()
            assert log.count(b"no keep-alives until gaia works again") == 1


async def health(home: Home) -> tuple[int, str]:
    """What a container's health check says: its exit code, and why."""
    check = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "gaia.cli.healthcheck",
        env={**os.environ, "GAIA_HOME": str(home.root)},
        stdout=PIPE,
    )
    told, _ = await check.communicate()
    return await check.wait(), told.decode()
