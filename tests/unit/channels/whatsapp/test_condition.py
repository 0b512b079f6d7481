from __future__ import annotations

import httpx
import pytest

from channels.whatsapp.condition import WhatsAppCondition
from channels.whatsapp.errors import RefusedError
from gaia.testing.clock import FakeClock

ADDRESS = "https://gaia.example/hooks/whatsapp"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def condition(clock: FakeClock) -> WhatsAppCondition:
    condition = WhatsAppCondition(clock, address=ADDRESS, stall_seconds=900)
    condition.begin()
    condition.ok()
    return condition


def test_it_is_not_well_before_twilio_was_asked(clock: FakeClock) -> None:
    condition = WhatsAppCondition(clock, address=ADDRESS, stall_seconds=900)
    assert condition.health().detail == "not serving"
    condition.begin()
    assert condition.health().detail == "connecting to Twilio"
    condition.ok()
    assert condition.health().ok


def test_refused_credentials_are_told_until_a_good_look(condition: WhatsAppCondition) -> None:
    for tell in (condition.failed, condition.refused):
        tell(RefusedError(20003))
        assert "GAIA_TWILIO_AUTH_TOKEN" in condition.health().detail
        condition.sent()
        assert not condition.health().ok
        condition.ok()
        assert condition.health().ok


def test_it_tells_since_when_twilio_is_away(condition: WhatsAppCondition, clock: FakeClock) -> None:
    since = f"{clock.now():%H:%M} UTC"
    condition.failed(httpx.ConnectError("refused"))
    clock.advance(3600)
    condition.failed(httpx.ReadTimeout("slow"))
    detail = f"Twilio cannot be reached since {since}: no answer from Twilio (ReadTimeout)"
    assert condition.health().detail == detail


def test_a_number_that_is_no_sender_is_told_until_a_message_is_taken(
    condition: WhatsAppCondition,
) -> None:
    condition.refused(RefusedError(63007))
    condition.ok()
    assert "channels.whatsapp.number" in condition.health().detail
    condition.sent()
    assert condition.health().ok


def test_a_template_that_fails_is_told_until_one_arrives(condition: WhatsAppCondition) -> None:
    condition.undelivered(63041)
    condition.delivered()
    condition.sent(in_template=True)
    assert "Meta paused the template" in condition.health().detail
    condition.delivered(in_template=True)
    assert condition.health().ok


def test_a_template_that_is_refused_is_told_until_one_is_taken(
    condition: WhatsAppCondition,
) -> None:
    condition.refused(RefusedError(21655))
    condition.sent()
    assert "channels.whatsapp.template" in condition.health().detail
    condition.sent(in_template=True)
    assert condition.health().ok


def test_what_fails_after_it_was_taken_is_told_until_something_arrives(
    condition: WhatsAppCondition,
) -> None:
    condition.undelivered(63051)
    condition.sent()
    assert "Meta has locked" in condition.health().detail
    condition.delivered()
    assert condition.health().ok


def test_what_is_wrong_with_one_message_is_not_the_channels(condition: WhatsAppCondition) -> None:
    for code in (63003, 63016, 99999, None):
        condition.undelivered(code)
    condition.refused(RefusedError(21610))
    condition.refused(httpx.ReadTimeout("slow"))
    assert condition.health().ok


def test_a_webhook_that_is_not_called_is_told_until_it_is(condition: WhatsAppCondition) -> None:
    condition.missed_calls()
    assert ADDRESS in condition.health().detail
    condition.called()
    assert condition.health().ok


def test_what_could_not_be_stored_was_not_missed(condition: WhatsAppCondition) -> None:
    condition.called()
    condition.stored(succeeded=False)
    condition.stored(succeeded=True)
    condition.missed_calls()
    assert condition.health().ok
    condition.missed_calls()
    assert not condition.health().ok


def test_no_answer_for_too_long_is_a_stall(condition: WhatsAppCondition, clock: FakeClock) -> None:
    clock.advance(901)
    assert condition.health().detail.startswith("looking for messages has stalled")
