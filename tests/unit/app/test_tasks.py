"""Background tasks: each by its name, ended and begun again."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from gaia.app.tasks import Listeners, Place, Tasks, keep_running
from gaia.errors import ListenError
from gaia.testing.clock import FakeClock, until


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


HOST = "127.0.0.1"


def free_port() -> int:
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def app() -> Starlette:
    async def hello(_: object) -> PlainTextResponse:
        return PlainTextResponse("hello")

    return Starlette(routes=[Route("/", hello)])


async def answers(port: int) -> bool:
    async with httpx.AsyncClient() as client:
        try:
            return (await client.get(f"http://{HOST}:{port}/")).text == "hello"
        except httpx.ConnectError:
            return False


@pytest.fixture
async def listening() -> AsyncIterator[Listeners]:
    with ExitStack() as stack:
        async with asyncio.TaskGroup() as group:
            tasks = Tasks(group, FakeClock())
            listening = Listeners(tasks, {"web": app})
            stack.enter_context(listening.closing())
            yield listening
            tasks.cancel()


async def test_a_server_moves(listening: Listeners) -> None:
    first, second = free_port(), free_port()
    listening.open("web", Place(HOST, first))
    assert await answers(first)
    await listening.move("web", Place(HOST, second))
    assert (await answers(first), await answers(second)) == (False, True)
    await listening.move("web", None)
    assert not await answers(second)
    await listening.move("web", Place(HOST, first))
    assert await answers(first)


async def test_where_it_cannot_listen_it_stays_where_it_was(listening: Listeners) -> None:
    first = free_port()
    listening.open("web", Place(HOST, first))
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=str(port)):
            await listening.move("web", Place(HOST, port))
    assert await answers(first)


async def test_at_its_own_port_it_may_take_another_address(listening: Listeners) -> None:
    port = free_port()
    listening.open("web", Place(HOST, port))
    assert await answers(port)
    await listening.move("web", Place("127.0.0.2", port))
    assert not await answers(port)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def test_pauses_double_up_to_a_minute(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    async def die() -> None:
        raise ValueError("broken")

    task = asyncio.create_task(keep_running("part", die, clock))
    pauses = []
    for _ in range(8):
        await clock.until_sleeping()
        pauses.append(clock.sleeping[0])
        clock.advance(clock.sleeping[0])
        await until(lambda: clock.sleeping == ())
    task.cancel()
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    assert str(caplog.records[0].exc_info[1]) == "broken"


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
