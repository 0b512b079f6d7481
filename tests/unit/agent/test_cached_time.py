"""The time that a small model is told: the same for a while in a conversation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from gaia.agent.prompt import CACHED_FOR, CachedTime

NOON = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def test_a_conversation_is_told_the_same_time_until_it_is_too_old() -> None:
    held = CachedTime()
    assert held.at("one", NOON) == NOON
    assert held.at("one", NOON + CACHED_FOR - MINUTE) == NOON
    assert held.at("one", NOON + CACHED_FOR) == NOON + CACHED_FOR


def test_another_conversation_has_its_own() -> None:
    held = CachedTime()
    held.at("one", NOON)
    assert held.at("two", NOON + MINUTE) == NOON + MINUTE


def test_a_clock_that_is_set_back_is_told_at_once() -> None:
    held = CachedTime()
    held.at("one", NOON + timedelta(days=365))
    assert held.at("one", NOON) == NOON


def test_another_time_zone_is_told_at_once() -> None:
    held, tokyo = CachedTime(), timezone(timedelta(hours=9))
    held.at("one", NOON)
    assert str(held.at("one", (NOON + MINUTE).astimezone(tokyo))) == "2026-01-01 21:01:00+09:00"
