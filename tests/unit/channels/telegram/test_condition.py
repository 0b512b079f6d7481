from __future__ import annotations

import pytest
from telegram.error import Conflict, InvalidToken, NetworkError

from channels.base.http import ChatBackoff
from channels.telegram.api import TelegramCondition
from gaia.testing.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def condition(clock: FakeClock) -> TelegramCondition:
    condition = TelegramCondition(clock, stall_seconds=75)
    condition.begin()
    condition.ok()
    return condition


def test_it_is_not_well_before_telegram_was_asked(clock: FakeClock) -> None:
    condition = TelegramCondition(clock, stall_seconds=75)
    assert condition.health().detail == "not serving"
    condition.begin()
    assert condition.health().detail == "connecting to Telegram"


def test_a_good_poll_makes_it_well(condition: TelegramCondition) -> None:
    assert condition.health().ok
    condition.end()
    assert condition.health().detail == "not serving"


def test_a_conflict_and_a_refused_token_are_told_until_a_good_poll(
    condition: TelegramCondition,
) -> None:
    condition.failed(Conflict("terminated"))
    assert "another process polls with this token" in condition.health().detail
    condition.failed(InvalidToken())
    assert "GAIA_TELEGRAM_BOT_TOKEN" in condition.health().detail
    condition.ok()
    assert condition.health().ok


def test_it_tells_since_when_telegram_is_away(
    condition: TelegramCondition, clock: FakeClock
) -> None:
    condition.failed(NetworkError("x"))
    clock.advance(600)
    condition.failed(NetworkError("x"))
    assert condition.health().detail.startswith("Telegram cannot be reached since 12:00 UTC")


def test_no_poll_for_too_long_is_a_stall(condition: TelegramCondition, clock: FakeClock) -> None:
    clock.advance(75)
    assert condition.health().ok
    clock.advance(1)
    assert condition.health().detail == "polling has stalled: no answer since 12:00 UTC"


def test_one_that_fails_is_troubled_and_not_stalled(
    condition: TelegramCondition, clock: FakeClock
) -> None:
    for _ in range(10):
        clock.advance(60)
        condition.failed(NetworkError("x"))
    assert "cannot be reached" in condition.health().detail
    assert not condition.health().is_stalled


def test_one_that_neither_works_nor_fails_any_more_is_stalled_whatever_was_last(
    condition: TelegramCondition, clock: FakeClock
) -> None:
    condition.failed(NetworkError("x"))
    clock.advance(76)
    assert condition.health().detail.startswith("polling has stalled")
    assert condition.health().is_stalled
    condition.stored(succeeded=False)
    assert not condition.health().is_stalled


def test_a_poll_that_does_not_come_back_is_no_sign_of_life(
    condition: TelegramCondition, clock: FakeClock
) -> None:
    clock.advance(40)
    condition.stalled("a poll did not come back")
    assert condition.health().detail == "a poll did not come back"
    clock.advance(36)
    assert condition.health().is_stalled
    condition.ok()
    assert condition.health().ok


def test_a_provider_that_is_left_alone_is_quiet_on_purpose(
    condition: TelegramCondition, clock: FakeClock
) -> None:
    condition.expect_silence(600)
    clock.advance(675)
    assert condition.health().ok
    clock.advance(1)
    assert condition.health().is_stalled


def test_one_that_does_not_serve_is_not_stalled(
    condition: TelegramCondition, clock: FakeClock
) -> None:
    condition.end()
    clock.advance(1000)
    assert not condition.health().is_stalled
    condition.begin()
    assert not condition.health().is_stalled
    clock.advance(76)
    assert condition.health().is_stalled


def test_what_is_called_by_telegram_never_stalls(clock: FakeClock) -> None:
    condition = TelegramCondition(clock, stall_seconds=None)
    condition.begin()
    condition.ok()
    clock.advance(100_000)
    assert condition.health().ok


def test_messages_that_cannot_be_stored_are_told(condition: TelegramCondition) -> None:
    condition.stored(succeeded=False)
    assert "cannot be stored" in condition.health().detail
    condition.stored(succeeded=True)
    assert condition.health().ok


def test_a_gate_opens_by_time_and_holds_for_one_chat(clock: FakeClock) -> None:
    backoff = ChatBackoff(clock)
    backoff.hold(7, 30)
    clock.advance(10)
    assert backoff.remaining(7) == 20
    assert backoff.remaining(8) == 0
    backoff.hold(7, 5)
    assert backoff.remaining(7) == 20
    clock.advance(20)
    assert backoff.remaining(7) == 0
