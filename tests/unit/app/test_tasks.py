"""Background tasks: each by its name, ended and begun anew."""

from __future__ import annotations

import asyncio

import pytest

from gaia.app.tasks import Tasks
from gaia.testing.clock import FakeClock
from gaia.testing.until import until


class Work:
    """What a task does: it lives until it is cancelled."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0
        self.alive = asyncio.Event()

    async def run(self) -> None:
        self.begun += 1
        self.alive.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.ended += 1


async def test_a_task_that_is_stopped_has_ended() -> None:
    async with asyncio.TaskGroup() as group:
        tasks, work = Tasks(group, FakeClock()), Work()
        tasks.start("work", work.run)
        await work.alive.wait()
        await tasks.stop("work")
        assert (work.begun, work.ended) == (1, 1)
        await tasks.stop("work")


async def test_a_task_never_runs_twice_at_once() -> None:
    async with asyncio.TaskGroup() as group:
        tasks, work = Tasks(group, FakeClock()), Work()
        tasks.start("work", work.run)
        with pytest.raises(ValueError, match="runs already"):
            tasks.start("work", work.run)
        tasks.cancel()


async def test_nothing_is_begun_once_all_were_cancelled() -> None:
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        tasks, work = Tasks(group, FakeClock()), Work()
        tasks.cancel()
        tasks.start("work", work.run)
        tasks.run_once("work", work.run)
    assert work.begun == 0


async def test_what_is_run_once_takes_nothing_with_it_and_is_tried_again() -> None:
    clock, tries = FakeClock(), 0

    async def fail_first() -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise OSError("the disk is full")

    async with asyncio.TaskGroup() as group:
        tasks, work = Tasks(group, clock), Work()
        tasks.start("work", work.run)
        tasks.run_once("once", fail_first)
        await clock.until_sleeping()
        clock.advance(1)
        await until(lambda: tries == 2)
        assert work.ended == 0
        tasks.cancel()


async def test_what_runs_once_ends_by_itself_or_with_the_others() -> None:
    done = []

    async def note() -> None:
        done.append("noted")

    async with asyncio.TaskGroup() as group:
        tasks, work = Tasks(group, FakeClock()), Work()
        tasks.run_once("note", note)
        tasks.run_once("work", work.run)
        await work.alive.wait()
        tasks.cancel()
    assert (done, work.ended) == (["noted"], 1)


async def test_a_task_that_is_not_supervised_takes_all_with_it() -> None:
    async def fail() -> None:
        raise OSError("gone")

    async def serve() -> None:
        async with asyncio.TaskGroup() as group:
            tasks = Tasks(group, FakeClock())
            tasks.start("work", Work().run)
            tasks.start("server", fail, supervised=False)

    with pytest.raises(BaseExceptionGroup) as raised:
        await serve()
    assert [type(each) for each in raised.value.exceptions] == [OSError]
