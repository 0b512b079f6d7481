"""load: many people at once over Telegram, each of whom writes again when answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import chain

from figures import Figure, milliseconds, slow_milliseconds
from gaia_outside import outside, person
from kit import Kit

PEOPLE = (1, 16, 64)
QUICK_PEOPLE = (1, 4)
MESSAGES_EACH = 12
QUICK_MESSAGES_EACH = 3


async def measure(quick: bool) -> Sequence[Figure]:
    crowds = QUICK_PEOPLE if quick else PEOPLE
    each = QUICK_MESSAGES_EACH if quick else MESSAGES_EACH
    figures: list[Figure] = []
    async with outside(people=crowds[-1]) as daemon:

        async def ask(number: int, message: int) -> float:
            return await daemon.ask(person(daemon.telegram, number), f"This is message {message}.")

        await ask(0, 0)
        for people in crowds:
            kit = Kit()
            floor, _ = await crowd(lambda n, m, kit=kit: kit.turn(f"{n}", m), people, each)
            rate, taken = await crowd(ask, people, each)
            figures += _figures(people, rate, taken, floor)
    return figures


async def crowd(
    ask: Callable[[int, int], Awaitable[float]], people: int, messages: int
) -> tuple[float, list[float]]:
    """The answers a second, and the seconds that each took, of people who write again when
    answered."""

    async def one(number: int) -> list[float]:
        return [await ask(number, message) for message in range(messages)]

    started = time.perf_counter()
    taken = list(chain.from_iterable(await asyncio.gather(*map(one, range(people)))))
    return len(taken) / (time.perf_counter() - started), taken


def _figures(people: int, rate: float, taken: list[float], floor: float) -> Sequence[Figure]:
    name = f"{people} at once"
    median = milliseconds(taken)
    return [
        Figure(f"{name}, time an answer", 1000 / rate, "ms", 1000 / floor, "kit"),
        Figure(f"{name}, answers", rate, "a second"),
        Figure(f"{name}, median", median, "ms"),
        Figure(f"{name}, 95 of 100", slow_milliseconds(taken), "ms", median, "median"),
    ]
