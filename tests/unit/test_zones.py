"""Time zones as people name them."""

from __future__ import annotations

import pytest

from gaia.zones import guess, local_zone, matching, zone_of


@pytest.mark.parametrize(
    ("words", "zones"),
    [
        ("Europe/Lisbon", ["Europe/Lisbon"]),
        ("europe/lisbon", ["Europe/Lisbon"]),
        ("Lisbon", ["Europe/Lisbon"]),
        ("são paulo", ["America/Sao_Paulo"]),
        ("New York", ["America/New_York"]),
        ("Kathmandu", ["Asia/Kathmandu"]),
        ("Japan", ["Asia/Tokyo"]),
        ("Portugal", ["Europe/Lisbon", "Atlantic/Madeira", "Atlantic/Azores"]),
        ("UTC", ["UTC"]),
        ("utc+2", ["Etc/GMT-2"]),
        ("GMT -3", ["Etc/GMT+3"]),
        ("CET", ["CET"]),
        ("UTC+15", []),
        ("Atlantis", []),
        ("", []),
        ("../etc/passwd", []),
    ],
)
def test_a_zone_is_found_by_what_people_call_it(words: str, zones: list[str]) -> None:
    assert list(matching(words)) == zones


@pytest.mark.parametrize(
    ("texts", "zone"),
    [
        (["I live in Lisbon with Ann"], "Europe/Lisbon"),
        (["We moved to New York in May", "New York is loud"], "America/New_York"),
        (["Lisbon is nice", "Paris as well"], None),
        (["I drink tea", ""], None),
        (["the lisbon of old"], None),
    ],
)
def test_one_city_that_is_named_may_be_the_zone(texts: list[str], zone: str | None) -> None:
    assert guess(texts) == zone


def test_a_zone_that_is_unknown_here_is_this_machines() -> None:
    assert str(zone_of("Asia/Tokyo")) == "Asia/Tokyo"
    assert zone_of(None) == local_zone() == zone_of("Nowhere/At_All")
