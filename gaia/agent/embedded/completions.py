"""The protocol of the model's process: chat completions as a stream, and token counts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import asdict, dataclass

import httpx
from pydantic import BaseModel, ValidationError

from gaia.agent.embedded.grammar import CALL_MARK
from gaia.agent.embedded.rendering import Message
from gaia.errors import ModelError, ModelRefusedError, ModelUnavailableError

TOO_LONG = "exceed_context_size_error"
DATA = "data: "
END = "[DONE]"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the answer is drawn. `max_tokens` bounds its length."""

    max_tokens: int
    temperature: float
    top_p: float
    repeat_penalty: float
    call_bias: float = 0.0
    """Added to the logit of the call mark."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of an answer. `cut` tells that `max_tokens` ended it; of the
    `prompt_tokens`, `cached_tokens` did not have to be evaluated."""

    cut: bool
    prompt_tokens: int
    cached_tokens: int
    answer_tokens: int


Constraint = Mapping[str, object]
"""What holds an answer to its form: `grammar`, or `json_schema`, and its value."""


class _Delta(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _PromptDetails(BaseModel):
    cached_tokens: int = 0


class _Usage(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: _PromptDetails = _PromptDetails()


class _Fault(BaseModel):
    message: str = ""
    type: str = ""


class _Chunk(BaseModel):
    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: _Fault | None = None


class _Failure(BaseModel):
    error: _Fault


class _Tokens(BaseModel):
    tokens: list[int]


async def stream_answer(
    client: httpx.AsyncClient,
    messages: Sequence[Message],
    constraint: Constraint,
    sampling: Sampling,
) -> AsyncGenerator[str | Finished, None]:
    """Yield the answer piece by piece, and how it ended as the last thing.

    Leaving the loop early makes the process give up the request.

    Raises:
        ModelUnavailableError: The process is gone, or broke off.
        ModelRefusedError: It does not take the request.
    """
    body = {
        "messages": [asdict(message) for message in messages],
        **constraint,
        "stream": True,
        "stream_options": {"include_usage": True},
        "cache_prompt": True,
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "repeat_penalty": sampling.repeat_penalty,
        "logit_bias": [[CALL_MARK, sampling.call_bias]],
    }
    reason: str | None = None
    usage: _Usage | None = None
    try:
        async with client.stream("POST", "/v1/chat/completions", json=body) as response:
            if response.is_error:
                raise _failure(await response.aread())
            async for line in response.aiter_lines():
                if not line.startswith(DATA) or line == DATA + END:
                    continue
                chunk = _Chunk.model_validate_json(line.removeprefix(DATA))
                if chunk.error is not None:
                    raise _error(chunk.error)
                usage = chunk.usage or usage
                for choice in chunk.choices:
                    reason = choice.finish_reason or reason
                    if choice.delta.content:
                        yield choice.delta.content
    except (httpx.HTTPError, ValidationError) as exc:
        raise _broken(exc) from exc
    if reason is None or usage is None:
        raise ModelUnavailableError("the embedded model's process broke off its answer")
    yield Finished(
        cut=reason == "length",
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.prompt_tokens_details.cached_tokens,
        answer_tokens=usage.completion_tokens,
    )


async def count_tokens(client: httpx.AsyncClient, text: str) -> int:
    """How many tokens `text` has.

    Raises:
        ModelUnavailableError: The process is gone.
    """
    try:
        response = await client.post("/tokenize", json={"content": text})
        if response.is_error:
            raise _failure(response.content)
        return len(_Tokens.model_validate_json(response.content).tokens)
    except (httpx.HTTPError, ValidationError) as exc:
        raise _broken(exc) from exc


def _failure(body: bytes) -> ModelError:
    try:
        return _error(_Failure.model_validate_json(body).error)
    except ValidationError:
        return ModelUnavailableError("the embedded model's process answered with an error page")


def _error(fault: _Fault) -> ModelError:
    if fault.type == TOO_LONG:
        return ModelRefusedError(
            "the message is too long for the embedded model: shorten it, or raise "
            "model.embedded.context_tokens"
        )
    if fault.type == "invalid_request_error":
        refused = "the embedded model refused the request"
        return ModelRefusedError(f"{refused}: {fault.message}", bare=refused)
    return ModelUnavailableError(
        f"the embedded model failed: {fault.message or fault.type}",
        bare="the embedded model failed",
    )


def _broken(exc: Exception) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"the embedded model's process broke off ({type(exc).__name__}); it is started anew "
        "for the next request"
    )
