"""What all fuzzers have in common: how they are called, and how they tell what they found."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import NoReturn

SHOWN = 10
"""So many of the faults are shown, each up to so many characters."""
SHOWN_CHARACTERS = 2_000

Fuzz = Callable[[int, int], Awaitable[bool]]
"""Tries so many examples made from a seed, prints what came of them, and returns whether
all was well."""


def run(fuzz: Fuzz, description: str, *, count: int, what: str) -> NoReturn:
    """Run a fuzzer as its arguments tell, and exit with 1 when not all was well."""
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=count, help=f"how many {what}")
    parser.add_argument("--seed", type=int, default=1, help="what they are made from")
    arguments = parser.parse_args()
    sys.exit(0 if asyncio.run(_run(fuzz, arguments.count, arguments.seed, what)) else 1)


async def _run(fuzz: Fuzz, count: int, seed: int, what: str) -> bool:
    began = time.perf_counter()
    is_well = await fuzz(count, seed)
    seconds = time.perf_counter() - began
    print(f"{count} {what}, seed {seed}: {seconds:.1f} s, {count / seconds:.0f} a second")
    return is_well


def show(faults: Sequence[str]) -> bool:
    """Print the first of the faults; returns whether there are none."""
    for fault in faults[:SHOWN]:
        print(fault[:SHOWN_CHARACTERS])
    if len(faults) > SHOWN:
        print(f"and {len(faults) - SHOWN} more")
    return not faults
