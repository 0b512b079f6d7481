"""A chat that hosts gaia gives way to the service, and waits for one that comes back."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from gaia.clock import SystemClock
from gaia.errors import AlreadyRunningError
from gaia.ops.hand_over import lock_for_service
from gaia.ops.service.installer import comes_back
from gaia.paths import Home
from gaia.store.lock import SERVED, DaemonLock, died_while_serving
from gaia.testing.clock import FakeClock, until

SETTINGS = (
    "model: {provider: openai, name: fake, base_url: 'http://127.0.0.1:9/v1'}\nweb: {port: 0}\n"
)
PATIENCE_SECONDS = 60


@asynccontextmanager
async def chat(home: Home) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gaia", "chat", "--user", "ada"),
        env={**os.environ, "GAIA_HOME": str(home.root)},
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def cancels(process: asyncio.subprocess.Process) -> str:
    """What a command is answered that has one line for an answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"/cancel\n")
    async with asyncio.timeout(PATIENCE_SECONDS):
        return (await process.stdout.readline()).decode()


async def test_a_hosted_chat_takes_up_edits_and_leaves_no_socket(home: Home, run_gaia) -> None:
    home.settings_file.write_text(SETTINGS)
    async with chat(home) as process:
        assert await cancels(process) == "Nothing was changed.\n"
        assert process.stdin is not None
        home.settings_file.write_text(SETTINGS.replace("name: fake", "name: another"))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while "another (openai" not in (await run_gaia(home, "status")).stdout:
                pass
        process.stdin.close()
        assert await process.wait() == 0
    assert not home.control_socket.exists()


async def test_serve_takes_over_from_a_hosted_chat_which_goes_on(
    home: Home, running_daemon
) -> None:
    home.settings_file.write_text(SETTINGS)
    async with chat(home) as process:
        assert await cancels(process) == "Nothing was changed.\n"
        assert not home.lock_file.read_text().endswith(SERVED)
        async with running_daemon(home):
            assert home.lock_file.read_text().endswith(SERVED)
            assert await cancels(process) == "Nothing was changed.\n"
            process.stdin.close()
            assert await asyncio.wait_for(process.wait(), PATIENCE_SECONDS) == 0
    # It was killed, so that the next chat waits for it to come back.
    assert died_while_serving(home, datetime.now(UTC))


async def test_a_command_that_holds_the_home_is_waited_for(home: Home) -> None:
    clock, command = FakeClock(), DaemonLock(home)
    command.acquire()
    waiting = asyncio.create_task(lock_for_service(home, clock))
    await until(lambda: bool(clock.sleeping))
    command.release()
    while not waiting.done():
        clock.advance(1)
        await asyncio.sleep(0.001)
    (await waiting).release()


async def test_who_keeps_the_home_is_named_in_the_end(home: Home) -> None:
    clock = FakeClock()
    with DaemonLock(home):
        waiting = asyncio.create_task(lock_for_service(home, clock))
        while not waiting.done():
            clock.advance(10)
            await asyncio.sleep(0.001)
        with pytest.raises(AlreadyRunningError, match="gaia runs already"):
            await waiting


async def test_another_service_is_not_waited_for(home: Home, running_daemon) -> None:
    home.settings_file.write_text(SETTINGS)
    async with running_daemon(home):
        with pytest.raises(AlreadyRunningError):
            await asyncio.wait_for(lock_for_service(home, SystemClock()), 10)


def test_a_service_that_died_within_minutes_is_waited_for(home: Home) -> None:
    now, no_units = datetime.now(UTC), {"XDG_CONFIG_HOME": str(home.root)}
    assert not comes_back(home, no_units, now)
    home.lock_file.write_text("1\n")
    assert not comes_back(home, no_units, now), "a chat had it last"
    home.lock_file.write_text(f"1\n{SERVED}")
    assert comes_back(home, no_units, now)
    long_ago = now.timestamp() - 3600
    os.utime(home.lock_file, (long_ago, long_ago))
    assert not died_while_serving(home, now)


def test_a_service_that_ended_by_itself_is_not(home: Home) -> None:
    with DaemonLock(home, served=True):
        pass
    assert not died_while_serving(home, datetime.now(UTC))
