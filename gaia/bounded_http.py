"""One HTTP request to a host that may be slow, broken or hostile: its answer, within bounds.

For `gaia doctor`. Redirects are not followed, and what is compressed is not unpacked: a
small answer may unpack to one without end. What all clients of HTTP share is here, too.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import httpx

ANSWER_BYTES = 64 * 1024
"""More of an answer is not read."""

ANSWER_SECONDS = 10.0
TOTAL = 2.0
"""A connection and an answer may take so many times that, not each piece of them."""

FAULTS = (httpx.RequestError, httpx.InvalidURL, UnicodeError, TimeoutError)
"""All that a request may raise when no answer comes."""

UNCOMPRESSED = ("", "identity")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whoever sent it. `body` is its start, and empty if it is compressed,
    which it was asked not to be. Names of `headers` are in lower case."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def media_type(self) -> str:
        """Its MIME type, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip()

    @property
    def location(self) -> str:
        """Where it redirects to."""
        return self.headers.get("location", "")


@cache
def authorities() -> ssl.SSLContext:
    """Whose certificates count. To read them takes 20 ms and a megabyte, so that the clients of
    one process share them."""
    return httpx.create_ssl_context()


async def ask(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    form: Mapping[str, str] | None = None,
    seconds: float = ANSWER_SECONDS,
) -> Answer:
    """The answer to one request. Raises one of `FAULTS`."""
    wanted = {"Accept-Encoding": "identity", **headers}
    async with (
        asyncio.timeout(TOTAL * seconds),
        httpx.AsyncClient(timeout=seconds, follow_redirects=False, verify=authorities()) as client,
        client.stream(method, url, data=form and dict(form), headers=wanted) as response,
    ):
        return Answer(
            response.status_code, await _start_of(response), dict(response.headers.items())
        )


async def _start_of(response: httpx.Response) -> bytes:
    if response.headers.get("content-encoding", "").strip().lower() not in UNCOMPRESSED:
        return b""
    start = bytearray()
    async for chunk in response.aiter_raw(ANSWER_BYTES):
        start += chunk
        if len(start) >= ANSWER_BYTES:
            break
    return bytes(start[:ANSWER_BYTES])


def causes(exc: BaseException) -> Iterator[BaseException]:
    """An exception and all that led to it, the last to be raised first."""
    cause: BaseException | None = exc
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
