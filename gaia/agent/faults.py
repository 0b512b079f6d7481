"""What a failed call to a model means: whether it may pass, its cause, the remedy.

Each provider's adapter reads its own SDK's exceptions into a `Fault`; here is
what HTTP says for all of them. A cause is one line and never holds a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum

from google.adk.models.llm_response import LlmResponse
from google.genai import types

LONGEST_CAUSE = 200
PASSING_STATUSES = frozenset({408, 409, 425, 429})
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk-|AIza|AQ\.|Bearer\s+)[\w.*-]{4,}")

PASSING_CODES = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
"""Gemini's names for a tool call that the model garbled; the next try is often fine."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a call failed. `passing` means that the same call may succeed later."""

    cause: str
    passing: bool
    wait_seconds: float | None = None
    """How long the provider asks to wait, where it says so."""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class FaultReader:
    """How one provider's SDK fails."""

    catches: tuple[type[Exception], ...]
    """The exceptions that `read` understands; all others are bugs and pass through."""
    read: Callable[[Exception, datetime], Fault]
    """Takes the exception and the present time."""


def http_fault(
    status: int, message: str, headers: Mapping[str, str], now: datetime, *, key: str
) -> Fault:
    """Read an HTTP error; `key` names the secret that a 401 is about."""
    cause = one_line(f"HTTP {status}: {message}" if message else f"HTTP {status}")
    if status in PASSING_STATUSES or status >= 500:
        return Fault(cause, passing=True, wait_seconds=retry_after(headers, now))
    remedies = {
        401: f"check {key}",
        403: f"check {key} and what it may use",
        404: "check model.name and model.base_url",
    }
    return Fault(cause, passing=False, remedy=remedies.get(status, "check model.name"))


def network_fault(error: Exception) -> Fault:
    """Read a connection that could not be made, or broke."""
    return Fault(one_line(f"{type(error).__name__}: {error}"), passing=True)


def garbled_fault() -> Fault:
    """An answer that is not what the protocol says."""
    return Fault("the answer could not be read", passing=True)


def answer_fault(response: LlmResponse) -> Fault | None:
    """Read an answer that says in itself that it is an error."""
    if response.error_code is None:
        if _is_empty(response) and response.finish_reason is None:
            return Fault("the answer held no choices", passing=False)
        return None
    code = response.error_code
    name = str(code.value) if isinstance(code, Enum) else str(code)
    if name == types.FinishReason.MAX_TOKENS.value and not _is_empty(response):
        return None
    message = response.error_message or ""
    cause = one_line(f"{name}: {message}" if message else name)
    passing = name in PASSING_CODES or "server_error" in message or "rate_limit" in message
    return Fault(cause, passing=passing)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Read `Retry-After`: seconds, or a date (RFC 9110, 10.2.3)."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now).total_seconds())


def one_line(text: str) -> str:
    """Return `text` on one line, cut short, and without what looks like a key."""
    line = _LOOKS_LIKE_A_KEY.sub("***", " ".join(text.split()))
    return line if len(line) <= LONGEST_CAUSE else line[: LONGEST_CAUSE - 1] + "…"


def _is_empty(response: LlmResponse) -> bool:
    return response.content is None or not response.content.parts
