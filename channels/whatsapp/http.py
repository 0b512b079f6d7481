"""The HTTP client that the twilio library works on, made safe to depend on.

What the library's own clients do not do, and is done here:

- Nothing blocks, cancelling a request ends it, and the network's errors reach the
  caller as they are: they tell whether a request was sent at all.
- Nothing is logged: the library's own clients log URLs with phone numbers.
- An answer that is not Twilio's own, such as a proxy's page, is never read as a
  verdict of Twilio.
- Twilio's code, and the wait that it asks for, are in the error, whichever of the
  library's ways made the request.
"""

from __future__ import annotations

import json
import logging
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx
from twilio.base.exceptions import TwilioException
from twilio.http import AsyncHttpClient
from twilio.http.response import Response

from channels.heard_times import noting
from channels.whatsapp.timing import Timing
from gaia.findings import Heard

SHORTEST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 3600.0


class FloodError(TwilioException):
    """429: Twilio wants to be left alone for `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Twilio asks to wait {seconds:.0f} s")
        self.seconds = seconds


class RefusedError(TwilioException):
    """Twilio's verdict on a request, by its `code`. Its own words may quote the request."""

    def __init__(self, code: int) -> None:
        super().__init__(f"Twilio's error {code}")
        self.code = code


class StatusError(TwilioException):
    """An answer that is not Twilio's verdict on the request, by its HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class OddAnswerError(TwilioException):
    """An answer with success in it that the library cannot read."""


class HttpxClient(AsyncHttpClient):
    """Sends the library's requests over httpx: to Twilio, or to what stands in for it."""

    def __init__(self, client: httpx.AsyncClient, base_url: str) -> None:
        super().__init__(logging.getLogger(__name__), True)
        self._client = client
        self._base_url = base_url

    async def request(  # type: ignore[override]  # As in the library's own base class.
        self,
        method: str,
        uri: str,
        params: dict[str, object] | None = None,
        data: dict[str, object] | None = None,
        headers: dict[str, str] | None = None,
        auth: tuple[str, str] | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        allow_redirects: bool = False,
    ) -> Response:
        """Raises httpx's errors, `FloodError`, `RefusedError` and `StatusError`."""
        answer = await self._client.request(
            method,
            rebased(uri, self._base_url),
            params=_fields(params) or None,
            data=_fields(data) or None,
            headers=headers,
            auth=auth,
            follow_redirects=False,
        )
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            raise FloodError(_wait(answer))
        body = _object(answer)
        if answer.is_client_error and type(body.get("code")) is int:
            raise RefusedError(body["code"])
        if not answer.is_success or not body:
            raise StatusError(answer.status_code)
        return Response(answer.status_code, answer.text, answer.headers)


def client(timing: Timing, heard: Heard | None = None) -> httpx.AsyncClient:
    """The connections for all requests. Close it. `heard` is told what time Twilio says it is."""
    timeout = httpx.Timeout(
        timing.read, connect=timing.connect, write=timing.write, pool=timing.pool
    )
    return httpx.AsyncClient(timeout=timeout, follow_redirects=False, event_hooks=noting(heard))


def rebased(url: str, base_url: str) -> str:
    """`url` at `base_url`, or as it is where that is empty."""
    if not base_url:
        return url
    base, parts = urlsplit(base_url.rstrip("/")), urlsplit(url)
    return urlunsplit((base.scheme, base.netloc, base.path + parts.path, parts.query, ""))


def _fields(values: dict[str, object] | None) -> dict[str, str | list[str]]:
    """The fields of a form or a query, as the library gives them."""
    return {
        name: [str(each) for each in value] if isinstance(value, list) else str(value)
        for name, value in (values or {}).items()
    }


def _object(answer: httpx.Response) -> dict[str, Any]:
    """The JSON object of an answer, an empty one if it has none."""
    try:
        body = json.loads(answer.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _wait(answer: httpx.Response) -> float:
    try:
        seconds = float(answer.headers.get("retry-after", ""))
    except ValueError:  # Or it is a date, which Twilio does not send.
        return SHORTEST_WAIT_SECONDS
    if not seconds >= SHORTEST_WAIT_SECONDS:
        return SHORTEST_WAIT_SECONDS
    return min(seconds, LONGEST_WAIT_SECONDS)
