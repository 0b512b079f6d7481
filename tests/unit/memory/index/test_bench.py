"""Calls that block run in threads of their own."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest

from gaia.memory.index.bench import Bench
from gaia.testing.until import until


async def test_calls_run_in_order_off_the_loop():
    bench, ran = Bench("test"), []

    def call(number: int) -> tuple[int, int]:
        ran.append(number)
        return number, threading.get_ident()

    results = await asyncio.gather(*(bench.run(lambda n=n: call(n)) for n in range(5)))
    assert ran == [0, 1, 2, 3, 4]
    assert [number for number, _ in results] == ran
    assert threading.get_ident() not in {thread for _, thread in results}
    bench.close()


async def test_what_a_call_raises_reaches_whoever_waits():
    class Panic(BaseException):
        """What a library in another language throws."""

    def fail() -> None:
        raise Panic

    bench = Bench("test")
    with pytest.raises(Panic):
        await bench.run(fail)
    assert await bench.run(lambda: 1) == 1
    bench.close()


async def test_a_thread_whose_caller_has_left_counts_as_stuck_until_it_returns():
    bench, started, release = Bench("test"), threading.Event(), threading.Event()

    def hang() -> None:
        started.set()
        release.wait()

    waiting = asyncio.create_task(bench.run(hang))
    await until(started.is_set)
    assert not bench.stuck
    waiting.cancel()
    await asyncio.wait((waiting,))
    assert bench.stuck
    release.set()
    await until(lambda: not bench.stuck)
    assert await bench.run(lambda: "goes on") == "goes on"
    bench.close()


async def test_a_call_that_nobody_waits_for_any_more_is_not_begun():
    bench, started, release, ran = Bench("test"), threading.Event(), threading.Event(), []

    def hang() -> None:
        started.set()
        release.wait()

    first = asyncio.create_task(bench.run(hang))
    await until(started.is_set)
    second = asyncio.create_task(bench.run(lambda: ran.append("second")))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait((second,))
    release.set()
    await first
    await bench.run(lambda: ran.append("third"))
    assert ran == ["third"]
    bench.close()


async def test_its_threads_end_when_it_is_closed():
    bench = Bench("ending", threads=2)
    await bench.run(lambda: None)
    named = [each for each in threading.enumerate() if each.name.startswith("ending")]
    assert len(named) == 2
    bench.close()
    for thread in named:
        await asyncio.to_thread(thread.join, 5)
        assert not thread.is_alive()


async def test_a_bench_that_is_used_again_waits_for_no_thread_that_hangs():
    bench, started, release = Bench("test"), threading.Event(), threading.Event()

    def hang() -> None:
        started.set()
        release.wait()

    waiting = asyncio.create_task(bench.run(hang))
    await until(started.is_set)
    waiting.cancel()
    await asyncio.wait((waiting,))
    bench.close()
    assert not bench.stuck
    async with asyncio.timeout(5):
        assert await bench.run(lambda: "goes on") == "goes on"
    release.set()
    bench.close()


async def test_its_threads_end_when_nobody_holds_it_any_more():
    class Reader:
        def __init__(self) -> None:
            self.bench = Bench("dropped", threads=2)

        def read(self) -> int:
            return 1

    reader = Reader()
    assert await reader.bench.run(reader.read) == 1
    del reader
    gc.collect()
    await until(lambda: not any("dropped" in each.name for each in threading.enumerate()))
