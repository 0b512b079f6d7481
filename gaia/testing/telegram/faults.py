"""What can go wrong with a request, for a test to plan.

    def faults(request: RequestSeen) -> Fault | None:
        if request.method == "sendMessage" and request.count == 1:
            return CutAfterRead(processed=True)
        return None

`processed` says whether Telegram did what it was asked for before it went wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class RequestSeen:
    """A request that is about to be met. `number` counts all requests from 1,
    `count` those of its method."""

    method: str
    parameters: Mapping[str, JsonValue]
    chat_id: int | None
    number: int
    count: int


@dataclass(frozen=True, slots=True)
class TooManyRequests:
    """429: not before `retry_after` seconds have passed."""

    retry_after: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """409: another poller took the updates."""


@dataclass(frozen=True, slots=True)
class BadRequest:
    """400, with what follows `Bad Request: `."""

    description: str


@dataclass(frozen=True, slots=True)
class Blocked:
    """403: the person has blocked the bot."""


@dataclass(frozen=True, slots=True)
class BadGateway:
    """502 with a page of HTML; nothing reached Telegram."""


@dataclass(frozen=True, slots=True)
class ServerError:
    """500."""

    processed: bool = False


@dataclass(frozen=True, slots=True)
class MalformedJson:
    """200 with what is not JSON."""

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


Fault = (
    TooManyRequests
    | Conflict
    | BadRequest
    | Blocked
    | BadGateway
    | ServerError
    | MalformedJson
    | Hang
    | CutAfterRead
    | Slow
)

Faults = Callable[[RequestSeen], Fault | None]


def no_faults(request: RequestSeen) -> Fault | None:
    """Everything goes well."""
    return None
