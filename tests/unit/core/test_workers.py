"""Workers: woken, never twice at once, patient after failures, and ended in three ways."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from datetime import timedelta

import pytest

from gaia.core.workers import Workers
from gaia.testing.clock import FakeClock, until


class Work:
    """Work that a test holds up, and whose results it gives. `begun` has the ids in order."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.ended: list[int] = []
        self.results: list[timedelta | Exception | None] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, conversation_id: int) -> timedelta | None:
        self.begun.append(conversation_id)
        await self.gate.wait()
        self.ended.append(conversation_id)
        result = self.results.pop(0) if self.results else None
        if isinstance(result, Exception):
            raise result
        return result


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def workers(work: Work, clock: FakeClock) -> Workers:
    return Workers("worker", work, clock)


async def settled() -> None:
    """Let everything run that can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_wake_while_working_is_not_lost_and_never_works_twice_at_once(
    workers: Workers, work: Work
) -> None:
    work.gate.clear()
    workers.wake(1)
    await settled()
    workers.wake(1)
    workers.wake(1)
    await settled()
    assert work.begun == [1]
    work.gate.set()
    await settled()
    assert work.begun == [1, 1]


async def test_conversations_do_not_wait_for_each_other(workers: Workers, work: Work) -> None:
    work.gate.clear()
    workers.wake(1)
    workers.wake(2)
    await settled()
    assert sorted(work.begun) == [1, 2]
    await workers.cancel()


async def test_no_task_is_left_when_there_is_nothing_to_do(workers: Workers, work: Work) -> None:
    workers.wake(1)
    await settled()
    assert not workers._tasks
    assert not workers._wakes
    workers.wake(1)
    await settled()
    assert work.begun == [1, 1]


async def test_work_is_done_again_at_once_or_after_the_time_it_wants(
    workers: Workers, work: Work, clock: FakeClock
) -> None:
    work.results = [timedelta(0), timedelta(seconds=5), None]
    workers.wake(1)
    await clock.until_sleeping()
    assert work.begun == [1, 1]
    clock.advance(4.9)
    await settled()
    assert work.begun == [1, 1]
    clock.advance(0.1)
    await settled()
    assert work.begun == [1, 1, 1]


async def test_a_wake_ends_a_wait_early_and_nothing_keeps_sleeping(
    workers: Workers, work: Work, clock: FakeClock
) -> None:
    work.results = [timedelta(hours=1)]
    workers.wake(1)
    await clock.until_sleeping()
    workers.wake(1)
    await settled()
    assert work.begun == [1, 1]
    assert clock.sleeping == ()


async def test_pauses_double_after_failures_up_to_a_minute_and_begin_again_after_a_success(
    workers: Workers, work: Work, clock: FakeClock
) -> None:
    broken = ValueError("broken")
    work.results = [*[broken] * 8, timedelta(0), broken]
    pauses = []
    workers.wake(1)
    for _ in range(9):
        await clock.until_sleeping()
        pauses.append(clock.sleeping[0])
        clock.advance(clock.sleeping[0])
        await settled()
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 1]


async def test_drain_lets_a_step_end_and_takes_no_other(workers: Workers, work: Work) -> None:
    work.results = [timedelta(0)]
    work.gate.clear()
    workers.wake(1)
    await settled()
    drained = asyncio.create_task(workers.drain())
    await settled()
    assert workers.closed
    assert not drained.done()
    work.gate.set()
    await drained
    workers.wake(1)
    workers.wake(2)
    await settled()
    assert work.begun == [1]


async def test_what_is_interrupted_may_be_begun_again(workers: Workers, work: Work) -> None:
    work.gate.clear()
    workers.wake(1)
    await settled()
    await workers.interrupt()
    assert not workers.closed
    work.gate.set()
    workers.wake(1)
    await settled()
    assert (work.begun, work.ended) == ([1, 1], [1])


async def test_drain_does_not_wait_for_what_waits_for_a_time(
    workers: Workers, work: Work, clock: FakeClock
) -> None:
    work.results = [timedelta(hours=1)]
    workers.wake(1)
    await clock.until_sleeping()
    await workers.drain()
    assert work.begun == [1]


async def test_flush_does_what_can_be_done_at_once_and_what_is_woken_meanwhile(
    workers: Workers, work: Work, clock: FakeClock
) -> None:
    work.results = [timedelta(0), timedelta(0), *[timedelta(hours=1)] * 2]
    work.gate.clear()
    workers.wake(1)
    await settled()
    flushed = asyncio.create_task(workers.flush())
    await settled()
    workers.wake(2)
    work.gate.set()
    await flushed
    assert set(work.ended) == {1, 2}
    assert work.results == []
    workers.wake(3)
    await settled()
    assert 3 not in work.begun
    assert clock.sleeping == ()


async def test_flush_ends_although_the_work_fails(workers: Workers, work: Work) -> None:
    work.results = [ValueError("broken")]
    workers.wake(1)
    await workers.flush()
    assert work.begun == [1]


async def test_cancel_interrupts_work_and_waits(
    workers: Workers, work: Work, clock: FakeClock
) -> None:
    work.gate.clear()
    workers.wake(1)
    await settled()
    await workers.cancel()
    assert (work.begun, work.ended) == ([1], [])
    assert not workers._tasks
    workers.wake(1)
    workers.wake(2)
    await settled()
    assert work.begun == [1]


async def test_a_worker_that_was_cancelled_before_its_first_step_is_gone(
    workers: Workers, work: Work
) -> None:
    workers.wake(1)
    await workers.cancel()
    assert work.begun == []


async def test_work_does_not_run_in_the_context_of_who_woke_it(clock: FakeClock) -> None:
    turn: ContextVar[str] = ContextVar("turn", default="none")
    seen: list[str] = []

    async def work(conversation_id: int) -> None:
        seen.append(turn.get())

    turn.set("somebody's")
    Workers("worker", work, clock).wake(1)
    await until(lambda: bool(seen))
    assert seen == ["none"]
