"""Whether Twilio takes the credentials, as `gaia doctor` finds out."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from channels.credentials import TwilioCredentials
from channels.whatsapp.api import Timing
from channels.whatsapp.doctor import SANDBOX, TIMING, look_at_account
from gaia.findings import Finding, Outcome
from gaia.settings.schema import WhatsAppSettings
from tests.servers.serve import serving
from tests.servers.twilio import (
    Fault,
    Hang,
    MalformedJson,
    ServerError,
    TooManyRequests,
    TwilioServer,
    running_twilio,
)
from tests.servers.twilio import Refused as RefusedByTwilio

NUMBER = "+14155550100"
# Only where the answer does not come: a machine under load takes longer to answer.
IMPATIENT = Timing(read=0.1)


async def found(
    twilio: TwilioServer,
    *,
    token: str | None = None,
    number: str = NUMBER,
    timing: Timing = TIMING,
) -> Finding:
    credentials = TwilioCredentials(twilio.account_sid, token or twilio.auth_token)
    return await found_at(twilio.url, credentials, number=number, timing=timing)


async def found_at(
    url: str, credentials: TwilioCredentials, *, number: str = NUMBER, timing: Timing = TIMING
) -> Finding:
    settings = WhatsAppSettings(number=number, base_url=url)
    (finding,) = await look_at_account(settings, credentials, timing)
    assert credentials.auth_token not in finding.detail + finding.remedy
    return finding


async def test_what_time_twilio_says_it_is_is_asked_for_by_the_way() -> None:
    heard: list[tuple[str, str]] = []
    async with running_twilio() as twilio:
        credentials = TwilioCredentials(twilio.account_sid, twilio.auth_token)
        await look_at_account(
            WhatsAppSettings(number=NUMBER, base_url=twilio.url),
            credentials,
            heard=lambda host, date: heard.append((host, date)),
        )
    assert [host for host, _ in heard] == ["127.0.0.1"]


async def test_an_account_that_works_is_told_with_its_number() -> None:
    async with running_twilio() as twilio:
        finding = await found(twilio)
        assert finding.outcome is Outcome.OK
        assert NUMBER in finding.detail
        assert "sandbox" in (await found(twilio, number=SANDBOX)).detail


async def test_a_token_that_is_refused_has_to_be_copied_again() -> None:
    async with running_twilio() as twilio:
        finding = await found(twilio, token="fedcba9876543210" * 2)
    assert finding.outcome is Outcome.FAILED
    assert "refuses the credentials" in finding.detail
    assert "console.twilio.com" in finding.remedy


@pytest.mark.parametrize(
    ("fault", "outcome", "said"),
    [
        (TooManyRequests(7), Outcome.WARNING, "wait 7 s"),
        (RefusedByTwilio(403, 20005), Outcome.FAILED, "suspended or closed"),
        (ServerError(), Outcome.FAILED, "HTTP 500"),
        (MalformedJson(), Outcome.FAILED, "cannot be reached: an answer that is not Twilio's"),
        (Hang(), Outcome.FAILED, "no answer from Twilio (ReadTimeout)"),
    ],
)
async def test_each_way_to_fail_is_told(fault: Fault, outcome: Outcome, said: str) -> None:
    async with running_twilio() as twilio:
        twilio.faults = lambda request: fault
        timing = IMPATIENT if isinstance(fault, Hang) else TIMING
        finding = await found(twilio, timing=timing)
    assert finding.outcome is outcome
    assert said in finding.detail
    assert finding.remedy


@pytest.mark.parametrize("status", ["suspended", "closed"])
async def test_an_account_that_does_not_work_is_told(status: str) -> None:
    async def account(request: Request) -> Response:
        sid = request.path_params["sid"]
        return JSONResponse({"sid": sid, "friendly_name": "Ada", "status": status})

    app = Starlette(routes=[Route("/2010-04-01/Accounts/{sid}.json", account)])
    async with serving(app) as url:
        finding = await found_at(url, TwilioCredentials("AC" + "0" * 32, "1" * 32))
    assert finding.outcome is Outcome.FAILED
    assert f"the account is {status}" in finding.detail
