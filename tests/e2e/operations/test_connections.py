"""Strangers who hold connections open, with the usual limit of open files: everybody else is
answered, and the log stays short."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.web.connections import ACCEPTED_AT_ONCE, SHARE_OF_DESCRIPTORS
from tests.e2e.conftest import RunGaia
from tests.harness import processes
from tests.harness.effort import rounds
from tests.harness.processes import DaemonProcess
from tests.servers.model_server import Step, running_model_server
from tests.servers.telegram import TelegramServer, running_telegram

USUAL_OPEN_FILES = 1024
CROWD = 1100
PERSON = 100
PEOPLE = range(101, 101 + rounds(10, thorough=50))
SIEGE_SECONDS = rounds(20, thorough=600)
SIEGE = 2000
WRITES_EVERY_SECONDS = 5.0
MOST_ACCEPTED = USUAL_OPEN_FILES // SHARE_OF_DESCRIPTORS + 3 * ACCEPTED_AT_ONCE
"""A round of the loop takes so many at once, and closes those that it hung up in the next one;
the kernel's table is read while both go on."""
ESTABLISHED, NOT_TAKEN = "01", "0"
"""In the kernel's table: a state, and the inode of a connection that waits to be accepted."""
HALF_A_HEAD = b"GET /healthz HTTP/1.1\r\nHost: ga"
JUNK = b"\x16\x03\x01 this is no HTTP\r\n\r\n"
PATIENCE_SECONDS = 30.0


async def spawn_with_usual_limit(
    module: str,
    *arguments: str,
    environ: Mapping[str, str],
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
) -> asyncio.subprocess.Process:
    """A `Starter` of processes that may open as many files as most systems allow."""
    return await asyncio.create_subprocess_exec(
        *("sh", "-c", f'ulimit -n {USUAL_OPEN_FILES}; exec "$@"', "sh"),
        *(sys.executable, "-m", module, *arguments),
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=environ,
    )


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class Place:
    """A daemon with a port, and somebody who writes to it on Telegram."""

    def __init__(self, home: Home, telegram: TelegramServer, port: int) -> None:
        self.home = home
        self.telegram = telegram
        self.port = port
        self.written = 0

    @property
    def health(self) -> str:
        return f"http://127.0.0.1:{self.port}/healthz"

    async def is_answered(self) -> None:
        """Somebody writes, and is answered in time."""
        self.written += 1
        self.telegram.person(PERSON).writes(f"number {self.written}")
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.telegram.until(lambda: len(self.telegram.texts(PERSON)) >= self.written)


@pytest.fixture
async def place(home: Home) -> AsyncIterator[Place]:
    async with (
        running_model_server(Step(times=None)) as model,
        running_telegram(SystemClock()) as telegram,
    ):
        database = await open_database(home)
        users = Users(database, SystemClock())
        await users.create("ada", Role.OWNER, Address("telegram", str(PERSON)))
        for number in PEOPLE:
            await users.create(f"p{number}", Role.MEMBER, Address("telegram", str(number)))
        await database.close()
        place = Place(home, telegram, free_port())
        home.env_file.touch(mode=0o600)
        home.env_file.write_text(f"GAIA_TELEGRAM_BOT_TOKEN={telegram.token}\n")
        settings = {
            "model": {
                "provider": "openai",
                "name": "fake",
                "base_url": model.openai_base_url,
            },
            "channels": {"telegram": {"enabled": True, "base_url": telegram.url}},
            "sessions": {"settle_seconds": 0},
            "memory": {"enabled": False},
            "web": {"enabled": True, "port": place.port},
        }
        home.settings_file.write_text(json.dumps(settings))
        yield place


def open_files(daemon: DaemonProcess) -> int:
    return len(list(Path(f"/proc/{daemon.pid}/fd").iterdir()))


def accepted(daemon: DaemonProcess, port: int) -> int:
    """The connections to the port that are open and that the daemon has taken."""
    rows = map(str.split, Path(f"/proc/{daemon.pid}/net/tcp").read_text().splitlines()[1:])
    return sum(
        local.endswith(f":{port:04X}") and state == ESTABLISHED and inode != NOT_TAKEN
        for _, local, _, state, _, _, _, _, _, inode, *_ in rows
    )


