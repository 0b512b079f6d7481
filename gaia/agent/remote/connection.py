"""What an adapter hands over: the model, how its SDK fails, and how to close it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from google.adk.models import BaseLlm

from gaia.agent.faults import FaultReader

CONNECT_SECONDS = 10.0
"""How long a host may take to accept a connection. The answer itself is
bounded by `model.timeout_seconds`, and by that alone."""


@dataclass(frozen=True, slots=True)
class Connection:
    """An open client of one provider. `close` releases its sockets."""

    llm: BaseLlm
    reader: FaultReader
    close: Callable[[], Awaitable[None]]
