from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette

from gaia.messages import Health
from gaia.ops.service import watchdog
from gaia.ops.service.watchdog import ServiceManager, Sign, Watchdog
from gaia.paths import Home
from gaia.store.sqlite.database import SqliteDatabase
from gaia.testing.clock import FakeClock
from gaia.web.server import WebServer, listen_on_path

if TYPE_CHECKING:
    from conftest import NotifySocket

ALIVE = ["WATCHDOG=1"]


class Part:
    """Something that may stand still."""

    def __init__(self) -> None:
        self.health = Health(ok=True)

    @property
    def sign(self) -> Sign:
        return watchdog.of_parts(lambda: {"telegram": self.health})


@asynccontextmanager
async def watching(
    listener: NotifySocket, clock: FakeClock, *signs: Sign, seconds: float | None = 60
) -> AsyncIterator[None]:
    manager = ServiceManager(listener.address, clock=clock, watchdog_seconds=seconds)
    dog = Watchdog(manager, signs, clock)
    running = asyncio.create_task(dog.run())
    try:
        await clock.until_sleeping()
        yield
    finally:
        running.cancel()
        await asyncio.wait((running,))


async def pass_round(clock: FakeClock, seconds: float = 20) -> None:
    clock.advance(seconds)
    await clock.until_sleeping()


async def test_it_feeds_at_a_third_of_the_time(
    notify_socket: NotifySocket, clock: FakeClock
) -> None:
    async with watching(notify_socket, clock):
        assert notify_socket.told() == [ALIVE]
        assert clock.sleeping == (20,)
        await pass_round(clock)
        assert notify_socket.told() == [ALIVE]