async def crowd_of(size: int, port: int, stack: ExitStack) -> None:
    """So many who send half a head and hold on."""
    loop = asyncio.get_running_loop()
    for _ in range(size):
        stranger = stack.enter_context(socket.socket())
        stranger.setblocking(False)
        try:
            await loop.sock_connect(stranger, ("127.0.0.1", port))
            await loop.sock_sendall(stranger, HALF_A_HEAD)
        except ConnectionError:
            continue


@pytest.mark.timeout(180)
async def test_half_sent_requests_keep_nobody_from_an_answer(
    place: Place, run_gaia: RunGaia
) -> None:
    async with processes.running_daemon(place.home, start=spawn_with_usual_limit) as daemon:
        await place.is_answered()
        for _ in range(rounds(1, thorough=20)):
            with ExitStack() as stack:
                await crowd_of(CROWD, place.port, stack)
                assert open_files(daemon) < USUAL_OPEN_FILES / 2
                async with httpx.AsyncClient(timeout=5) as client:
                    assert (await client.get(place.health)).status_code == 200
                await place.is_answered()
                assert (await run_gaia(place.home, "status")).code == 0
        assert await daemon.terminate() == 0
    assert len([line for line in daemon.log if "connections are open" in line]) <= 2
    assert not any("Traceback" in line for line in daemon.log)


@pytest.mark.timeout(120)
async def test_junk_leaves_a_line_a_minute(place: Place) -> None:
    async with processes.running_daemon(place.home, start=spawn_with_usual_limit) as daemon:
        for _ in range(300):
            reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
            writer.write(JUNK)
            assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
            writer.close()
        assert await daemon.terminate() == 0
    assert len([line for line in daemon.log if "Invalid HTTP request" in line]) <= 2


class Siege:
    """So many who hold on to half a head, and come again when they are hung up on."""

    def __init__(self, size: int, port: int) -> None:
        self._size = size
        self._port = port

    async def run(self) -> None:
        """Last until cancelled."""
        await asyncio.gather(*(self._hold_on() for _ in range(self._size)))

    async def _hold_on(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            with socket.socket() as stranger, suppress(OSError):
                stranger.setblocking(False)
                await loop.sock_connect(stranger, ("127.0.0.1", self._port))
                await loop.sock_sendall(stranger, HALF_A_HEAD)
                await loop.sock_recv(stranger, 1)
            await asyncio.sleep(1)


@pytest.mark.thorough
@pytest.mark.timeout(SIEGE_SECONDS + 120)
async def test_a_siege_costs_nobody_an_answer(place: Place) -> None:
    telegram = place.telegram
    async with processes.running_daemon(place.home, start=spawn_with_usual_limit) as daemon:
        siege = asyncio.create_task(Siege(SIEGE, place.port).run())
        ends_at = asyncio.get_running_loop().time() + SIEGE_SECONDS
        said = 0
        while asyncio.get_running_loop().time() < ends_at:
            said += 1
            for number in PEOPLE:
                telegram.person(number).writes(f"{number} says {said}")
            await asyncio.sleep(WRITES_EVERY_SECONDS)
            assert accepted(daemon, place.port) <= MOST_ACCEPTED
            # Beside this loop, which is busy with the siege.
            answer = await asyncio.to_thread(httpx.get, place.health, timeout=10)
            assert answer.status_code == 200
        async with asyncio.timeout(PATIENCE_SECONDS):
            expected = said * len(PEOPLE)
            await telegram.until(lambda: len(telegram.texts()) >= expected)
        siege.cancel()
        await asyncio.wait((siege,))
        assert await daemon.terminate() == 0
    for number in PEOPLE:
        told = [f"echo: {number} says {each}" for each in range(1, said + 1)]
        assert telegram.texts(number) == told
    assert len([line for line in daemon.log if "connections are open" in line]) <= (
        2 + SIEGE_SECONDS / 60
    )
