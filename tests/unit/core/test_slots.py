"""Slots: a limit over all, and half of it for one user."""

from __future__ import annotations

import asyncio

import pytest

from gaia.core.turns import Slots


class Turns:
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
    turns = Turns(total)
    turns.begin(*["ada"] * 10)
    assert await turns.settle() == ["ada"] * own
    await turns.end()
    assert turns.running == ["ada"] * 10


async def test_others_begin_while_one_user_waits_for_their_own() -> None:
    turns = Turns(4)
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
