"""scripts/soak: a year in the life of a home, by a clock of its own.

Three people talk, learn gaia to know them, forget and begin again; settings change, backups
are made, and each month gaia is started again and killed once. Ends with 1 when a figure is
not flat, a message was not answered once, or something forgotten is found.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from soak_figures import Period, as_json, not_flat, print_table
from soak_life import Life
from soak_search import found

from gaia.paths import Home

TURNS = 20_000
MONTHS = 12
DAYS_A_MONTH = 30

QUICK_TURNS = 300
QUICK_WEEKS = 4
DAYS_A_WEEK = 7

LEAST_PERIODS = 4
"""With fewer nothing can be said about a trend."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="four weeks, as a test")
    parser.add_argument("--json", action="store_true", help="print JSON for a script to read")
    parser.add_argument("--turns", type=int, help=f"what is said in all, {TURNS:,} by default")
    parser.add_argument("--months", type=int, default=MONTHS, help=f"{MONTHS} by default")
    parser.add_argument("--seed", type=int, help="repeats what people said in an earlier run")
    options = parser.parse_args(arguments)
    if options.months < LEAST_PERIODS:
        parser.error(f"--months is {options.months}, and a trend takes at least {LEAST_PERIODS}")
    if options.seed is None:
        options.seed = time.time_ns() % 1_000_000
    return asyncio.run(_soak(options))


async def _soak(options: argparse.Namespace) -> int:
    unit = "week" if options.quick else "month"
    turns = options.turns or (QUICK_TURNS if options.quick else TURNS)
    count = QUICK_WEEKS if options.quick else options.months
    days = DAYS_A_WEEK if options.quick else DAYS_A_MONTH
    _tell(f"seed {options.seed}, {turns:,} messages in {count} {unit}s of {days} days")
    with TemporaryDirectory() as folder:
        life = Life(Home(Path(folder) / "home"), options.seed, turns, count, days)
        await life.begin()
        periods = []
        for number in range(1, count + 1):
            started = time.monotonic()
            period = await life.live(number)
            periods.append(period)
            if not options.quick or number == 1:
                await life.crash()
            _tell(_progress(period, unit, time.monotonic() - started))
        await life.end()
        left = found(life.home.root, life.talk.forgotten)
    faults = not_flat(periods) + life.post.faults
    faults += [f"forgotten, and still in {name}: {', '.join(left[name])}" for name in left]
    if options.json:
        told = {
            "seed": options.seed,
            "unit": unit,
            "said": life.talk.said,
            "forgotten": len(life.talk.forgotten),
            "periods": as_json(periods),
            "faults": faults,
        }
        print(json.dumps(told, indent=2))
    else:
        print_table(periods, unit)
        print(f"{life.talk.said:,} messages, {len(life.talk.forgotten):,} memories forgotten")
        print("\n".join(faults) or "All is flat, answered once, and forgotten where it was meant.")
    return 1 if faults else 0


def _progress(period: Period, unit: str, seconds: float) -> str:
    return (
        f"{unit} {period.number}: {period.turns:,} messages in {seconds:.0f} s, "
        f"{period.resident_mb:.0f} MB resident, gaia.db {period.database_mb:.1f} MB, "
        f"{period.threads} threads, {period.descriptors} descriptors, "
        f"{period.turn_ms:.1f} ms a turn"
    )


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
