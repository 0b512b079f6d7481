from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from gaia.ops.service.notify import ServiceManager
from gaia.testing.clock import FakeClock

if TYPE_CHECKING:
    from conftest import NotifySocket


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
