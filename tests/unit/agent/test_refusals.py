"""The words of real hosts, as people reported them, and what they are read as."""

from __future__ import annotations

import json

import pytest

from gaia.agent.adaptations import Feature
from gaia.agent.faults import http_fault
from gaia.agent.refusals import Refusal, refusal_of
from gaia.errors import (
    ModelBlockedError,
    ModelError,
    ModelRefusedError,
    ModelRejectedError,
    ModelTooLongError,
    ModelUnavailableError,
    ModelUnpaidError,
)
from gaia.testing.clock import START

SENT = json.dumps(
    {
        "model": "m",
        "messages": [],
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "max_tokens": 4096,
        "temperature": 0.2,
        "response_format": {"type": "json_schema"},
        "stream": True,
        "stream_options": {"include_usage": True},
        "store": False,
    }
).encode()
GEMINI_SENT = json.dumps(
    {
        "contents": [],
        "systemInstruction": {"parts": []},
        "generationConfig": {"temperature": 1, "responseJsonSchema": {}, "maxOutputTokens": 9},
    }
).encode()
EVERYTHING = frozenset(Feature) - {Feature.JSON}


def read(status: int, message: str, sent: bytes = SENT) -> Refusal:
    return refusal_of(status, json.dumps({"error": {"message": message, "code": status}}), sent)


@pytest.mark.parametrize(
    ("status", "message", "excess"),
    [
        (400, "request (9001 tokens) exceeds the available context size (8192 tokens)", 1.1),
        (400, "the request exceeds the available context size. try increasing it", None),
        (500, "Context size has been exceeded.", None),
        (400, "prompt is too long: 212345 tokens > 200000 maximum", 1.06),
        (400, "input length and max_tokens exceed context limit: 188240 + 21333 > 200000", 1.06),
        (
            400,
            "The input token count (1200000) exceeds the maximum number of tokens allowed "
            "(1048576).",
            1.14,
        ),
        (
            400,
            "This model's maximum context length is 4097 tokens. However, your messages resulted "
            "in 6988 tokens. Please reduce the length of the messages.",
            1.7,
        ),
        (
            400,
            "This endpoint's maximum context length is 32768 tokens. However, you requested about "
            "42832 tokens (42832 of text input). Please reduce the length of either one",
            1.3,
        ),
        (
            400,
            "Trying to keep the first 15857 tokens when context the overflows. However, the model "
            "is loaded with context length of only 4096 tokens, which is not enough",
            3.87,
        ),
        (400, "Please reduce the length of the messages. Current length is 42328 while limit is "
         "40000", 1.06),
        (400, "Prompt contains 33000 tokens and 0 draft tokens, too large for model with 32768 "
         "maximum context length", 1.0),
        (422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: "
         "3000 `inputs` tokens", 1.46),
        (400, "This model's maximum prompt length is 131072 but the request contains 537812 "
         "tokens.", 4.1),
        (400, "Input is too long for requested model.", None),
        (400, "Range of input length should be [1, 30720]", None),
        (400, "Your request exceeded model token limit: 262144", None),
        (413, "Request Entity Too Large", None),
        (
            413,
            "Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): "
            "Limit 6000, Requested 7150, please reduce your message size and try again",
            1.19,
        ),
        (
            429,
            "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 44000. "
            "The input or output tokens must be reduced in order to run successfully.",
            1.47,
        ),
    ],
)  # fmt: skip
def test_what_is_too_long_is_known_by_how_much(
    status: int, message: str, excess: float | None
) -> None:
    refusal = read(status, message, sent=b'{"model": "m", "messages": []}')
    assert refusal.is_too_long
    assert refusal.excess == (excess and pytest.approx(excess, abs=0.01))
    assert fault_of(refusal) is ModelTooLongError
    assert refusal.lacking(EVERYTHING, ()) is None


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (429, "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, "
         "Requested 5000. Please try again in 8s."),
        (429, "This request would exceed your organization's rate limit of 50,000 input tokens "
         "per minute"),
        (400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum"),
        (400, "Invalid 'messages[1].role': must be one of 'user', 'assistant'"),
        (503, "Overloaded"),
    ],
)  # fmt: skip
def test_what_is_not_about_length_is_not_too_long(status: int, message: str) -> None:
    assert not read(status, message).is_too_long


