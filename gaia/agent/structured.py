"""The chat model asked for one answer in JSON, apart from any conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import aclosing

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.models import ChatModel
from gaia.agent.responses import said_in, used_tokens
from gaia.errors import ModelFruitlessError
from gaia.memory.extraction import Answer
from gaia.settings.providers import ModelProvider
from gaia.store.usage import Usage

MOST_TOKENS: dict[ModelProvider, int] = {
    "gemini": 16_384,
    "openai": 16_384,
    "anthropic": 8_192,
    "embedded": 1_536,
}
"""Bounds an answer. The first two count a model's thoughts as well."""
OWN_HOST_TOKENS = 8_192
"""The same for a host of one's own, where prompt and answer share what it has."""

BOUNDS = frozenset({"maxLength", "minLength", "maxItems", "minItems", "pattern"})
"""What is for a small model that runs on otherwise. OpenAI refuses some of them, and
Gemini a schema that has too many states with them."""
BY_NAME = frozenset({"properties", "$defs"})
"""Keywords whose members are named by the schema's author."""

_FENCED = re.compile(r"\s*```\w*\n(.*?)\n?```\s*", re.DOTALL)


class StructuredModel:
    """Implements `AskModel` over the model that answers in chats."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name, self.is_small, self.tariff = model.name, model.is_small, model.tariff

    @property
    def most_tokens(self) -> float | None:
        """The longest request that the host takes, where it has said so."""
        return self._model.known.most_tokens

    async def __call__(
        self, instructions: str, text: str, shape: Mapping[str, object], *, purpose: str
    ) -> Answer:
        """The answer, without thoughts and without a code fence around it.

        Raises:
            ModelFruitlessError: The answer is longer than what fits, or empty.
            ModelError: As for any answer of the model.
        """
        whole = LlmResponse()
        llm = self._model.unhurried or self._model.llm
        request = self._request(instructions, text, shape, purpose)
        async with aclosing(llm.generate_content_async(request)) as responses:
            async for response in responses:
                whole = response
        tokens_in, tokens_out = used_tokens(whole)
        is_cut = whole.finish_reason is types.FinishReason.MAX_TOKENS
        answer = "" if is_cut else bare(said_in(whole))
        if not answer:
            what = "more than fits, so that it was cut off" if is_cut else "nothing"
            error = ModelFruitlessError(
                f"the model {self.name!r} was asked for JSON and answered {what}: it is asked again"
            )
            error.tokens_in, error.tokens_out = tokens_in, tokens_out
            raise error
        return Answer(answer, Usage(self.name, purpose, 1, tokens_in, tokens_out, self.tariff))

    def _request(
        self, instructions: str, text: str, shape: Mapping[str, object], purpose: str
    ) -> LlmRequest:
        provider = self._model.provider
        is_own_host = provider == "openai" and self._model.base_url
        # OpenAI wants a schema to have a title.
        titled = {"title": purpose, **(shape if provider == "embedded" else unbounded(shape))}
        config = types.GenerateContentConfig(
            system_instruction=instructions,
            max_output_tokens=OWN_HOST_TOKENS if is_own_host else MOST_TOKENS[provider],
            response_mime_type="application/json",
        )
        if provider == "gemini":
            config.response_json_schema = titled
        else:
            config.response_schema = titled
        return LlmRequest(model=self.name, contents=[types.UserContent(text)], config=config)


def bare(text: str) -> str:
    """`text` without the code fence that some models put around JSON."""
    fenced = _FENCED.fullmatch(text)
    return (fenced[1] if fenced else text).strip()


def unbounded(shape: Mapping[str, object]) -> dict[str, object]:
    """A JSON schema without bounds on lengths."""
    return {
        keyword: _unbounded(value, is_named=keyword in BY_NAME)
        for keyword, value in shape.items()
        if keyword not in BOUNDS
    }


def _unbounded(value: object, *, is_named: bool = False) -> object:
    if isinstance(value, Mapping):
        return {k: _unbounded(v) for k, v in value.items()} if is_named else unbounded(value)
    return [_unbounded(each) for each in value] if isinstance(value, list | tuple) else value
