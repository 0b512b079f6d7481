from __future__ import annotations

import logging

import httpx
import pytest
from twilio.rest import Client

from channels.whatsapp.api import HttpxClient, rebased
from channels.whatsapp.errors import FloodError, RefusedError, StatusError, send_error
from gaia.errors import RetryableSendError

ACCOUNT, TOKEN = f"AC{'0' * 32}", "a" * 32
SENT = httpx.Response(201, json={"sid": f"SM{'0' * 32}"})
PAGE = b"<html>Bad request canary</html>"


async def asked(answer: httpx.Response | Exception, base_url: str = "") -> httpx.Request:
    """Send a message with the library to what gives that answer; returns the request."""
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async with httpx.AsyncClient(transport=httpx.MockTransport(handle)) as http:
        client = Client(ACCOUNT, TOKEN, http_client=HttpxClient(http, base_url))
        await client.messages.create_async(to="x", from_="y", body="é & +", media_url=["u", "v"])
    (request,) = seen
    return request


async def test_a_request_is_a_form_with_the_credentials() -> None:
    request = await asked(SENT)
    address = f"https://api.twilio.com/2010-04-01/Accounts/{ACCOUNT}/Messages.json"
    assert (request.method, str(request.url)) == ("POST", address)
    assert request.headers["authorization"].startswith("Basic ")
    assert request.content == b"To=x&From=y&Body=%C3%A9+%26+%2B&MediaUrl=u&MediaUrl=v"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (httpx.Response(400, json={"code": 21211, "message": "canary"}), RefusedError),
        (httpx.Response(400, json={"code": 1, "type": "t", "title": "canary"}), RefusedError),
        (httpx.Response(400, content=PAGE), StatusError),
        (httpx.Response(403, json={"error": "canary"}), StatusError),
        (httpx.Response(400, json=["canary"]), StatusError),
        (httpx.Response(200, content=PAGE), StatusError),
        (httpx.Response(201, content=b""), StatusError),
        (httpx.Response(302, headers={"location": "https://x"}), StatusError),
        (httpx.Response(500, json={"code": 20500, "message": "canary"}), StatusError),
        (httpx.Response(429, json={"code": 20429}), FloodError),
        (httpx.Response(429, content=PAGE), FloodError),
        (httpx.ReadTimeout("canary"), httpx.ReadTimeout),
        (httpx.ConnectError("canary"), httpx.ConnectError),
    ],
    ids=repr,
)
async def test_what_is_no_success_is_an_error_of_its_kind(
    answer: httpx.Response | Exception, error: type[Exception]
) -> None:
    with pytest.raises(error) as raised:
        await asked(answer)
    assert type(raised.value) is error
    if isinstance(answer, httpx.Response):
        assert "canary" not in str(raised.value)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), ("0.2", 1), ("-5", 1), ("nan", 1), ("inf", 3600), ("90000", 3600), ("soon", None)],
)
async def test_a_wish_to_wait_has_its_bounds(header: str, seconds: float | None) -> None:
    with pytest.raises(FloodError) as raised:
        await asked(httpx.Response(429, headers={"retry-after": header}))
    assert raised.value.seconds == seconds


@pytest.mark.parametrize(
    ("code", "headers", "after_seconds"),
    [
        (63038, {}, 3600),
        (63038, {"retry-after": "1"}, 3600),
        (30001, {}, 60),
        (20429, {}, None),
        (20429, {"retry-after": "30"}, 30),
        (99999, {}, None),
        ("63038", {}, None),
    ],
)
async def test_too_many_requests_are_waited_out_for_as_long_as_their_cause_lasts(
    code: object, headers: dict[str, str], after_seconds: float | None
) -> None:
    with pytest.raises((FloodError, RefusedError)) as raised:
        await asked(httpx.Response(429, headers=headers, json={"code": code}))
    error = send_error(raised.value)
    assert isinstance(error, RetryableSendError)
    assert error.after_seconds == after_seconds


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("", "https://api.twilio.com/v2/x.json?a=1&b=2"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v2/x.json?a=1&b=2"),
        ("http://host/below/", "http://host/below/v2/x.json?a=1&b=2"),
    ],
)
def test_another_address_stands_in_for_all_of_twilios(base_url: str, url: str) -> None:
    assert rebased("https://api.twilio.com/v2/x.json?a=1&b=2", base_url) == url


async def test_nothing_is_logged_of_a_request(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.WARNING, logger="httpx")  # As gaia's logs are set up.
    await asked(SENT)
    assert caplog.records == []
