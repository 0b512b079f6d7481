"""Background tasks: each by its name, ended and begun anew."""

from __future__ import annotations

import asyncio

import pytest

from gaia.tasks import Tasks
from gaia.testing.clock import FakeClock


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


async def test_a_task_that_is_restarted_never_runs_twice_at_once() -> None:
    async with asyncio.TaskGroup() as group:
        tasks, first, second = Tasks(group, FakeClock()), Work(), Work()
        tasks.start("work", first.run)
        await first.alive.wait()
        await tasks.restart("work", second.run)
        assert first.ended == 1
        await second.alive.wait()
        with pytest.raises(ValueError, match="runs already"):
            tasks.start("work", first.run)
        tasks.cancel()
    assert second.ended == 1


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
