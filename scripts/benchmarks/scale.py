"""scale: many people at once over Telegram's webhook and a balancer: with a SQLite file, and with
PostgreSQL and one and three processes."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from figures import Figure, milliseconds, slow_milliseconds
from load import crowd

from tests.harness.cluster import cluster_of
from tests.harness.postgres import MISSING, PostgresServer, postgres_server, programs
from tests.harness.processes import spawn

PEOPLE, QUICK_PEOPLE = 32, 4
MESSAGES_EACH, QUICK_MESSAGES_EACH = 12, 3
PROCESSES = (1, 3)
FIRST_PERSON = 1000


async def measure(quick: bool) -> Sequence[Figure]:
    sqlite = await _measure("SQLite", 1, None, quick, None)
    figures = list(sqlite)
    if programs() is None:
        print(MISSING, file=sys.stderr)
        return figures
    with postgres_server() as server:
        for count in PROCESSES[:1] if quick else PROCESSES:
            name = f"PostgreSQL, {count} process{'es' if count > 1 else ''}"
            figures += await _measure(name, count, server, quick, sqlite[0].value)
    return figures


async def _measure(
    name: str, count: int, server: PostgresServer | None, quick: bool, floor: float | None
) -> Sequence[Figure]:
    people = range(FIRST_PERSON, FIRST_PERSON + (QUICK_PEOPLE if quick else PEOPLE))
    each = QUICK_MESSAGES_EACH if quick else MESSAGES_EACH
    with TemporaryDirectory() as folder:
        async with cluster_of(count, people, Path(folder), spawn, server) as cluster:
            await cluster.start()
            telegram = cluster.telegram
            persons = [telegram.person(number) for number in people]

            async def ask(number: int, message: int) -> float:
                person = persons[number]
                seen, started = len(telegram.messages(person)), time.perf_counter()
                person.writes(f"This is message {message}.")
                await telegram.until(lambda: len(telegram.messages(person)) > seen)
                return time.perf_counter() - started

            await crowd(ask, len(persons), 1)
            rate, taken = await crowd(ask, len(persons), each)
    named = f"{name}, {len(persons)} at once"
    return [
        Figure(f"{named}, time an answer", 1000 / rate, "ms", floor, "SQLite" if floor else ""),
        Figure(f"{named}, answers", rate, "a second"),
        Figure(f"{named}, median", milliseconds(taken), "ms"),
        Figure(f"{named}, 95 of 100", slow_milliseconds(taken), "ms"),
    ]
