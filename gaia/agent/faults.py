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
from urllib.parse import urlsplit

from google.adk.models.llm_response import LlmResponse

from gaia.agent.refusals import Refusal, is_blocked
from gaia.errors import (
    ModelBlockedError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
    ModelUnreachableError,
)

LONGEST_CAUSE = 200
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk-|AIza|AQ\.|Bearer\s+)[\w.*-]{4,}")

FINE_CODES = frozenset({"STOP"})
CUT_CODES = frozenset({"MAX_TOKENS", "FINISH_REASON_UNSPECIFIED"})
"""What of the answer is there can be used."""
BLOCKED_CODES = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "JAILBREAK"}
)
"""The words are at fault: those of the person, or those that the model was about to say."""
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
    error: type[ModelError] = ModelRefusedError
    """What is raised for a fault that is not `passing`."""
    refusal: Refusal | None = None
    """What the host said, where it answered with an error."""
    bare_cause: str | None = None
    """The cause without the provider's own words, where it has any."""

    @property
    def bare(self) -> str:
        """The cause in words that quote nothing of what was sent."""
        return self.cause if self.bare_cause is None else self.bare_cause


def has_finish_reason(response: LlmResponse) -> bool:
    """Whether the model said why it finished."""
    return response.error_code is not None or response.finish_reason is not None


@dataclass(frozen=True, slots=True)
class FaultReader:
    """How one provider's SDK fails."""

    catches: tuple[type[Exception], ...]
    """The exceptions that `read` understands; all others are bugs and pass through."""
    read: Callable[[Exception, datetime], Fault]
    """Takes the exception and the present time."""
    is_complete: Callable[[LlmResponse], bool] = has_finish_reason
    """Whether the last response of a stream closes it. A stream that was cut at
    a chunk's border ends without an error in every SDK."""


OWN_ERRORS = FaultReader(catches=(), read=lambda error, now: garbled_fault())
"""For a model that raises `ModelError` itself: there is nothing to translate."""


def http_fault(
    refusal: Refusal, message: str, headers: Mapping[str, str], now: datetime, *, key: str
) -> Fault:
    """Read an HTTP error. `message` is the host's own sentence, and `key` names the
    environment variable that has the key."""
    bare = f"HTTP {refusal.status}"
    cause = one_line(f"{bare}: {message}" if message else bare)
    error, remedy = refusal.at_fault(key)
    passing = error is ModelUnavailableError
    wait = retry_after(headers, now) if passing else None
    return Fault(cause, passing, wait, remedy, error, refusal, bare)


def network_fault(error: Exception, url: object) -> Fault:
    """Read a connection that could not be made, or broke."""
    host = urlsplit(str(url)).netloc.rpartition("@")[2]
    cause = one_line(f"{type(error).__name__}: {error}")
    if not _is_refused(error):
        return Fault(cause, passing=True)
    return Fault(
        f"nothing answers at {host}",
        passing=False,
        remedy=f"start what runs at {host}, or check model.base_url",
        error=ModelUnreachableError,
    )


def _is_refused(error: BaseException | None) -> bool:
    """Whether a port was closed, on all addresses of a host."""
    while error is not None:
        if isinstance(error, BaseExceptionGroup):
            return all(map(_is_refused, error.exceptions))
        if isinstance(error, ConnectionRefusedError):
            return True
        error = error.__cause__ or error.__context__
    return False


def garbled_fault() -> Fault:
    """An answer that is not what the protocol says."""
    return Fault("the answer could not be read", passing=True)


def answer_fault(response: LlmResponse) -> Fault | None:
    """Read a whole answer that says in itself why it is none.

    Some adapters put that into the error code, others into the reason why the
    model finished.
    """
    code = _name(response.error_code or response.finish_reason)
    empty = response.content is None or not response.content.parts
    if not code:
        return Fault("the answer held no choices", passing=False) if empty else None
    if code in FINE_CODES or (code in CUT_CODES and not empty):
        return None
    message = response.error_message or ""
    cause = one_line(f"{code}: {message}" if message else code)
    passing = code in PASSING_CODES or "server_error" in message or "rate_limit" in message
    blocks = code in BLOCKED_CODES or is_blocked(message)
    error = ModelBlockedError if blocks else ModelRefusedError
    return Fault(cause, passing=passing, error=error, bare_cause=one_line(code))


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


def _name(code: str | None) -> str:
    return str(code.value) if isinstance(code, Enum) else code or ""
