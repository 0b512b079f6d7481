"""Anthropic, through its own SDK: the extra `anthropic`."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence

import anthropic
import httpx2
from google.adk.models.anthropic_llm import AnthropicLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr, SecretStr

from gaia.agent.adaptations import BodyFilter
from gaia.agent.connection import CONNECT_SECONDS, Connection
from gaia.agent.faults import FaultReader
from gaia.agent.remote.body_bound import UNCOMPRESSED
from gaia.agent.remote.errors import read_status, sdk_reader
from gaia.agent.responses import KeptThoughts
from gaia.settings.providers import ResolvedModel

OWN_HOST = "https://api.anthropic.com"
LIST_MODELS = 1000
"""At once, the most that there may be."""
_MOST_TOKENS = re.compile(r"max_tokens\D+\d+ > (\d+)")


class ClaudeLlm(AnthropicLlm):
    """Asks for as long an answer as its model gives, and gives thoughts back with the calls
    of tools that they led to: hosts whose models think unasked refuse calls without."""

    max_tokens: int = 64_000
    _thoughts: KeptThoughts[list[types.Part]] = PrivateAttr(default_factory=KeptThoughts)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the answer. The protocol wants a limit: if the model allows less, it says
        how much, and is asked for that from then on."""
        try:
            async for response in super().generate_content_async(self._fit(llm_request), stream):
                if not response.partial and response.content:
                    thoughts = [part for part in response.content.parts or [] if part.thought]
                    self._thoughts.keep(response, thoughts)
                yield response
        except anthropic.BadRequestError as exc:
            allowed = _MOST_TOKENS.search(str(exc))
            if allowed is None or int(allowed[1]) >= self.max_tokens:
                raise
            self.max_tokens = int(allowed[1])
            async for response in self.generate_content_async(llm_request, stream):
                yield response

    def _fit(self, request: LlmRequest) -> LlmRequest:
        limit = min(request.config.max_output_tokens or self.max_tokens, self.max_tokens)
        config = request.config.model_copy(update={"max_output_tokens": limit})
        contents = [self._with_thoughts(content) for content in request.contents]
        return request.model_copy(update={"config": config, "contents": contents})

    def _with_thoughts(self, content: types.Content) -> types.Content:
        parts = content.parts or []
        call = next((part.function_call for part in parts if part.function_call), None)
        thoughts = self._thoughts.before(call.name, call.args) if call else None
        return types.Content(role=content.role, parts=[*(thoughts or ()), *parts])


def connect(resolved: ResolvedModel) -> Connection:
    """Open a client that takes its host from the settings alone and leaves retries to us."""
    body = BodyFilter()
    client = anthropic.AsyncAnthropic(
        api_key=(resolved.api_key or SecretStr("")).get_secret_value(),
        base_url=resolved.base_url or OWN_HOST,
        max_retries=0,
        http_client=anthropic.DefaultAsyncHttpxClient(
            headers=UNCOMPRESSED, event_hooks={"request": [body], "response": [read_status]}
        ),
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
    )

    async def names() -> Sequence[str]:
        return [model.id async for model in client.models.list(limit=LIST_MODELS)]

    llm = ClaudeLlm(model=resolved.name, client=client)
    reader = FaultReader(sdk_reader("anthropic", anthropic, httpx2.HTTPError, {"max_tokens"}))
    return Connection(llm, reader, client.close, names=names, body=body)
