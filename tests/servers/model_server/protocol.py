"""What each provider's protocol must tell the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pydantic import JsonValue

from tests.servers.model_server.conversation import Answer, Asked

Json = dict[str, JsonValue]
Headers = dict[str, str]


class WireProtocol(Protocol):
    """How one provider puts requests, answers and errors into HTTP."""

    @property
    def name(self) -> str: ...

    def key(self, headers: Mapping[str, str]) -> str:
        """The API key that a request carries."""
        ...

    def read(self, body: bytes, *, path: str) -> Asked:
        """Read a request."""
        ...

    def whole(self, asked: Asked, answer: Answer) -> Json:
        """The answer as one JSON object."""
        ...

    def events(self, asked: Asked, answer: Answer) -> Sequence[str]:
        """The answer as server-sent events, each with its blank line."""
        ...

    def error(self, status: int, message: str, *, retry_after: str) -> tuple[Json, Headers]:
        """An error's body, and its headers; `retry_after` is blank for none."""
        ...


def retry_header(retry_after: str) -> Headers:
    """The header that asks to wait, when there is a wait."""
    return {"retry-after": retry_after} if retry_after else {}
