"""What the adapters make of errors that are awkward to provoke over HTTP."""

from __future__ import annotations

from collections.abc import Mapping

import httpx
import openai
import pytest
from google.genai.errors import ClientError
from pydantic import SecretStr

from gaia.agent.adaptations import Feature
from gaia.agent.faults import Fault
from gaia.agent.remote import gemini
from gaia.agent.remote import openai as openai_adapter
from gaia.errors import ModelRejectedError, ModelUnpaidError
from gaia.settings.providers import ResolvedModel
from gaia.testing.clock import START

REQUEST = httpx.Request("POST", "http://127.0.0.1/v1/chat/completions")


def openai_fault(status: int, body: Mapping[str, object]) -> Fault:
    """What a body is read as, where the SDK has only its `error` for it."""
    response = httpx.Response(status, request=REQUEST, json={"error": body})
    error = openai.APIStatusError(str(body["message"]), response=response, body=body)
    return openai_adapter.connect(ResolvedModel("openai", "m")).reader.read(error, START)


def test_a_spent_quota_is_not_waited_for() -> None:
    body = {"code": "insufficient_quota", "message": "You exceeded your current quota"}
    fault = openai_fault(429, body)
    assert (fault.passing, fault.error) == (False, ModelUnpaidError)


def test_what_a_host_behind_the_host_says_is_read() -> None:
    behind = {"raw": '{"error":{"message":"m does not support tools"}}'}
    fault = openai_fault(400, {"message": "Provider returned error", "metadata": behind})
    assert fault.refusal is not None
    assert fault.refusal.lacking(frozenset({Feature.TOOLS}), ()) is Feature.TOOLS


def test_a_host_that_takes_no_pictures_refuses_whatever_status_it_says_so_with() -> None:
    message = "image input is not supported - hint: you may need to provide the mmproj"
    assert not openai_fault(500, {"message": message}).passing


def test_an_error_event_within_a_stream_may_pass() -> None:
    error = openai.APIError("The server had an error", REQUEST, body=None)
    fault = openai_adapter.connect(ResolvedModel("openai", "m")).reader.read(error, START)
    assert (fault.cause, fault.passing) == ("HTTP 500: The server had an error", True)


@pytest.mark.parametrize(
    "details", [{}, {"error": {}}, {"error": {"details": [{"retryDelay": "7s"}]}}, [], "busy"]
)
def test_a_busy_answer_of_another_shape_names_no_wait(details: object) -> None:
    model = ResolvedModel("gemini", "m", api_key=SecretStr("key"))
    error = ClientError(429, details, httpx.Response(429, request=REQUEST))
    fault = gemini.connect(model, api_version="").reader.read(error, START)
    assert (fault.passing, fault.wait_seconds) == (True, None)


def test_a_wrong_key_of_gemini_is_told_from_a_bad_request() -> None:
    reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    details = {"error": {"message": "API key not valid.", "details": [reason]}}
    model = ResolvedModel("gemini", "m", api_key=SecretStr("key"))
    error = ClientError(400, details, httpx.Response(400, request=REQUEST))
    fault = gemini.connect(model, api_version="").reader.read(error, START)
    assert (fault.error, fault.remedy) == (ModelRejectedError, "check GEMINI_API_KEY")
