"""What a failed call to a model means: whether it may pass, its cause, the remedy.

Each provider's adapter reads its own SDK's exceptions into a `Fault`. A cause is one line
and never holds a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum

from google.adk.models.llm_response import LlmResponse

from gaia.agent.refusals import Refusal, is_blocked
from gaia.agent.responses import said_in
from gaia.errors import (
    ModelBlockedError,
    ModelError,
    ModelFruitlessError,
    ModelRefusedError,
    ModelUnavailableError,
)
from gaia.text import cut

LONGEST_CAUSE = 200
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk-|AIza|AQ\.|Bearer\s+)[\w.*-]{4,}")

CUT_CODE = "MAX_TOKENS"
BLOCKED_CODES = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "JAILBREAK"}
)
"""The words are at fault: those of the person, or those that the model was about to say."""
PASSING_CODES = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
"""Gemini's names for a tool call that the model garbled; the next try is often fine."""
PASSING_WORDS = ("server_error", "rate_limit")
"""What OpenAI's Responses API says of a failure that may pass."""


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

    read: Callable[[Exception, datetime], Fault]
    """Takes an exception and the present time. Of one that tells nothing of the host the
    answer is `GARBLED`: it was raised because of what the host sent."""
    is_complete: Callable[[LlmResponse], bool] = has_finish_reason
    """Whether the last response of a stream closes it. A stream that was cut at
    a chunk's border ends without an error in every SDK."""


GARBLED = Fault("the answer could not be read", passing=True)
"""An answer that is not what the protocol says."""
EMPTY = Fault("the answer was empty", passing=False, error=ModelFruitlessError)
NO_ROOM = Fault(
    "the answer was cut off before it said anything", passing=False, error=ModelFruitlessError
)


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


def answer_fault(response: LlmResponse) -> Fault | None:
    """Read a whole answer that says in itself why it is none, or that says nothing.

    Some adapters put that into the error code, others into the reason why the
    model finished.
    """
    told, message = response.error_code or response.finish_reason or "", response.error_message
    code = str(told.value) if isinstance(told, Enum) else told
    is_empty = not said_in(response).strip() and not response.get_function_calls()
    blocks = code in BLOCKED_CODES or is_blocked(message or "")
    if code in PASSING_CODES or blocks or (is_empty and message and code != CUT_CODE):
        cause = one_line(f"{code}: {message}" if message else code)
        error = ModelBlockedError if blocks else ModelRefusedError
        passing = code in PASSING_CODES or any(word in (message or "") for word in PASSING_WORDS)
        return Fault(cause, passing, error=error, bare_cause=one_line(code))
    if not is_empty:
        return None
    return NO_ROOM if code == CUT_CODE else EMPTY


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Read `Retry-After`: seconds, or a date (RFC 9110, 10.2.3)."""
    value = headers.get("retry-after", "").strip()
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(ValueError):
        at = parsedate_to_datetime(value)
        return max(0.0, ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now).total_seconds())
    return None


def one_line(text: str) -> str:
    """Return `text` on one line, cut short, and without what looks like a key."""
    return cut(_LOOKS_LIKE_A_KEY.sub("***", " ".join(text.split())), LONGEST_CAUSE)
