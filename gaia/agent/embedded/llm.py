"""The embedded model as ADK sees it: a request goes in, responses come out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from uuid import uuid4

import httpx
from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

from gaia.agent.embedded import wire
from gaia.agent.embedded.completions import (
    Constraint,
    Finished,
    Sampling,
    count_tokens,
    stream_answer,
)
from gaia.agent.embedded.grammar import grammar_for
from gaia.agent.embedded.leaning import call_bias, may_call
from gaia.agent.embedded.offers import Offer, read_offers
from gaia.agent.embedded.rendering import Message, Prompt, render, trim
from gaia.agent.embedded.server import EmbeddedServer
from gaia.errors import ModelRefusedError, ModelUnavailableError

MESSAGE_OVERHEAD_TOKENS = 8
"""More than a chat template puts around a message."""
SAMPLING = Sampling(max_tokens=0, temperature=0.0, top_p=0.9, repeat_penalty=1.05)
"""The most likely answer each time: with less than that, so small a model now
and then calls a tool where none is wanted, or gets a name wrong."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What fits: `context_tokens` hold the prompt and an answer of `reply_tokens`."""

    context_tokens: int
    max_reply_tokens: int

    @property
    def reply_tokens(self) -> int:
        """Half of the context at most."""
        return min(self.max_reply_tokens, self.context_tokens // 2)

    @property
    def prompt_tokens(self) -> int:
        return self.context_tokens - self.reply_tokens


class EmbeddedLlm(BaseLlm):
    """A model of the catalogue in a process of its own. Its owner calls `close` once."""

    _server: EmbeddedServer = PrivateAttr()
    _bounds: Bounds = PrivateAttr()

    def __init__(self, name: str, server: EmbeddedServer, bounds: Bounds) -> None:
        super().__init__(model=name)
        self._server = server
        self._bounds = bounds

    @property
    def capabilities(self) -> LlmCapabilities:
        return LlmCapabilities(output_schema_and_tools=False)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the answer: pieces of its text if `stream`, then all of it.

        Raises:
            ModelMissingError: The model is not installed.
            ModelUnavailableError: Its process does not start, or broke off.
            ModelRefusedError: The last message alone is longer than the context.
        """
        answer = ""
        finished: Finished | None = None
        async with aclosing(self._answer(llm_request, self._sampling(llm_request))) as pieces:
            async for piece in pieces:
                if isinstance(piece, Finished):
                    finished = piece
                    continue
                answer += piece
                if stream and not wire.is_call(answer):
                    yield LlmResponse(content=_said(piece), partial=True)
        if finished is None:
            raise ModelUnavailableError("the embedded model gave no answer; ask again")
        yield _response(answer, finished)

    async def warm(self, llm_request: LlmRequest) -> None:
        """Start the process and let it evaluate what requests like this begin with.

        Raises:
            ModelError: As for an answer.
        """
        briefly = replace(self._sampling(llm_request), max_tokens=1)
        async with aclosing(self._answer(llm_request, briefly)) as pieces:
            async for _ in pieces:
                pass

    async def close(self) -> None:
        """Stop the process. Idempotent."""
        await self._server.close()

    def _sampling(self, request: LlmRequest) -> Sampling:
        config = request.config
        most = self._bounds_of(request).reply_tokens
        return replace(
            SAMPLING,
            max_tokens=min(config.max_output_tokens or most, most),
            temperature=SAMPLING.temperature if config.temperature is None else config.temperature,
            top_p=SAMPLING.top_p if config.top_p is None else config.top_p,
        )

    async def _answer(
        self, request: LlmRequest, sampling: Sampling
    ) -> AsyncGenerator[str | Finished, None]:
        offers = read_offers(request.config)
        prompt = render(request, offers)
        if not may_call(prompt):
            offers = ()
        constraint = _constraint(request, offers)
        async with self._server.client() as client:
            fitting = await self._fit(client, prompt, self._bounds_of(request).prompt_tokens)
            leaning = replace(sampling, call_bias=call_bias(prompt) if offers else 0.0)
            async with aclosing(
                stream_answer(client, fitting.messages, constraint, leaning)
            ) as pieces:
                async for piece in pieces:
                    yield piece

    def _bounds_of(self, request: LlmRequest) -> Bounds:
        """An answer in a shape may be as long as it asks for: half of one is of no use."""
        wanted = request.config.max_output_tokens
        if request.config.response_schema is None or wanted is None:
            return self._bounds
        return replace(self._bounds, max_reply_tokens=wanted)

    async def _fit(self, client: httpx.AsyncClient, prompt: Prompt, budget: int) -> Prompt:
        """`prompt` without the oldest turns, if it is longer than what fits.

        A token has at least one byte: a prompt of few bytes needs no counting.
        """
        if _most_tokens(prompt.messages) <= budget:
            return prompt
        sizes = {
            messages: await count_tokens(client, "\n".join(one.content for one in messages))
            + MESSAGE_OVERHEAD_TOKENS * len(messages)
            for messages in ((prompt.system,), *prompt.turns)
        }
        fitting = trim(prompt, budget, lambda messages: sizes[tuple(messages)])
        left = sizes[prompt.system,] + sum(sizes[turn] for turn in fitting.turns)
        if left > budget:
            raise ModelRefusedError(
                f"the message has {left} tokens with the instructions, but the embedded model "
                f"takes {budget}: shorten it, or raise model.embedded.context_tokens"
            )
        return fitting


def _constraint(request: LlmRequest, offers: Sequence[Offer]) -> Constraint:
    """The request's JSON schema, or else the grammar of plain text and tool calls."""
    shape = request.config.response_schema
    return {"grammar": grammar_for(offers)} if shape is None else {"json_schema": shape}


def _most_tokens(messages: Sequence[Message]) -> int:
    return sum(len(one.content.encode()) + MESSAGE_OVERHEAD_TOKENS for one in messages)


def _said(text: str) -> types.Content:
    return types.Content(role="model", parts=[types.Part(text=text)])


def _response(answer: str, finished: Finished) -> LlmResponse:
    """The whole answer. Text that was cut off is kept; half a call is of no use."""
    content = _said(answer)
    if wire.is_call(answer):
        try:
            call = wire.read_call(answer)
        except ValueError as exc:
            raise ModelUnavailableError(
                "the embedded model was cut off in a tool call: ask again, or raise "
                "model.embedded.max_reply_tokens"
            ) from exc
        function = types.FunctionCall(
            id=f"call-{uuid4().hex}", name=call.name, args=dict(call.arguments)
        )
        content = types.Content(role="model", parts=[types.Part(function_call=function)])
    return LlmResponse(
        content=content,
        partial=False,
        finish_reason=types.FinishReason.MAX_TOKENS if finished.cut else types.FinishReason.STOP,
        usage_metadata=types.GenerateContentResponseUsageMetadata(
            prompt_token_count=finished.prompt_tokens,
            cached_content_token_count=finished.cached_tokens,
            candidates_token_count=finished.answer_tokens,
            total_token_count=finished.prompt_tokens + finished.answer_tokens,
        ),
    )
