"""What counts now: seen at once by whoever asks, and not closed while it is used."""

from __future__ import annotations

import asyncio

from gaia.current import Current


def test_whoever_asks_sees_the_present_one() -> None:
    current = Current("one")
    current.replace("two")
    assert current.now == "two"


async def test_a_replaced_one_is_over_once_nobody_uses_it() -> None:
    current = Current("one")
    with current.using() as used:
        use = current.replace("two")
        over = asyncio.ensure_future(use.over())
        await asyncio.sleep(0)
        assert (used, current.now, over.done()) == ("one", "two", False)
        with current.using() as next_used:
            assert next_used == "two"
        await asyncio.sleep(0)
        assert not over.done()
    await over


async def test_one_that_nobody_uses_is_over_at_once() -> None:
    await Current("one").replace("two").over()


async def test_a_failure_ends_the_use() -> None:
    current = Current("one")
    try:
        with current.using():
            raise ValueError
    except ValueError:
        pass
    await current.replace("two").over()
