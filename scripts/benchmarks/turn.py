"""turn: what one text turn takes, in this process and over Telegram, against the kit alone."""

from __future__ import annotations

from collections.abc import Sequence

from figures import Figure, milliseconds, slow_milliseconds
from gaia_inside import inside
from gaia_outside import outside, person
from kit import Kit

from tests.harness.transactions import Counted

WARM_UP = 25
"""Turns after which the window of a conversation is full."""


async def measure(quick: bool) -> Sequence[Figure]:
    turns = 5 if quick else 100
    kit = Kit()
    bare = [await kit.turn("ada", number) for number in range(WARM_UP + turns)]
    floor = milliseconds(bare[0 if quick else WARM_UP :])
    async with inside() as gaia:
        await _many(gaia.turn, 0, 0 if quick else WARM_UP)
        counted = Counted()
        taken = await _many(gaia.turn, WARM_UP, turns)
        statements = len(counted.statements) / turns
        transactions = counted.transactions / turns
    async with outside() as daemon:
        writer = person(daemon.telegram, 0)
        await _ask(daemon, writer, 2 if quick else WARM_UP)
        over_telegram = await _ask(daemon, writer, turns)
    return [
        Figure("turn in process, median", milliseconds(taken), "ms", floor, "kit"),
        Figure("turn in process, 95 of 100", slow_milliseconds(taken), "ms", floor, "kit"),
        Figure("statements a turn", statements, "statements"),
        Figure("transactions a turn", transactions, "transactions"),
        Figure("turn over Telegram, median", milliseconds(over_telegram), "ms", floor, "kit"),
    ]


async def _many(turn, first: int, count: int) -> list[float]:
    return [await turn(number) for number in range(first, first + count)]


async def _ask(daemon, writer, count: int) -> list[float]:
    return [await daemon.ask(writer, f"This is message {number}.") for number in range(count)]
