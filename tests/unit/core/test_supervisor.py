"""Supervision: what dies is started again, with pauses that grow and are forgiven."""

from __future__ import annotations

import asyncio
import logging

import pytest

from gaia.app.tasks import keep_running
from gaia.testing.clock import FakeClock
from gaia.testing.until import until


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def test_pauses_double_up_to_a_minute(clock: FakeClock) -> None:
    failures: list[Exception] = []

    async def die() -> None:
        raise ValueError("broken")

    task = asyncio.create_task(keep_running("part", die, clock, on_failure=failures.append))
    pauses = []
    for _ in range(8):
        await clock.until_sleeping()
        pauses.append(clock.sleeping[0])
        clock.advance(clock.sleeping[0])
        await until(lambda: clock.sleeping == ())
    task.cancel()
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    assert str(failures[0]) == "broken"


async def test_a_part_that_ran_long_is_trusted_again_and_the_log_tells_the_true_pause(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    async def run_for_an_hour() -> None:
        await clock.sleep(3600)
        raise ValueError("broken")

    async def die() -> None:
        raise ValueError("broken")

    lives = [die, die, die, run_for_an_hour]
    task = asyncio.create_task(keep_running("part", lambda: lives.pop(0)(), clock))
    for pause in (1, 2, 4, 3600):
        await until(lambda pause=pause: clock.sleeping == (pause,))
        clock.advance(pause)
    await until(lambda: clock.sleeping == (1.0,))
    task.cancel()
    assert caplog.messages[-1] == "part died, and is started again in 1 s"


async def test_a_part_that_ends_by_itself_has_failed(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    async def end() -> None:
        return

    task = asyncio.create_task(keep_running("part", end, clock))
    await clock.until_sleeping()
    task.cancel()
    assert caplog.records[0].levelno == logging.ERROR
    assert "part ended by itself" in caplog.text


async def test_a_cancelled_part_is_not_started_again(clock: FakeClock) -> None:
    starts = []

    async def run() -> None:
        starts.append(1)
        await asyncio.Event().wait()

    task = asyncio.create_task(keep_running("part", run, clock))
    await until(lambda: bool(starts))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert starts == [1]
