"""What a soak measures at the end of each period, and what of it has to be flat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields

from rich.console import Console
from rich.table import Table

WAL_MOST_MB = 16.8
"""The write-ahead log's limit, `journal_size_limit` in gaia's store."""

MOST_CONNECTIONS = 10
"""The limit of Chroma's pool, which opens and closes them as it likes."""

SPARE = {"descriptors": 4, "threads": 2}
"""So many more than in the first quarter there may be: SQLite puts off closing a file for as
long as another connection of the process holds a lock on it, and gaia.db has four; and Chroma's
runtime has threads for calls that block, which come when two are made at once and end after ten
seconds without one."""

MEMORY_SLACK = 1.15
"""So many times the most of the first quarter may be resident later, or of the second period:
in the first, jobs of the night and the week run for the first time."""

TURN_SLACK = 1.5
"""So many times a turn of the second period one of the last may take."""

GROWTH_SLACK = 1.5
GROWTH_LEAST_MB = 0.5
"""The database may grow by so many times what it grew by for as many turns in the first half,
or by so many megabytes for 1,000 turns, whichever is more."""


@dataclass(frozen=True, slots=True)
class Period:
    """How a gaia was at the end of a period, at rest. `turns` are those of the period, and
    `wal_mb` is the most that was seen in it. `connections` are those of Chroma to its own
    database, each of which has a thread and a descriptor that are not counted with the others.
    """

    number: int
    turns: int
    resident_mb: float
    database_mb: float
    wal_mb: float
    index_mb: float
    backups_mb: float
    logs_mb: float
    threads: int
    descriptors: int
    connections: int
    tasks: int
    turn_ms: float


HEADINGS = {
    "turns": "turns",
    "resident_mb": "resident MB",
    "database_mb": "gaia.db MB",
    "wal_mb": "WAL MB",
    "index_mb": "index MB",
    "backups_mb": "backups MB",
    "logs_mb": "logs MB",
    "threads": "threads",
    "descriptors": "descriptors",
    "connections": "Chroma",
    "tasks": "tasks",
    "turn_ms": "turn ms",
}


def not_flat(periods: Sequence[Period]) -> list[str]:
    """The figures that are not as flat as they have to be, with their values. Needs four
    periods or more."""
    found = [_bounded(periods, name) for name in ("threads", "descriptors", "tasks")]
    found += [_limited(periods, "connections", MOST_CONNECTIONS)]
    found += [
        _limited(periods, "wal_mb", WAL_MOST_MB),
        _memory(periods),
        _growth(periods),
        _turn(periods),
    ]
    return [each for each in found if each]


def as_json(periods: Sequence[Period]) -> list[dict[str, object]]:
    """The periods, as a script reads them."""
    return [asdict(each) for each in periods]


def print_table(periods: Sequence[Period], unit: str) -> None:
    """Print a row for each period, which is a `unit`."""
    table = Table(box=None, pad_edge=False)
    for heading in (unit, *HEADINGS.values()):
        table.add_column(heading, justify="right")
    for each in periods:
        table.add_row(*(_told(getattr(each, field.name)) for field in fields(each)))
    Console(width=130).print(table)


def _bounded(periods: Sequence[Period], name: str) -> str:
    """What is as many at the end of each later period as it was in the first quarter, or a
    few more where those are no leak."""
    value: Callable[[Period], int] = lambda each: getattr(each, name)  # noqa: E731
    most = max(map(value, _first_quarter(periods))) + SPARE.get(name, 0)
    worst = max(periods, key=value)
    if value(worst) <= most:
        return ""
    return f"{name}: {value(worst)} at the end of period {worst.number}, at most {most}"


def _limited(periods: Sequence[Period], name: str, most: float) -> str:
    value: Callable[[Period], float] = lambda each: getattr(each, name)  # noqa: E731
    worst = max(periods, key=value)
    if value(worst) <= most:
        return ""
    return f"{name}: {_told(value(worst))} in period {worst.number}, at most {_told(most)}"


def _memory(periods: Sequence[Period]) -> str:
    warm = max(len(_first_quarter(periods)), 2)
    most = max(each.resident_mb for each in periods[:warm])
    last = periods[-1]
    if last.resident_mb <= MEMORY_SLACK * most:
        return ""
    return f"resident_mb: {last.resident_mb:.1f} at last, {most:.1f} in the first {warm} periods"


def _growth(periods: Sequence[Period]) -> str:
    middle = len(periods) // 2
    before = _growth_of(periods[:middle])
    after = _growth_of(periods[middle - 1 :])
    if after <= max(GROWTH_SLACK * before, GROWTH_LEAST_MB):
        return ""
    return (
        f"database_mb: {after:.2f} more for 1,000 turns in the second half, "
        f"{before:.2f} in the first"
    )


def _growth_of(periods: Sequence[Period]) -> float:
    """The megabytes for 1,000 turns, from the end of the first of the periods on."""
    turns = sum(each.turns for each in periods[1:])
    return 1000 * (periods[-1].database_mb - periods[0].database_mb) / max(turns, 1)


def _turn(periods: Sequence[Period]) -> str:
    second, last = periods[1], periods[-1]
    if last.turn_ms <= TURN_SLACK * second.turn_ms:
        return ""
    return f"turn_ms: {last.turn_ms:.2f} at last, {second.turn_ms:.2f} in the second period"


def _first_quarter(periods: Sequence[Period]) -> Sequence[Period]:
    return periods[: max(len(periods) // 4, 1)]


def _told(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
