"""The chat model asked for one answer in JSON, apart from any conversation."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from contextlib import aclosing

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.models import ChatModel
from gaia.agent.providers import ModelProvider
from gaia.agent.shaping import Form, shaped_config
from gaia.agent.tokens import used_tokens
from gaia.errors import ModelFruitlessError, ModelRefusedError, ModelRejectedError
from gaia.memory.digest.findings import Answer
from gaia.store.usage import Tariff, Usage

logger = logging.getLogger(__name__)

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
_THOUGHT_ALOUD = re.compile(r"\s*<think>.*?</think>", re.DOTALL)


class StructuredModel:
    """Implements `AskModel` over the model that answers in chats."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._form = Form.SHAPE

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def is_small(self) -> bool:
        return self._model.provider == "embedded"

    @property
    def tariff(self) -> Tariff:
        return self._model.tariff

    async def __call__(
        self, instructions: str, text: str, shape: Mapping[str, object], *, purpose: str
    ) -> Answer:
        """The answer, without thoughts and without a code fence around it.

        A host of the OpenAI protocol that refuses the schema is asked for any JSON, and
        one that refuses this too in words alone; what it took is kept in mind.

        Raises:
            ModelFruitlessError: The answer is longer than what fits, or empty.
            ModelError: As for any answer of the model.
        """
        form = self._form
        while True:
            request = self._request(form, instructions, text, shape, purpose)
            try:
                response = await self._response(request)
            except ModelRefusedError as exc:
                if not self._may_take_less(form, exc):
                    raise
                form = Form(form + 1)
                continue
            if form is not self._form:
                self._form = form
                logger.info("the model %s takes no JSON schema; it is told in words", self.name)
            return self._answer(response, purpose)

    def _may_take_less(self, form: Form, refused: ModelRefusedError) -> bool:
        """Whether it was perhaps the schema that the host refused: a refusal that has no
        cause stands in the model's answer instead."""
        return (
            self._model.provider == "openai"
            and form is not Form.WORDS
            and not isinstance(refused, ModelRejectedError)
            and refused.__cause__ is not None
        )

    def _request(
        self,
        form: Form,
        instructions: str,
        text: str,
        shape: Mapping[str, object],
        purpose: str,
    ) -> LlmRequest:
        is_own_host = self._model.provider == "openai" and self._model.base_url
        return LlmRequest(
            model=self.name,
            contents=[types.Content(role="user", parts=[types.Part(text=text)])],
            config=shaped_config(
                instructions,
                shape,
                form=form,
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
        parts = (response.content.parts if response.content else None) or []
        text = bare("".join(part.text for part in parts if part.text and not part.thought))
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
    """`text` without what some models put around JSON: a code fence, thoughts before it."""
    text = _THOUGHT_ALOUD.sub("", text, count=1)
    fenced = _FENCED.fullmatch(text)
    return (fenced[1] if fenced else text).strip()
