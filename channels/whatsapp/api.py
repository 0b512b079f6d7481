"""What gaia asks of Twilio, through the twilio library: messages, typing, files.

Each request raises one of `faults.REFUSALS` when it comes to nothing.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import httpx
from twilio.base import values
from twilio.rest import Client
from twilio.rest.api.v2010.account.message import MessageInstance

from channels.whatsapp.http import HttpxClient, OddAnswerError, client, rebased
from channels.whatsapp.names import CHANNEL, twilio_name
from channels.whatsapp.timing import Timing
from gaia.findings import Heard

T = TypeVar("T")

TWILIO_URL = "https://api.twilio.com"
PAGE_SIZE = 100
MOST_MESSAGES = 2000
"""More are not looked for at once: twenty pages."""

_OUR_REGION = {"TWILIO_EDGE": "", "TWILIO_REGION": ""}
"""The library would take these from the environment; `base_url` says it instead."""

_UNREADABLE = (
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,
    TypeError,
    ValueError,
)


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
        """Close them all."""
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
        """The account itself."""
        account = self._twilio.api.v2010.accounts(self._account_sid)
        found = await _read(account.fetch_async())
        return Account(str(found.friendly_name or ""), str(found.status or ""))

    async def received_since(self, since: datetime) -> list[PastMessage]:
        """The messages that Twilio received for the number since then."""
        listing = self._twilio.messages.list_async(
            to=self._number, date_sent_after=since, limit=MOST_MESSAGES, page_size=PAGE_SIZE
        )
        listed = [_past(message) for message in await _read(listing)]
        return [each for each in listed if each is not None and each.sent_at >= since]

    async def files_of(self, message_sid: str) -> list[PastFile]:
        """The files of a message that was received."""
        listing = self._twilio.messages(message_sid).media.list_async(limit=PAGE_SIZE)
        folder = f"/2010-04-01/Accounts/{self._account_sid}/Messages/{message_sid}/Media"
        return [
            PastFile(f"{folder}/{each.sid}", str(each.content_type or ""))
            for each in await _read(listing)
        ]

    def address_of(self, path: str) -> str:
        """The address of a path at Twilio."""
        return rebased(TWILIO_URL + path, self._base_url)

    @asynccontextmanager
    async def open(self, url: httpx.URL) -> AsyncIterator[httpx.Response]:
        """The answer to a request for a file, be it a redirect. The credentials go to
        Twilio alone."""
        is_twilios = _origin(url) == _origin(httpx.URL(self.address_of("")))
        auth = self._credentials if is_twilios else None
        async with self._http.stream("GET", url, auth=auth) as response:
            yield response


async def _read(request: Awaitable[T]) -> T:
    """What a request of the library returns."""
    try:
        return await request
    except _UNREADABLE as exc:
        raise OddAnswerError(type(exc).__name__) from exc


def _past(message: MessageInstance) -> PastMessage | None:
    """A message of a list, or None for one that somebody sent from the number."""
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
