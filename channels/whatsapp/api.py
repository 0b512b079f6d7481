"""What gaia asks of Twilio, through the twilio library made safe to depend on.

What the library's own HTTP clients do not do, and is done here:

- Nothing blocks, cancelling a request ends it, and the network's errors reach the
  caller as they are: they tell whether a request was sent at all.
- Nothing is logged: the library's own clients log URLs with phone numbers.
- An answer that is not Twilio's own, such as a proxy's page, is never read as a
  verdict of Twilio.
- Twilio's code, and the wait that it asks for, are in the error, whichever of the
  library's ways made the request.

A request that fails raises one of `errors.REFUSALS`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import httpx
from twilio.base import values
from twilio.http import AsyncHttpClient
from twilio.http.response import Response
from twilio.rest import Client
from twilio.rest.api.v2010.account.message import MessageInstance

from channels.base.http import Timing as BaseTiming
from channels.base.http import date_hooks
from channels.whatsapp.errors import (
    FloodError,
    OddAnswerError,
    RefusedError,
    StatusError,
    tells_more,
)
from channels.whatsapp.requests import CHANNEL, twilio_name
from gaia.bounded_http import authorities
from gaia.findings import Heard

T = TypeVar("T")

TWILIO_URL = "https://api.twilio.com"
PAGE_SIZE = 100
MOST_MESSAGES = 2000
"""How many are looked for at once: twenty pages."""

_OUR_REGION = {"TWILIO_EDGE": "", "TWILIO_REGION": ""}
"""The library would take these from the environment; `base_url` says it instead."""

_UNREADABLE = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)

SHORTEST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Account:
    """The account behind the credentials. `status` is `active` for one that works."""

    name: str
    status: str


@dataclass(frozen=True, slots=True)
class PastMessage:
    """A message that Twilio has received. `sender` is whom Twilio calls so."""

    sid: str
    sender: str
    text: str
    media_count: int
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class PastFile:
    """A file of such a message, by the path of its address at Twilio."""

    path: str
    media_type: str


@dataclass(frozen=True, slots=True)
class Timing(BaseTiming):
    """How long things take on WhatsApp and at Twilio: seconds, or a `timedelta`."""

    typing: float = 20.0
    """WhatsApp shows for 25 seconds that somebody types."""
    catch_up: float = 300.0
    """Between two looks for messages that no webhook told of."""
    refused: float = 300.0
    """Twilio refuses the credentials, or the number: only the owner can mend that."""
    stall: float = 900.0
    """After this time without a good answer the channel has stalled."""
    window: timedelta = timedelta(hours=24, minutes=-1)
    """How long after their last message a person may be written to freely. WhatsApp's
    window is a minute longer: a message takes a moment to get there."""
    looked_back: timedelta = timedelta(hours=24)
    """How far back messages are looked for after a pause."""
    reported_late: timedelta = timedelta(hours=1)
    """How long after it was sent Twilio is asked what became of a message that is not known to
    have arrived. The phone may be off."""
    overlap: timedelta = timedelta(minutes=10)
    """How far a look reaches into what the one before has seen: messages may be listed late."""
    webhook_time: timedelta = timedelta(minutes=1)
    """A message that is younger may still come by webhook: it is not looked for yet."""


class Api:
    """Twilio, as the account that has the WhatsApp number `number`."""

    def __init__(
        self,
        account_sid: str,
        auth_token: str,
        number: str,
        base_url: str,
        timing: Timing,
        *,
        heard: Heard | None = None,
    ) -> None:
        self._number = twilio_name(number)
        self._base_url = base_url
        self._http = client(timing, heard)
        self._credentials = httpx.BasicAuth(account_sid, auth_token)
        self._account_sid = account_sid
        self._twilio = Client(
            account_sid,
            auth_token,
            http_client=HttpxClient(self._http, base_url),
            environment=dict(_OUR_REGION),
        )

    async def close_connections(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def send_text(
        self,
        person: str,
        text: str,
        *,
        status_callback: str | None = None,
        media_url: str | None = None,
    ) -> str:
        """Send free text, and a file with it if asked. Returns the message's id."""
        sending = self._twilio.messages.create_async(
            to=twilio_name(person),
            from_=self._number,
            body=text,
            status_callback=values.unset if status_callback is None else status_callback,
            media_url=values.unset if media_url is None else [media_url],
        )
        return _sid((await _read(sending)).sid)

    async def send_template(
        self, person: str, content_sid: str, variables: Mapping[str, str], *, status_callback: str
    ) -> str:
        """Send a template with what its variables stand for. Returns the message's id."""
        sending = self._twilio.messages.create_async(
            to=twilio_name(person),
            from_=self._number,
            content_sid=content_sid,
            content_variables=json.dumps(dict(variables)) if variables else values.unset,
            status_callback=status_callback,
        )
        return _sid((await _read(sending)).sid)

    async def show_typing(self, message_sid: str) -> None:
        """Show whoever wrote that message that somebody types."""
        typing = self._twilio.messaging.v2.typing_indicator
        await _read(typing.create_async(channel=CHANNEL, message_id=message_sid))

    async def account(self) -> Account:
        """Return the account itself."""
        account = self._twilio.api.v2010.accounts(self._account_sid)
        found = await _read(account.fetch_async())
        return Account(str(found.friendly_name or ""), str(found.status or ""))

    async def received_since(self, since: datetime) -> list[PastMessage]:
        """Return the messages that Twilio received for the number since then."""
        listing = self._twilio.messages.list_async(
            to=self._number, date_sent_after=since, limit=MOST_MESSAGES, page_size=PAGE_SIZE
        )
        listed = [_past(message) for message in await _read(listing)]
        return [each for each in listed if each is not None and each.sent_at >= since]

    async def status_of(self, message_sid: str) -> tuple[str, int | None]:
        """Return what became of a message that was sent, and why it failed, in Twilio's words and
        numbers."""
        found = await _read(self._twilio.messages(message_sid).fetch_async())
        return str(found.status or ""), found.error_code

    async def files_of(self, message_sid: str) -> list[PastFile]:
        """Return the files of a message that was received."""
        listing = self._twilio.messages(message_sid).media.list_async(limit=PAGE_SIZE)
        folder = f"/2010-04-01/Accounts/{self._account_sid}/Messages/{message_sid}/Media"
        return [
            PastFile(f"{folder}/{each.sid}", str(each.content_type or ""))
            for each in await _read(listing)
        ]

    def address_of(self, path: str) -> str:
        """Return the address of a path at Twilio."""
        return rebased(TWILIO_URL + path, self._base_url)

    @asynccontextmanager
    async def open(self, url: httpx.URL) -> AsyncIterator[httpx.Response]:
        """Yield the answer to a request for a file, be it a redirect. The credentials go to
        Twilio alone."""
        is_twilios = _origin(url) == _origin(httpx.URL(self.address_of("")))
        auth = self._credentials if is_twilios else None
        async with self._http.stream("GET", url, auth=auth) as response:
            yield response


