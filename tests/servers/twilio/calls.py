"""Calling the client, as Twilio does: signed for a public address, and again if need be.

What Twilio calls is a public address, mostly of a proxy that ends TLS. `origins` says
where a connection to one goes really; the client sees what a proxy would pass on.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import httpx

from gaia.ports import Clock
from tests.servers.changes import Changes

Form = Sequence[tuple[str, str]]

SIGNATURE_HEADER = "X-Twilio-Signature"
ANSWER_SECONDS = 15.0
"""How long Twilio waits for an answer."""
RETRY_SECONDS = 1.0
"""The pause after an attempt that failed, on the server's clock."""


@dataclass(frozen=True, slots=True)
class CallMade:
    """An attempt to tell the client something: what it answered, None for nothing, and how
    many real seconds that took."""

    url: str
    form: Mapping[str, str]
    status: int | None
    seconds: float


def signature(auth_token: str, url: str, form: Form = ()) -> str:
    """The signature of a request, by the rule that Twilio documents."""
    told = url + "".join(name + value for name, value in sorted(set(form)))
    mac = hmac.new(auth_token.encode(), told.encode(), hashlib.sha1)
    return base64.b64encode(mac.digest()).decode()


class Caller:
    """Makes requests to the client. `attempts` is after how many it gives up."""

    def __init__(
        self, http: httpx.AsyncClient, auth_token: str, clock: Clock, changes: Changes
    ) -> None:
        self.attempts = 2
        self.origins: dict[str, str] = {}
        self.made: list[CallMade] = []
        self.oddities: list[str] = []
        """Answers that Twilio would put into its log of errors."""
        self._http = http
        self._auth_token = auth_token
        self._clock = clock
        self._changes = changes

    async def post(self, url: str, form: Form, *, wants_twiml: bool = False) -> bool:
        """Tell the client something; return whether it took it."""
        for attempt in range(self.attempts):
            if attempt:
                await self._clock.sleep(RETRY_SECONDS)
            if await self._is_taken(url, form, wants_twiml):
                return True
        return False

    async def get(self, url: str) -> httpx.Response | None:
        """A file of the client's; None when nobody answers."""
        try:
            return await self._http.get(self._really(url), headers=_as_proxied(url))
        except httpx.HTTPError:
            return None

    async def _is_taken(self, url: str, form: Form, wants_twiml: bool) -> bool:
        headers = {
            **_as_proxied(url),
            "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
            "User-Agent": "TwilioProxy/1.1",
            SIGNATURE_HEADER: signature(self._auth_token, url, form),
        }
        began = asyncio.get_running_loop().time()
        try:
            answer = await self._http.post(
                self._really(url), content=urlencode(form), headers=headers
            )
        except httpx.HTTPError:
            answer = None
        seconds = asyncio.get_running_loop().time() - began
        status = None if answer is None else answer.status_code
        self.made.append(CallMade(url, dict(form), status, seconds))
        self._changes.tell()
        if answer is None or not answer.is_success:
            return False
        kind = answer.headers.get("content-type", "")
        if wants_twiml and not (kind.startswith("text/xml") and "<Response" in answer.text):
            self.oddities.append(f"12100: the answer of {url} is no TwiML: {kind} {answer.text!r}")
        return True

    def _really(self, url: str) -> str:
        for public, real in self.origins.items():
            if url == public or url.startswith(f"{public}/"):
                return real + url.removeprefix(public)
        return url


def _as_proxied(url: str) -> dict[str, str]:
    parts = urlsplit(url)
    return {"Host": parts.netloc, "X-Forwarded-Proto": parts.scheme}
