"""Work that gives way to turns: it waits for them, and is begun anew after them."""

from __future__ import annotations

import asyncio

import pytest

from gaia.core.turns import Turns
from gaia.testing.until import until


class Call:
    """A call that a test holds up."""

    def __init__(self) -> None:
        self.begun = 0
        self.cancelled = 0
        self.gate = asyncio.Event()

    async def __call__(self) -> str:
        self.begun += 1
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return "done"


async def test_a_call_is_made_at_once_when_no_turn_runs() -> None:
    turns, call = Turns(), Call()
    call.gate.set()
    assert await turns.give_way(call) == "done"


async def test_a_call_waits_for_the_last_turn() -> None:
    turns, call = Turns(), Call()
    call.gate.set()
    with turns.one_running():
        with turns.one_running():
            made = asyncio.create_task(turns.give_way(call))
        for _ in range(10):
            await asyncio.sleep(0)
        assert not call.begun
    assert await made == "done"


async def test_a_call_is_given_up_for_a_turn_and_made_again_after_it() -> None:
    turns, call = Turns(), Call()
    made = asyncio.create_task(turns.give_way(call))
    await until(lambda: call.begun == 1)
    with turns.one_running():
        await until(lambda: call.cancelled == 1)
        call.gate.set()
    assert await made == "done"
    assert call.begun == 2


async def test_a_failure_is_the_callers() -> None:
    async def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await Turns().give_way(fail)


async def test_whoever_is_cancelled_leaves_no_call_behind() -> None:
    turns, call = Turns(), Call()
    made = asyncio.create_task(turns.give_way(call))
    await until(lambda: call.begun == 1)
    made.cancel()
    with pytest.raises(asyncio.CancelledError):
        await made
    assert call.cancelled == 1