async def _read(request: Awaitable[T]) -> T:
    """Return what a request of the library returns."""
    try:
        return await request
    except _UNREADABLE as exc:
        raise OddAnswerError(type(exc).__name__) from exc


def _past(message: MessageInstance) -> PastMessage | None:
    """Return a message of a list, or None for one that somebody sent from the number."""
    sent_at = message.date_sent or message.date_created
    if str(message.direction) != "inbound" or not message.sid or sent_at is None:
        return None
    return PastMessage(
        sid=message.sid,
        sender=str(message.from_ or ""),
        text=str(message.body or ""),
        media_count=_count(message.num_media),
        sent_at=sent_at.astimezone(UTC),
    )


def _sid(sid: str | None) -> str:
    if not sid:
        raise OddAnswerError("a message without an id")
    return sid


def _count(number: object) -> int:
    return int(number) if isinstance(number, str) and number.isdecimal() else 0


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


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
        body = _object(answer)
        code = body.get("code")
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS and not tells_more(code):
            raise FloodError(_wait(answer))
        if answer.is_client_error and type(code) is int:
            raise RefusedError(code)
        if not answer.is_success or not body:
            raise StatusError(answer.status_code)
        return Response(answer.status_code, answer.text, answer.headers)


def client(timing: Timing, heard: Heard | None = None) -> httpx.AsyncClient:
    """Make the client for all requests, to be closed. `heard` is told what time it is at Twilio."""
    timeout = httpx.Timeout(
        timing.read, connect=timing.connect, write=timing.write, pool=timing.pool
    )
    return httpx.AsyncClient(
        timeout=timeout,
        follow_redirects=False,
        event_hooks=date_hooks(heard),
        verify=authorities(),
    )


def rebased(url: str, base_url: str) -> str:
    """`url` at `base_url`, or as it is where that is empty."""
    if not base_url:
        return url
    base, parts = urlsplit(base_url.rstrip("/")), urlsplit(url)
    return urlunsplit((base.scheme, base.netloc, base.path + parts.path, parts.query, ""))


def _fields(values: dict[str, object] | None) -> dict[str, str | list[str]]:
    """Return the fields of a form or a query, as the library gives them."""
    return {
        name: [str(each) for each in value] if isinstance(value, list) else str(value)
        for name, value in (values or {}).items()
    }


def _object(answer: httpx.Response) -> dict[str, Any]:
    """Return the JSON object of an answer, an empty one if it has none."""
    try:
        body = json.loads(answer.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _wait(answer: httpx.Response) -> float | None:
    """Return how long Twilio asks to wait, if it says so in seconds."""
    try:
        seconds = float(answer.headers.get("retry-after", ""))
    except ValueError:
        return None
    return min(max(SHORTEST_WAIT_SECONDS, seconds), LONGEST_WAIT_SECONDS)
