"""Who is told of messages is told as Twilio does: signed, in order, and again."""

from __future__ import annotations

import pytest
from starlette.responses import Response
from twilio.request_validator import RequestValidator

from gaia.testing.clock import FakeClock
from tests.servers.twilio import TwilioServer
from tests.servers.twilio.callee import Callee, thanks
from tests.servers.twilio.calls import RETRY_SECONDS, signature

ADA, BOB = "+4915112345678", "+4915112345679"
URL = "https://gaia.example/hooks/whatsapp"


async def test_the_webhook_is_told_in_twilios_words(twilio: TwilioServer, callee: Callee) -> None:
    written = twilio.person(ADA, "Ada").writes("hallo, größte 🌍")
    await twilio.until_told()

    told = callee.told[0]
    form = told.form
    assert (told.path, form["Body"], form["MessageSid"]) == (
        "/hooks/whatsapp",
        "hallo, größte 🌍",
        written.sid,
    )
    assert (form["From"], form["To"], form["WaId"], form["ProfileName"]) == (
        f"whatsapp:{ADA}",
        f"whatsapp:{twilio.number}",
        "4915112345678",
        "Ada",
    )
    assert told.headers["host"] == "gaia.example"
    assert twilio.violations == ()


async def test_twilios_own_validator_accepts_the_signature(
    twilio: TwilioServer, callee: Callee
) -> None:
    twilio.person(ADA, "Ada").sends_photo(b"...", caption="ä & b=c")
    await twilio.until_told()

    form, headers = callee.told[0].form, callee.told[0].headers
    validator = RequestValidator(twilio.auth_token)
    assert validator.validate(URL, form, headers["x-twilio-signature"])
    assert not validator.validate(URL, {**form, "Body": "x"}, headers["x-twilio-signature"])
    assert not validator.validate(URL + "x", form, headers["x-twilio-signature"])


def test_the_signature_is_the_one_of_twilios_documentation() -> None:
    form = [
        ("CallSid", "CA1234567890ABCDE"),
        ("Caller", "+14158675309"),
        ("Digits", "1234"),
        ("From", "+14158675309"),
        ("To", "+18005551212"),
    ]
    url = "https://mycompany.com/myapp.php?foo=1&bar=2"

    assert signature("12345", url, form) == "RSOYDt4T1cUTdK1PDd93/VVr8B8="


async def test_messages_of_one_person_keep_their_order_and_hold_up_nobody_else(
    twilio: TwilioServer, callee: Callee, clock: FakeClock
) -> None:
    answers = iter([Response(status_code=503)])
    callee.answer = lambda: next(answers, thanks())
    ada, bob = twilio.person(ADA), twilio.person(BOB)
    ada.writes("one")
    await clock.until_sleeping()
    ada.writes("two")
    bob.writes("three")
    await twilio.until(lambda: len(callee.told) == 2)
    clock.advance(RETRY_SECONDS)
    await twilio.until_told()

    assert [form["Body"] for form in callee.forms] == ["one", "three", "one", "two"]


@pytest.mark.parametrize("status", [403, 500, 503])
async def test_what_is_not_taken_comes_once_more_and_is_then_given_up(
    twilio: TwilioServer, callee: Callee, clock: FakeClock, status: int
) -> None:
    callee.answer = lambda: Response(status_code=status)
    written = twilio.person(ADA).writes("hello")

    await clock.until_sleeping()
    clock.advance(RETRY_SECONDS)
    await twilio.until_told()

    assert [form["MessageSid"] for form in callee.forms] == [written.sid, written.sid]
    assert twilio.given_up == (written,)
    assert [each.status for each in twilio.calls_made] == [status, status]


async def test_what_nobody_takes_at_first_is_taken_later(
    twilio: TwilioServer, callee: Callee, clock: FakeClock
) -> None:
    twilio.reaches("https://gaia.example", at="http://127.0.0.1:1")
    twilio.person(ADA).writes("hello")
    await clock.until_sleeping()
    assert [each.status for each in twilio.calls_made] == [None]

    twilio.reaches("https://gaia.example", at=callee.url)
    clock.advance(RETRY_SECONDS)
    await twilio.until_told()

    assert [form["Body"] for form in callee.forms] == ["hello"]
    assert twilio.given_up == ()


async def test_a_message_that_was_taken_comes_again_when_asked_for(
    twilio: TwilioServer, callee: Callee
) -> None:
    ada = twilio.person(ADA)
    first, second = ada.writes("one"), ada.writes("two")
    await twilio.until_told()

    assert twilio.redeliver(second.sid) == 1
    await twilio.until_told()
    assert twilio.redeliver() == 2
    await twilio.until_told()

    sids = [form["MessageSid"] for form in callee.forms]
    assert sids == [first.sid, second.sid, second.sid, first.sid, second.sid]


async def test_without_a_webhook_nobody_is_told(twilio: TwilioServer, callee: Callee) -> None:
    twilio.webhook_url = ""
    written = twilio.person(ADA).writes("hello")
    await twilio.until_told()

    assert (callee.told, twilio.given_up) == ([], (written,))


async def test_an_answer_that_is_no_twiml_is_a_violation(
    twilio: TwilioServer, callee: Callee
) -> None:
    callee.answer = lambda: Response("ok", media_type="text/plain")
    twilio.person(ADA).writes("hello")
    await twilio.until_told()

    assert "12100" in twilio.violations[0]
