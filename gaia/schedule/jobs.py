"""Jobs: what gaia does by itself, and at what times."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Every:
    """At regular intervals, `after_start` for the first time. Nothing is made up for."""

    interval: timedelta
    after_start: timedelta


@dataclass(frozen=True, slots=True)
class Daily:
    """Once a day at this hour, in the machine's time zone. A run that was missed is made
    up for as soon as it can be; one that failed is tried again before the next day."""

    hour: int


@dataclass(frozen=True, slots=True)
class Job:
    """What is done, and when. Its name is what the ledger of runs knows it by."""

    name: str
    when: Every | Daily
    run: Callable[[], Awaitable[None]]
