"""Confidence: how sure it is that a memory is still of use, from 0 to 1.

It begins at `NEW`, rises each time that the memory goes to the model with a message, and
halves with the days in which it neither does nor is said again. What the user wrote
themselves, and what is pinned, does not fade. It puts what is about as good in order, and
tells what upkeep archives; whether something is true it does not tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gaia.store.memory_tables import MemorySource

NEW = 0.8
"""With the usual settings what is never of use reaches 0.1 after 90 days."""


class Used(Protocol):
    """A memory with its uses; both are None of one that was never used."""

    @property
    def source(self) -> str: ...
    @property
    def pinned(self) -> bool: ...
    @property
    def updated_at(self) -> datetime: ...
    @property
    def uses(self) -> int | None: ...
    @property
    def last_used_at(self) -> datetime | None: ...


@dataclass(frozen=True, slots=True)
class Decay:
    """How much a use adds, and in how many days confidence halves."""

    gain: float = 0.02
    days: float = 30.0

    def confidence(self, memory: Used, now: datetime) -> float:
        """The confidence of a memory. Time counts in whole days, so that all of a day are
        equal."""
        reached = min(1.0, NEW + self.gain * (memory.uses or 0))
        if memory.pinned or memory.source == MemorySource.USER:
            return reached
        days = max(0, (now - last_use(memory)).days)
        return float(reached * 0.5 ** (days / self.days))


DECAY = Decay()


def last_use(memory: Used) -> datetime:
    """When a memory was last of use, or else was said or brought back."""
    return max(filter(None, (memory.updated_at, memory.last_used_at)))