@pytest.mark.parametrize(
    ("status", "message", "lacking"),
    [
        (400, "registry.example/library/m:latest does not support tools", Feature.TOOLS),
        (500, "tools param requires --jinja flag", Feature.TOOLS),
        (404, "No endpoints found that support tool use.", Feature.TOOLS),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be '
         "set", Feature.TOOLS),
        (400, "`tools` is not supported with this model", Feature.TOOLS),
        (404, "No endpoints found that support image input", Feature.FILES),
        (500, "image input is not supported - hint: you may need to provide the mmproj",
         Feature.FILES),
        (400, "this model does not support image input", Feature.FILES),
        (400, "m is not a multimodal model", Feature.FILES),
        (400, "System role not supported", Feature.SYSTEM),
        (400, "Developer instruction is not enabled for models/gemma-3-27b-it", Feature.SYSTEM),
        (400, "This response_format type is unavailable now", Feature.SCHEMA),
        (400, "'response_format.type' must be 'json_object'", Feature.SCHEMA),
        (400, "Failed to parse grammar", Feature.SCHEMA),
        (400, "Failed to deserialize the JSON body into the target type: response_format: "
         "response_format.type `json_schema` is unavailable now at line 1 column 1193",
         Feature.SCHEMA),
        (400, "", Feature.SCHEMA),
        (400, "Unrecognized request argument supplied: stream_options", "stream_options"),
        (400, "Validation error at #/stream_options: Extra inputs are not permitted",
         "stream_options"),
        (422, "unknown field `stream_options`, expected one of `messages`, `model`, `max_tokens`",
         "stream_options"),
        (400, "store: Extra inputs are not permitted", "store"),
        (400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
         "'max_completion_tokens' instead.", "max_tokens"),
        (400, "max_tokens is too large: 8192. This model supports at most 4096 completion tokens",
         "max_tokens"),
        (400, "This model's maximum context length is 6048 tokens. However, you requested 6616 "
         "tokens (568 in the messages, 6048 in the completion).", "max_tokens"),
        (400, "Unsupported value: 'temperature' does not support 0.16 with this model. Only the "
         "default (1) value is supported.", "temperature"),
        (400, "This model does not support parallel_tool_calls", "parallel_tool_calls"),
    ],
)  # fmt: skip
def test_what_a_host_lacks_is_what_it_names(status: int, message: str, lacking: str) -> None:
    refusal = read(status, message)
    assert refusal.lacking(EVERYTHING, ()) == lacking
    assert not issubclass(fault_of(refusal), ModelRejectedError | ModelUnavailableError)


@pytest.mark.parametrize(
    ("message", "lacking"),
    [
        ('Invalid JSON payload received. Unknown name "responseJsonSchema" at '
         "'generation_config': Cannot find field.", Feature.SCHEMA),
        ("The specified schema produces a constraint that has too many states for serving.",
         Feature.SCHEMA),
        ("temperature is not supported by this model", "generationConfig.temperature"),
    ],
)  # fmt: skip
def test_a_field_within_an_object_is_known_by_its_name(message: str, lacking: str) -> None:
    assert read(400, message, GEMINI_SENT).lacking(EVERYTHING, ()) == lacking


def test_a_validators_place_names_the_field_and_what_it_repeats_does_not_count() -> None:
    mistake = {
        "type": "extra_forbidden",
        "loc": ["body", "stream_options"],
        "msg": "Extra inputs are not permitted",
        "input": "my temperature is 39",
    }
    refusal = refusal_of(422, json.dumps({"detail": [mistake]}), SENT)
    assert refusal.fields == ("stream_options",)


def test_nothing_is_left_out_twice_nor_what_was_not_sent() -> None:
    refusal = read(400, "Unknown parameter: 'stream_options', 'top_k'")
    assert refusal.lacking(frozenset(), ["stream_options"]) is None


@pytest.mark.parametrize(
    ("message", "is_for_all"),
    [
        ("this model does not support image input", True),
        ("No endpoints found that support image input", True),
        ("m is not a multimodal model", True),
        ("Invalid content type. image_url is only supported by certain models.", True),
        ("You uploaded an unsupported image. Make sure it is below 20 MB in size", False),
        ("Could not process image", False),
    ],
)
def test_one_bad_picture_says_nothing_of_others(message: str, is_for_all: bool) -> None:
    assert read(400, message).is_for_all_files == is_for_all


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (402, "Insufficient credits", ModelUnpaidError),
        (402, "This request requires more credits, or fewer max_tokens. You requested up to 64000 "
         "tokens, but can only afford 61586.", ModelUnpaidError),
        (400, "Your credit balance is too low to access the API.", ModelUnpaidError),
        (400, "You have reached your specified API usage limits.", ModelUnpaidError),
        (403, "local:insufficient_quota", ModelUnpaidError),
        (429, "You exceeded your current quota insufficient_quota", ModelUnpaidError),
        (429, "You exceeded your current quota, please check your plan and billing details. "
         "GenerateRequestsPerDayPerProjectPerModel-FreeTier", ModelUnpaidError),
        (429, "Rate limit exceeded: free-models-per-day. Add 10 credits", ModelUnpaidError),
        (429, "You exceeded your current quota, please check your plan and billing details. "
         "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", ModelUnavailableError),
        (429, "Rate limit exceeded: free-models-per-min", ModelUnavailableError),
        (529, "Overloaded", ModelUnavailableError),
        (401, "Incorrect API key provided", ModelRejectedError),
        (400, "API key not valid. Please pass a valid API key. API_KEY_INVALID",
         ModelRejectedError),
        (404, 'model "m" not found, try pulling it first', ModelRejectedError),
        (400, "m is not a valid model ID", ModelRejectedError),
        (404, "Not Found", ModelRejectedError),
        (400, "The response was filtered due to the prompt triggering the content management "
         "policy. Please modify your prompt and retry.", ModelBlockedError),
        (403, "m requires moderation. Your input was flagged for violence", ModelBlockedError),
        (400, "messages: roles must alternate", ModelRefusedError),
    ],
)  # fmt: skip
def test_a_cause_is_read_from_the_words(status: int, message: str, error: type[ModelError]) -> None:
    assert fault_of(read(status, message)) is error


def fault_of(refusal: Refusal) -> type[ModelError]:
    fault = http_fault(refusal, "", {}, START, key="K")
    return ModelUnavailableError if fault.passing else fault.error
