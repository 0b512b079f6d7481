"""What can go wrong with a request, for a test to plan.

    def faults(request: RequestSeen) -> Fault | None:
        if request.operation == CREATE_MESSAGE and request.count == 1:
            return CutAfterRead(processed=True)
        return None

`processed` says whether Twilio did what it was asked for before it went wrong. What
goes wrong with a message after it was taken is for `callbacks` to plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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
    "CutAfterRead",
    "Fault",
    "Faults",
    "Hang",
    "MalformedJson",
    "Refused",
    "RequestSeen",
    "ServerError",
    "Slow",
    "TooManyRequests",
    "no_faults",
]

FETCH_ACCOUNT = "FetchAccount"
CREATE_MESSAGE = "CreateMessage"
LIST_MESSAGES = "ListMessage"
FETCH_MESSAGE = "FetchMessage"
LIST_MEDIA = "ListMedia"
DOWNLOAD_MEDIA = "DownloadMedia"
CREATE_TYPING = "CreateTypingIndicator"


@dataclass(frozen=True, slots=True)
class RequestSeen:
    """A request that is about to be met: its operation as Twilio's description names it.

    `parameters` are those of the query and the form, `person` is whom it is about.
    `number` counts all requests from 1, `count` those of its operation.
    """

    operation: str
    parameters: Mapping[str, str]
    person: str
    number: int
    count: int


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer with an error code of Twilio's."""

    status: int
    code: int
    message: str = "Refused by the script"


Fault = (
    TooManyRequests
    | Refused
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
