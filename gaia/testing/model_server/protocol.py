"""What each provider's protocol must tell the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pydantic import JsonValue

from gaia.testing.model_server.conversation import Answer, Asked

Json = dict[str, JsonValue]


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

    def error(self, status: int, message: str) -> Json:
        """An error's body."""
        ...