async def test_a_standstill_ends_the_keep_alives_and_is_told_once(
    notify_socket: NotifySocket, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    part = Part()
    async with watching(notify_socket, clock, part.sign):
        notify_socket.told()
        part.health = Health(ok=False, detail="polling has stalled", is_stalled=True)
        await pass_round(clock)
        await pass_round(clock)
        assert notify_socket.told() == [["STATUS=telegram: polling has stalled"]]
        (line,) = caplog.records
        assert line.levelno == logging.ERROR
        assert "telegram: polling has stalled" in line.getMessage()

        part.health = Health(ok=True)
        await pass_round(clock)
        assert notify_socket.told() == [["STATUS=works again"], ALIVE]


async def test_a_provider_that_is_down_ends_no_keep_alives(
    notify_socket: NotifySocket, clock: FakeClock
) -> None:
    part = Part()
    part.health = Health(ok=False, detail="Telegram cannot be reached")
    async with watching(notify_socket, clock, part.sign):
        await pass_round(clock)
        assert notify_socket.told() == [ALIVE, ALIVE]


async def test_after_the_process_stood_still_the_parts_get_their_chance(
    notify_socket: NotifySocket, clock: FakeClock
) -> None:
    part = Part()
    part.health = Health(ok=False, detail="polling has stalled", is_stalled=True)
    async with watching(notify_socket, clock, part.sign):
        await pass_round(clock, 3600)
        assert notify_socket.told() == [ALIVE, ALIVE]
        await pass_round(clock)
        assert ALIVE not in notify_socket.told()


async def test_a_standstill_is_logged_where_nobody_waits_for_keep_alives(
    notify_socket: NotifySocket, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    part = Part()
    part.health = Health(ok=False, detail="polling has stalled", is_stalled=True)
    async with watching(notify_socket, clock, part.sign, seconds=None):
        await pass_round(clock)
    assert "polling has stalled" in caplog.text


async def test_a_database_that_can_be_read_is_a_sign(fresh_home: Home, tmp_path: Path) -> None:
    path = tmp_path / "gaia.db"
    shutil.copy(fresh_home.database, path)
    database = SqliteDatabase(path)
    assert await watchdog.of_store(database, seconds=10)() == ""
    await database.close()


async def test_a_database_that_is_no_longer_one_is_told(tmp_path: Path) -> None:
    path = tmp_path / "gaia.db"
    path.write_bytes(b"nonsense" * 1000)
    database = SqliteDatabase(path)
    assert "gaia.db" in await watchdog.of_store(database, seconds=10)()
    await database.close()


async def test_a_database_that_does_not_answer_is_told(fresh_home: Home, tmp_path: Path) -> None:
    path = tmp_path / "gaia.db"
    shutil.copy(fresh_home.database, path)
    database = SqliteDatabase(path)
    assert "could not be read within 0 s" in await watchdog.of_store(database, seconds=0)()
    await database.close()


async def test_the_web_server_is_asked_for_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    look = watchdog.of_web(path, seconds=10)
    assert "cannot be reached: No such file" in await look()
    with listen_on_path(path) as listener:
        listener.listen()
        assert "did not answer within 0.05 s" in await watchdog.of_web(path, seconds=0.05)()
        serving = asyncio.create_task(WebServer(Starlette(), listener).run_until_cancelled())
        assert await look() == ""
        serving.cancel()
        await asyncio.wait((serving,))


def test_each_thing_is_told_in_a_datagram_of_its_own(
    any_socket: NotifySocket, clock: FakeClock
) -> None:
    clock.advance(12.5)
    manager = ServiceManager(any_socket.address, clock=clock)
    manager.ready("gaia is ready")
    manager.alive()
    with manager.reloading():
        manager.alive()
    manager.status("one\nREADY=1")
    manager.stopping(40)
    assert any_socket.told() == [
        ["READY=1", "STATUS=gaia is ready"],
        ["WATCHDOG=1"],
        ["RELOADING=1", "MONOTONIC_USEC=12500000"],
        ["WATCHDOG=1"],
        ["READY=1"],
        ["STATUS=one READY=1"],
        ["STOPPING=1", "STATUS=ending", "EXTEND_TIMEOUT_USEC=40000000"],
    ]


async def test_time_is_asked_for_again_as_long_as_it_is_needed(
    notify_socket: NotifySocket, clock: FakeClock
) -> None:
    manager = ServiceManager(notify_socket.address, clock=clock)
    async with manager.given_time():
        for _ in range(3):
            await clock.until_sleeping()
            assert notify_socket.told() == [["EXTEND_TIMEOUT_USEC=60000000"]]
            clock.advance(20)
            await asyncio.sleep(0)
    assert len(notify_socket.told()) == 1
    assert clock.sleeping == ()


def test_children_do_not_learn_of_the_manager(
    notify_socket: NotifySocket, clock: FakeClock
) -> None:
    environ = {
        "NOTIFY_SOCKET": notify_socket.address,
        "WATCHDOG_USEC": "90000000",
        "WATCHDOG_PID": str(os.getpid()),
        "PATH": "/bin",
    }
    manager = ServiceManager.of_environment(environ, clock)
    assert environ == {"PATH": "/bin"}
    assert manager.watchdog_seconds == 90
    manager.alive()
    assert notify_socket.told() == [["WATCHDOG=1"]]


@pytest.mark.parametrize(
    "environ",
    [
        {"WATCHDOG_USEC": "90000000"},
        {"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "90000000", "WATCHDOG_PID": "1"},
        {"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "soon"},
        {"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "0"},
        {"NOTIFY_SOCKET": "/run/x"},
    ],
)
def test_nobody_waits_for_keep_alives_that_are_not_asked_for(
    environ: dict[str, str], clock: FakeClock
) -> None:
    assert ServiceManager.of_environment(environ, clock).watchdog_seconds is None


def test_without_a_manager_nobody_is_told(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    ServiceManager.of_environment({}, clock).ready("gaia is ready")
    assert caplog.messages == []


def test_a_manager_that_is_gone_does_no_harm(
    notify_socket: NotifySocket, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    manager = ServiceManager(notify_socket.address, clock=clock)
    notify_socket.close()
    manager.alive()
    assert "cannot be told WATCHDOG=1" in caplog.text


def test_a_manager_that_does_not_listen_holds_nothing_up(
    notify_socket: NotifySocket, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    manager = ServiceManager(notify_socket.address, clock=clock)
    while not caplog.messages:
        manager.alive()
    assert "temporarily unavailable" in caplog.text
