"""What counts now: seen at once by whoever asks, and not closed while it is used."""

from __future__ import annotations

import asyncio

from gaia.swappable import Swappable


def test_whoever_asks_sees_the_present_one() -> None:
    swappable = Swappable("one")
    swappable.replace("two")
    assert swappable.value == "two"


async def test_a_replaced_one_is_over_once_nobody_uses_it() -> None:
    swappable = Swappable("one")
    with swappable.lease() as used:
        lease = swappable.replace("two")
        returned = asyncio.ensure_future(lease.returned())
        await asyncio.sleep(0)
        assert (used, swappable.value, returned.done()) == ("one", "two", False)
        with swappable.lease() as next_used:
            assert next_used == "two"
        await asyncio.sleep(0)
        assert not returned.done()
    await returned


async def test_one_that_nobody_uses_is_over_at_once() -> None:
    await Swappable("one").replace("two").returned()


async def test_a_failure_ends_the_use() -> None:
    swappable = Swappable("one")
    try:
        with swappable.lease():
            raise ValueError
    except ValueError:
        pass
    await swappable.replace("two").returned()
