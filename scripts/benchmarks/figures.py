"""Figures: what a benchmark measured, beside a floor of the same run."""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured. `floor` is the least that it could be on this machine at this time,
    and `floor_name` tells what that is."""

    name: str
    value: float
    unit: str
    floor: float | None = None
    floor_name: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times the floor it is."""
        return self.value / self.floor if self.floor else None

    def __str__(self) -> str:
        told = f"{self.name:<44}{_number(self.value):>10} {self.unit}"
        if self.floor is None or self.ratio is None:
            return told
        floor = f"{self.floor_name} {_number(self.floor)} {self.unit}"
        return f"{told:<66}{self.ratio:>7.2f} x  {floor}"


def as_json(figure: Figure) -> dict[str, object]:
    """A figure, as a script reads it."""
    return {**asdict(figure), "ratio": figure.ratio}


def milliseconds(seconds: Sequence[float]) -> float:
    """The median of some times."""
    return 1000 * statistics.median(seconds)


def slow_milliseconds(seconds: Sequence[float]) -> float:
    """The time that one in twenty takes longer than."""
    return 1000 * statistics.quantiles(seconds, n=20)[-1]


def resident_megabytes(pid: int) -> float:
    """The memory of a process that is resident."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
