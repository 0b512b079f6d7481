"""Requests that break Twilio's description are refused, and answers cannot break it."""

from __future__ import annotations

import httpx
import pytest

from tests.servers.twilio import ACCOUNT_SID, NotTwilioError, TwilioServer
from tests.servers.twilio.description import FORM, Given, load_description

MESSAGES = f"/2010-04-01/Accounts/{ACCOUNT_SID}/Messages"
TYPING = "/v2/Indicators/Typing.json"


@pytest.mark.parametrize(
    ("method", "path", "form", "told"),
    [
        ("POST", f"{MESSAGES}.json", {"Body": "hello"}, "'To' is a required property"),
        ("POST", f"{MESSAGES}.json", {"To": "x", "Text": "hello"}, "Text is unknown"),
        ("POST", f"{MESSAGES}.json", {"To": "x", "ContentSid": "HX1"}, "'HX1' is too short"),
        ("POST", f"{MESSAGES}.json", {"To": "x", "Attempt": "soon"}, "integer type: soon"),
        ("GET", f"{MESSAGES}.json?PageSize=5000", {}, "greater than the maximum of 1000"),
        ("GET", f"{MESSAGES}.json?DateSent%3E=yesterday", {}, "is not a 'date-time'"),
        ("GET", f"{MESSAGES}.json?Since=2026-01-01", {}, "Since is unknown"),
        ("GET", f"{MESSAGES}/SM1.json", {}, "'SM1' is too short"),
        ("GET", f"{MESSAGES}/SM1/Media.json", {}, "'SM1' is too short"),
        ("GET", "/2010-04-01/Accounts/me.json", {}, "does not match"),
        ("POST", TYPING, {"channel": "sms", "messageId": "SM" + "0" * 32}, "'sms' is not one of"),
        ("POST", TYPING, {"channel": "whatsapp"}, "'messageId' is a required property"),
        ("GET", "/2010-04-01/Accounts.json", {}, "was not found"),
        ("DELETE", f"{MESSAGES}.json", {}, "was not found"),
    ],
)
async def test_a_broken_request_is_refused(
    twilio: TwilioServer, method: str, path: str, form: dict[str, str], told: str
) -> None:
    auth = (twilio.account_sid, twilio.auth_token)
    async with httpx.AsyncClient(verify=False, auth=auth) as http:
        answer = await http.request(method, twilio.url + path, data=form)

    assert answer.status_code in (400, 404)
    assert told in answer.json()["message"]
    assert len(twilio.violations) == 1
    assert twilio.violations == twilio.refusals


async def test_a_request_without_credentials_is_a_violation(twilio: TwilioServer) -> None:
    async with httpx.AsyncClient(verify=False) as http:
        await http.get(f"{twilio.url}{MESSAGES}.json")

    assert "Security not found" in twilio.violations[0]


@pytest.mark.parametrize(
    "answer",
    [
        {"status": "lost"},
        {"sid": "1"},
        {"direction": "outward"},
        {"date_sent": 7},
    ],
)
def test_an_answer_that_twilio_never_gives_is_not_given(answer: dict[str, object]) -> None:
    form = b"To=whatsapp%3A%2B4915112345678&Body=hi"
    given = Given("POST", f"{MESSAGES}.json", headers={"content-type": FORM}, body=form)

    with pytest.raises(NotTwilioError):
        load_description().require(given, 201, answer)


def test_a_status_that_the_operation_never_has_is_not_given() -> None:
    given = Given("POST", f"{MESSAGES}.json", headers={"content-type": FORM}, body=b"To=x")

    with pytest.raises(NotTwilioError, match="200"):
        load_description().require(given, 200, {})
