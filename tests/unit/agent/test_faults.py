from __future__ import annotations

import pytest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from gaia.agent.faults import LONGEST_CAUSE, answer_fault, http_fault, one_line, retry_after
from gaia.agent.refusals import Refusal
from gaia.errors import ModelBlockedError, ModelRefusedError, ModelRejectedError
from gaia.testing.clock import START

TEXT = types.Content(role="model", parts=[types.Part(text="half an answ")])


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 2026 12:01:30 GMT", 90.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}, START) == seconds


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_busy_and_broken_hosts_are_asked_again(status: int) -> None:
    fault = http_fault(Refusal(status, "busy"), "busy", {"retry-after": "3"}, START, key="K")
    assert fault.passing
    assert fault.wait_seconds == 3


@pytest.mark.parametrize(
    ("status", "remedy"), [(400, "model.name"), (401, "K"), (403, "K"), (404, "model.base_url")]
)
def test_a_refusal_names_what_to_check(status: int, remedy: str) -> None:
    fault = http_fault(Refusal(status, "no"), "no", {}, START, key="K")
    assert not fault.passing
    assert remedy in fault.remedy
    assert fault.error is (ModelRefusedError if status == 400 else ModelRejectedError)


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_a_bare_cause_has_no_word_of_the_hosts(status: int) -> None:
    fault = http_fault(Refusal(status, ""), "the gate code", {}, START, key="K")
    assert (fault.cause, fault.bare) == (f"HTTP {status}: the gate code", f"HTTP {status}")


@pytest.mark.parametrize("key", ["sk-proj-abc123", "AIzaSyD-abc123", "Bearer abc123"])
def test_a_cause_holds_no_key(key: str) -> None:
    assert "abc123" not in one_line(f"wrong key {key}!")


@given(st.text())
def test_a_cause_is_one_short_line(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert len(line) <= LONGEST_CAUSE


def test_an_answer_that_was_cut_at_the_token_limit_is_an_answer() -> None:
    assert answer_fault(LlmResponse(content=TEXT, error_code="MAX_TOKENS")) is None
    assert answer_fault(LlmResponse(error_code="MAX_TOKENS")) is not None


def test_a_blocked_answer_is_refused_and_a_garbled_call_is_asked_again() -> None:
    blocked = answer_fault(LlmResponse(error_code=types.FinishReason.SAFETY, error_message="no"))
    garbled = answer_fault(LlmResponse(error_code="MALFORMED_FUNCTION_CALL"))
    assert blocked is not None
    assert (blocked.cause, blocked.bare, blocked.passing) == ("SAFETY: no", "SAFETY", False)
    assert blocked.error is ModelBlockedError
    assert garbled is not None
    assert garbled.passing


def test_an_answer_without_choices_is_refused() -> None:
    fault = answer_fault(LlmResponse(content=types.Content(role="model", parts=[])))
    assert fault is not None
    assert not fault.passing
