"""The chat model asked for one answer in JSON, apart from any conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import aclosing

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.models import ChatModel
from gaia.agent.providers import ModelProvider
from gaia.agent.shaping import shaped_config
from gaia.agent.thoughts import said_in
from gaia.agent.tokens import used_tokens
from gaia.errors import ModelFruitlessError
from gaia.memory.digest.findings import Answer
from gaia.store.usage import Tariff, Usage

MOST_TOKENS: dict[ModelProvider, int] = {
    "gemini": 16_384,
    "openai": 16_384,
    "anthropic": 8_192,
    "embedded": 1_536,
}
"""Bounds an answer. The first two count a model's thoughts as well."""
OWN_HOST_TOKENS = 8_192
"""The same for a host of one's own, where prompt and answer share what it has."""

_FENCED = re.compile(r"\s*```\w*\n(.*?)\n?```\s*", re.DOTALL)


class StructuredModel:
    """Implements `AskModel` over the model that answers in chats."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def is_small(self) -> bool:
        return self._model.provider == "embedded"

    @property
    def most_tokens(self) -> float | None:
        """The longest request that the host takes, where it has said so."""
        return self._model.known.most_tokens

    @property
    def tariff(self) -> Tariff:
        return self._model.tariff

    async def __call__(
        self, instructions: str, text: str, shape: Mapping[str, object], *, purpose: str
    ) -> Answer:
        """The answer, without thoughts and without a code fence around it.

        Raises:
            ModelFruitlessError: The answer is longer than what fits, or empty.
            ModelError: As for any answer of the model.
        """
        return self._answer(
            await self._response(self._request(instructions, text, shape, purpose)), purpose
        )

    def _request(
        self, instructions: str, text: str, shape: Mapping[str, object], purpose: str
    ) -> LlmRequest:
        is_own_host = self._model.provider == "openai" and self._model.base_url
        return LlmRequest(
            model=self.name,
            contents=[types.Content(role="user", parts=[types.Part(text=text)])],
            config=shaped_config(
                instructions,
                shape,
                provider=self._model.provider,
                purpose=purpose,
                max_output_tokens=(
                    OWN_HOST_TOKENS if is_own_host else MOST_TOKENS[self._model.provider]
                ),
            ),
        )

    async def _response(self, request: LlmRequest) -> LlmResponse:
        whole: LlmResponse | None = None
        llm = self._model.unhurried or self._model.llm
        async with aclosing(llm.generate_content_async(request)) as responses:
            async for response in responses:
                whole = response
        if whole is None:
            raise self._fruitless("nothing")
        return whole

    def _answer(self, response: LlmResponse, purpose: str) -> Answer:
        tokens_in, tokens_out = used_tokens(response)
        if response.finish_reason is types.FinishReason.MAX_TOKENS:
            raise self._fruitless("more than fits, so that it was cut off", tokens_in, tokens_out)
        text = bare(said_in(response))
        if not text:
            raise self._fruitless("nothing", tokens_in, tokens_out)
        used = Usage(self.name, purpose, 1, tokens_in, tokens_out, self.tariff)
        return Answer(text, used)

    def _fruitless(self, what: str, tokens_in: int = 0, tokens_out: int = 0) -> ModelFruitlessError:
        error = ModelFruitlessError(
            f"the model {self.name!r} was asked for JSON and answered {what}: it is asked again"
        )
        error.tokens_in, error.tokens_out = tokens_in, tokens_out
        return error


def bare(text: str) -> str:
    """`text` without the code fence that some models put around JSON."""
    fenced = _FENCED.fullmatch(text)
    return (fenced[1] if fenced else text).strip()
