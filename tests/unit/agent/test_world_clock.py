"""The world clock: the time of any zone, and an error for what is none."""

from __future__ import annotations

import pytest

from gaia.agent.tools.world_clock import WorldClock
from gaia.testing.clock import FakeClock


@pytest.mark.parametrize(
    ("time_zone", "told"),
    [
        ("UTC", "Thursday 01 January 2026, 12:00"),
        ("Asia/Tokyo", "Thursday 01 January 2026, 21:00"),
        (" Pacific/Auckland ", "Friday 02 January 2026, 01:00"),
        ("Asia/Kathmandu", "Thursday 01 January 2026, 17:45"),
    ],
)
def test_the_time_of_a_zone(time_zone: str, told: str) -> None:
    assert WorldClock(FakeClock()).current_time(time_zone) == {"time": told}


@pytest.mark.parametrize(
    "time_zone",
    [
        "",
        ".",
        "Tokyo",
        "Europe",
        "../../etc/passwd",
        "/etc/passwd",
        "/etc/localtime",
        "UTC\0",
        "\ud800",
        "x" * 10_000,
        None,
        5,
        ["UTC"],
        {"zone": "UTC"},
    ],
)
def test_what_is_no_zone_is_an_error(time_zone: str) -> None:
    assert list(WorldClock(FakeClock()).current_time(time_zone)) == ["error"]
