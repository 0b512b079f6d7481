"""Calls that block run in threads of their own."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest

from gaia.testing.clock import until
from gaia.threads import DaemonThreadPool


async def test_calls_run_in_order_off_the_loop():
    pool, ran = DaemonThreadPool("test"), []

    def call(number: int) -> tuple[int, int]:
        ran.append(number)
        return number, threading.get_ident()

    results = await asyncio.gather(*(pool.run(lambda n=n: call(n)) for n in range(5)))
    assert ran == [0, 1, 2, 3, 4]
    assert [number for number, _ in results] == ran
    assert threading.get_ident() not in {thread for _, thread in results}
    pool.close()


async def test_what_a_call_raises_reaches_whoever_waits():
    class Panic(BaseException):
        """What a library in another language throws."""

    def fail() -> None:
        raise Panic

    pool = DaemonThreadPool("test")
    with pytest.raises(Panic):
        await pool.run(fail)
    assert await pool.run(lambda: 1) == 1
    pool.close()


async def test_a_thread_whose_caller_has_left_counts_as_stuck_until_it_returns():
    pool, started, release = DaemonThreadPool("test"), threading.Event(), threading.Event()

    def hang() -> None:
        started.set()
        release.wait()

    waiting = asyncio.create_task(pool.run(hang))
    await until(started.is_set)
    assert not pool.exhausted
    waiting.cancel()
    await asyncio.wait((waiting,))
    assert pool.exhausted
    release.set()
    await until(lambda: not pool.exhausted)
    assert await pool.run(lambda: "goes on") == "goes on"
    pool.close()


async def test_a_call_that_nobody_waits_for_any_more_is_not_begun():
    pool, started, release, ran = DaemonThreadPool("test"), threading.Event(), threading.Event(), []

    def hang() -> None:
        started.set()
        release.wait()

    first = asyncio.create_task(pool.run(hang))
    await until(started.is_set)
    second = asyncio.create_task(pool.run(lambda: ran.append("second")))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait((second,))
    release.set()
    await first
    await pool.run(lambda: ran.append("third"))
    assert ran == ["third"]
    pool.close()


async def test_its_threads_end_when_it_is_closed():
    pool = DaemonThreadPool("ending", threads=2)
    await pool.run(lambda: None)
    named = [each for each in threading.enumerate() if each.name.startswith("ending")]
    assert len(named) == 2
    pool.close()
    for thread in named:
        await asyncio.to_thread(thread.join, 5)
        assert not thread.is_alive()


async def test_a_pool_that_is_used_again_waits_for_no_thread_that_hangs():
    pool, started, release = DaemonThreadPool("test"), threading.Event(), threading.Event()

    def hang() -> None:
        started.set()
        release.wait()

    waiting = asyncio.create_task(pool.run(hang))
    await until(started.is_set)
    waiting.cancel()
    await asyncio.wait((waiting,))
    pool.close()
    assert not pool.exhausted
    async with asyncio.timeout(5):
        assert await pool.run(lambda: "goes on") == "goes on"
    release.set()
    pool.close()


async def test_its_threads_end_when_nobody_holds_it_any_more():
    class Reader:
        def __init__(self) -> None:
            self.pool = DaemonThreadPool("dropped", threads=2)

        def read(self) -> int:
            return 1

    reader = Reader()
    assert await reader.pool.run(reader.read) == 1
    del reader
    gc.collect()
    await until(lambda: not any("dropped" in each.name for each in threading.enumerate()))
