"""What can go wrong with a request, for a test to plan.

    def faults(request: RequestSeen) -> Fault | None:
        if request.method == "sendMessage" and request.count == 1:
            return CutAfterRead(processed=True)
        return None

`processed` says whether Telegram did what it was asked for before it went wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from tests.servers.http_faults import (
    BadGateway,
    CutAfterRead,
    Hang,
    MalformedJson,
    ServerError,
    Slow,
    TooManyRequests,
)

__all__ = [
    "BadGateway",
    "BadRequest",
    "Blocked",
    "Conflict",
    "CutAfterRead",
    "Fault",
    "Faults",
    "Hang",
    "MalformedJson",
    "RequestSeen",
    "ServerError",
    "Slow",
    "TooManyRequests",
    "no_faults",
]


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
class Conflict:
    """409: another poller took the updates."""


@dataclass(frozen=True, slots=True)
class BadRequest:
    """400, with what follows `Bad Request: `."""

    description: str


@dataclass(frozen=True, slots=True)
class Blocked:
    """403: the person has blocked the bot."""


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
