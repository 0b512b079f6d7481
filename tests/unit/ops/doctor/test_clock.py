from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime

import pytest

from gaia.findings import Finding, Outcome
from gaia.ops.doctor.clock import Times
from gaia.testing.clock import START, FakeClock


async def found(*ahead: timedelta) -> Finding:
    """What is found where this machine is so much ahead of each host."""
    times = Times(FakeClock())
    for number, each in enumerate(ahead):
        times.heard(f"h{number}.example", format_datetime(START - each, usegmt=True))
    (finding,) = await times.check().look()
    return finding


async def test_a_clock_that_is_right_by_one_host_is_right() -> None:
    assert (await found(timedelta(days=400), timedelta(seconds=-119))).outcome is Outcome.OK


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        (timedelta(seconds=121), "2 min ahead of that of h0.example"),
        (timedelta(days=-1, hours=-3), "1 d 3 h behind that of h0.example"),
    ],
)
async def test_a_clock_that_is_wrong_by_all_of_them_fails(ahead: timedelta, said: str) -> None:
    finding = await found(ahead)
    assert finding.outcome is Outcome.FAILED
    assert finding.detail == f"this machine's clock is {said}"
    assert "timedatectl" in finding.remedy


async def test_without_anybody_who_told_the_time_nothing_is_known() -> None:
    assert (await found()).outcome is Outcome.SKIPPED
    times = Times(FakeClock())
    times.heard("a.example", "")
    times.heard("a.example", "tomorrow")
    assert (await times.check().look())[0].outcome is Outcome.SKIPPED
