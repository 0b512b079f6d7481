"""What can go wrong with a request to any provider, for a test to plan.

`processed` says whether the provider did what it was asked for before it went wrong.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TooManyRequests:
    """429: not before `retry_after` seconds have passed."""

    retry_after: int


@dataclass(frozen=True, slots=True)
class BadGateway:
    """502 with a page of HTML; nothing reached the provider."""


@dataclass(frozen=True, slots=True)
class ServerError:
    """500."""

    processed: bool = False


@dataclass(frozen=True, slots=True)
class MalformedJson:
    """Success with what is not JSON."""

    processed: bool = False


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer, until the client goes away."""

    processed: bool = False


@dataclass(frozen=True, slots=True)
class CutAfterRead:
    """The request is read, then the connection is reset: no answer, no end of one."""

    processed: bool = False


@dataclass(frozen=True, slots=True)
class Slow:
    """Nothing happens before `until` is set; then all goes well."""

    until: asyncio.Event


BAD_GATEWAY_PAGE = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n"
    "<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.18.0</center>\r\n"
    "</body>\r\n</html>\r\n"
)
