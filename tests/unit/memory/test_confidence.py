"""Confidence: it rises with use, fades with time, and is the same for all that is new."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from gaia.memory.confidence import NEW, Decay
from gaia.store.memory_tables import MemorySource
from gaia.testing.clock import START

DECAY = Decay()


@dataclass
class Kept:
    """A memory with its uses."""

    source: str = MemorySource.DIGEST
    pinned: bool = False
    updated_at: datetime = START
    uses: int | None = None
    last_used_at: datetime | None = None


def after(days: float, **fields: object) -> float:
    return DECAY.confidence(Kept(**fields), START + timedelta(days=days))


def test_on_its_day_a_memory_is_new_whoever_said_it() -> None:
    for source in MemorySource:
        assert after(0.99, source=source) == NEW


def test_without_use_it_halves_every_thirty_days_and_is_a_tenth_after_ninety() -> None:
    assert after(30) == pytest.approx(NEW / 2)
    assert after(89) > 0.1 >= after(90)


def test_a_use_adds_two_hundredths_and_time_counts_from_the_last_one() -> None:
    used = {"uses": 3, "last_used_at": START + timedelta(days=60)}
    assert after(60, **used) == pytest.approx(NEW + 0.06)
    assert after(90, **used) == pytest.approx((NEW + 0.06) / 2)
    assert after(60, uses=1000, last_used_at=START + timedelta(days=60)) == 1.0


@pytest.mark.parametrize("own", [{"source": MemorySource.USER}, {"pinned": True}])
def test_what_its_user_wrote_or_pinned_does_not_fade(own: dict[str, object]) -> None:
    assert after(1000, **own) == NEW


def test_a_clock_that_went_back_fades_nothing() -> None:
    assert after(-400) == NEW
