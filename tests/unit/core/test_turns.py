"""Work gives way to turns, and turns take their places among those that run."""

from __future__ import annotations

import asyncio

import pytest

from gaia.core.turns import Slots, Turns
from gaia.testing.clock import until


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


class SlottedTurns:
    """Turns that hold their slots until they are told to end."""

    def __init__(self, total: int) -> None:
        self.running: list[str] = []
        self._slots = Slots(total)
        self._end = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self, *user_ids: str) -> None:
        self._tasks += [asyncio.create_task(self._run(user_id)) for user_id in user_ids]

    async def settle(self) -> list[str]:
        """Who runs, once everybody who can has begun."""
        for _ in range(5):
            await asyncio.sleep(0)
        return self.running

    async def end(self) -> None:
        self._end.set()
        await asyncio.gather(*self._tasks)

    async def _run(self, user_id: str) -> None:
        async with self._slots.taken(user_id):
            self.running.append(user_id)
            await self._end.wait()


@pytest.mark.parametrize(("total", "own"), [(1, 1), (2, 1), (5, 3), (8, 4)])
async def test_one_user_has_at_most_half(total: int, own: int) -> None:
    turns = SlottedTurns(total)
    turns.begin(*["ada"] * 10)
    assert await turns.settle() == ["ada"] * own
    await turns.end()
    assert turns.running == ["ada"] * 10


async def test_others_begin_while_one_user_waits_for_their_own() -> None:
    turns = SlottedTurns(4)
    turns.begin("ada", "ada", "ada", "ada", "bob", "grace", "carl")
    assert await turns.settle() == ["ada", "ada", "bob", "grace"]
    await turns.end()
    assert sorted(turns.running) == ["ada"] * 4 + ["bob", "carl", "grace"]


async def test_a_cancelled_wait_takes_no_slot() -> None:
    slots = Slots(1)
    async with slots.taken("ada"):
        waiting = asyncio.create_task(slots.taken("bob").__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    async with slots.taken("carl"):
        pass
