from __future__ import annotations

import asyncio

import pytest

from gaia.testing.clock import BUSY_ROUNDS, POLL_SECONDS, START, FakeClock, until


async def test_time_stands_still_until_it_is_advanced() -> None:
    clock = FakeClock()
    assert clock.now() == START
    clock.advance(90)
    assert (clock.now() - START).total_seconds() == 90
    assert clock.monotonic() == 90


async def test_sleepers_wake_in_the_order_of_their_due_times() -> None:
    clock = FakeClock()
    woken: list[float] = []

    async def sleep(seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append(seconds)

    async with asyncio.TaskGroup() as group:
        for seconds in (30, 10, 20):
            group.create_task(sleep(seconds))
        await clock.until_sleeping(3)
        assert clock.sleeping == (10, 20, 30)
        clock.advance(20)
        await asyncio.sleep(0)
        assert woken == [10, 20]
        assert clock.sleeping == (10,)
        clock.advance(10)
    assert woken == [10, 20, 30]


async def test_a_cancelled_sleeper_is_forgotten() -> None:
    clock = FakeClock()
    task = asyncio.create_task(clock.sleep(10))
    await clock.until_sleeping()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert clock.sleeping == ()


async def test_sleeping_for_no_time_does_not_wait() -> None:
    await FakeClock().sleep(0)


async def test_a_long_wait_leaves_the_processor_to_others() -> None:
    """It looks at once a few times, and then as often as the time that passes allows."""
    looks, happened = 0, asyncio.Event()

    def has_happened() -> bool:
        nonlocal looks
        looks += 1
        return happened.is_set()

    asyncio.get_running_loop().call_later(50 * POLL_SECONDS, happened.set)
    await until(has_happened)
    assert looks <= BUSY_ROUNDS + 60
