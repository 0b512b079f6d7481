"""What was done is kept, however long that takes."""

from __future__ import annotations

import asyncio

import pytest

from gaia.core.patience import LONGEST_SECONDS, kept
from gaia.errors import StoreError, VanishedError
from gaia.store.engine import UnknownOutcomeError
from gaia.testing.clock import FakeClock


class Failing:
    """A write that fails so often."""

    def __init__(self, times: int, exc: Exception) -> None:
        self.left, self.exc = times, exc

    async def __call__(self) -> str:
        if self.left:
            self.left -= 1
            raise self.exc
        return "kept"


async def test_a_database_that_does_not_answer_is_waited_for() -> None:
    clock, write = FakeClock(), Failing(20, StoreError("it is away"))
    keeping = asyncio.create_task(kept(clock, write))
    for _ in range(write.left):
        await clock.until_sleeping()
        clock.advance(LONGEST_SECONDS)
    assert await keeping == "kept"


@pytest.mark.parametrize("exc", [VanishedError("gone"), UnknownOutcomeError("?"), LookupError()])
async def test_what_waiting_does_not_mend_is_told(exc: Exception) -> None:
    with pytest.raises(type(exc)):
        await kept(FakeClock(), Failing(1, exc))
