from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

import pytest

from gaia.clock import first_of, growing_pauses, retry, time_left, until_set, within
from gaia.testing.clock import START, FakeClock


async def test_the_first_to_end_gives_the_result_and_the_others_are_cancelled() -> None:
    ended: list[str] = []

    async def slow() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("slow")
        raise AssertionError

    async def quick() -> str:
        await asyncio.sleep(0)
        return "quick"

    assert await first_of(slow(), quick()) == "quick"
    assert ended == ["slow"]


async def test_a_failure_wins_over_a_result_at_the_same_time() -> None:
    async def well() -> str:
        return "well"

    async def badly() -> str:
        raise ValueError("badly")

    with pytest.raises(ValueError, match="badly"):
        await first_of(well(), badly())


async def test_what_fails_while_it_is_cancelled_is_not_raised() -> None:
    async def stubborn() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            raise OSError("too late")

    assert await first_of(asyncio.sleep(0, "done"), stubborn()) == "done"


async def test_whoever_waits_for_the_first_and_is_cancelled_leaves_no_task_behind() -> None:
    waiting = asyncio.create_task(first_of(asyncio.sleep(3600), asyncio.sleep(3600)))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_work_that_ends_in_time_gives_its_result() -> None:
    clock = FakeClock()
    assert await within(clock, 5.0, asyncio.sleep(0, "done")) == "done"
    assert clock.sleeping == ()


async def test_work_that_has_not_begun_can_be_cancelled() -> None:
    waiting = asyncio.create_task(within(FakeClock(), 5.0, asyncio.sleep(0)))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_work_that_takes_too_long_is_ended() -> None:
    clock = FakeClock()
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    waiting = asyncio.create_task(within(clock, 5.0, work()))
    await clock.until_sleeping()
    clock.advance(4.9)
    await asyncio.sleep(0)
    assert not waiting.done()
    clock.advance(0.1)
    with pytest.raises(TimeoutError):
        await waiting
    assert ended.is_set()


async def test_what_work_raises_is_raised() -> None:
    async def work() -> None:
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        await within(FakeClock(), 5.0, work())


def test_pauses_grow_up_to_the_longest() -> None:
    assert list(islice(growing_pauses(1.0, 5.0), 5)) == [1.0, 2.0, 4.0, 5.0, 5.0]


async def test_what_fails_is_tried_again_after_the_pause_that_its_failure_asks_for() -> None:
    clock = FakeClock()
    failures = [OSError(7), OSError(0), OSError(0)]
    asked_for: list[float] = []

    async def attempt() -> str:
        if failures:
            raise failures.pop(0)
        return "done"

    async def failed(exc: OSError, pauses: Iterator[float]) -> float:
        asked_for.append(exc.args[0] or next(pauses))
        return asked_for[-1]

    probe = asyncio.create_task(retry(clock, attempt, growing_pauses(1.0, 60.0), OSError, failed))
    for pause in (7.0, 1.0, 2.0):
        await clock.until_sleeping()
        assert clock.sleeping == (pause,)
        clock.advance(pause)
        await asyncio.sleep(0)
    assert await probe == "done"
    assert asked_for == [7.0, 1.0, 2.0]


async def test_another_failure_ends_the_tries() -> None:
    async def attempt() -> None:
        raise ValueError("wrong")

    async def failed(exc: OSError, pauses: Iterator[float]) -> float:
        raise AssertionError

    with pytest.raises(ValueError, match="wrong"):
        await retry(FakeClock(), attempt, growing_pauses(1.0, 60.0), OSError, failed)


async def test_an_event_is_waited_for_until_it_is_set() -> None:
    clock, event = FakeClock(), asyncio.Event()
    waiting = asyncio.create_task(until_set(clock, 5.0, event))
    await clock.until_sleeping()
    assert not waiting.done()
    event.set()
    await waiting
    assert clock.sleeping == ()


async def test_an_event_that_is_not_set_is_waited_for_no_longer_than_that() -> None:
    clock = FakeClock()
    waiting = asyncio.create_task(until_set(clock, 5.0, asyncio.Event()))
    await clock.until_sleeping()
    clock.advance(5.0)
    await waiting


@pytest.mark.parametrize(
    ("planned", "left"),
    [
        (None, timedelta(0)),
        (START - timedelta(days=400), timedelta(0)),
        (START, timedelta(0)),
        (START + timedelta(days=4), timedelta(days=4)),
        (START + timedelta(days=400), timedelta(0)),
    ],
)
def test_what_was_planned_by_a_clock_that_was_ahead_is_due(
    planned: datetime | None, left: timedelta
) -> None:
    assert time_left(planned, START) == left
