"""Anthropic, through its own SDK: the extra `anthropic`."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime

import anthropic
import httpx2
from google.adk.models.anthropic_llm import AnthropicLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr, SecretStr

from gaia.agent.adaptations import BodyFilter
from gaia.agent.connection import CONNECT_SECONDS, Connection
from gaia.agent.error_bodies import read_status, status_of
from gaia.agent.faults import GARBLED, Fault, FaultReader, http_fault, network_fault
from gaia.agent.providers import KEYS, ResolvedModel
from gaia.agent.refusals import refusal_of
from gaia.agent.thoughts import KeptThoughts

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
            event_hooks={"request": [body], "response": [read_status]}
        ),
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
    )

    async def names() -> Sequence[str]:
        return [model.id async for model in client.models.list(limit=LIST_MODELS)]

    llm = ClaudeLlm(model=resolved.name, client=client)
    return Connection(llm, FaultReader(read=_read), client.close, names=names, body=body)


def _read(error: Exception, now: datetime) -> Fault:
    if isinstance(error, anthropic.APIStatusError):
        response = error.response
        is_within_answer = response.is_success
        status = status_of(_error(error)) if is_within_answer else error.status_code
        text = json.dumps(error.body) if is_within_answer else response.text
        refusal = refusal_of(status, text, response.request.content, needed=("max_tokens",))
        return http_fault(refusal, _message(error), response.headers, now, key=KEYS["anthropic"])
    if isinstance(error, anthropic.APIConnectionError):
        cause = error.__cause__
        return network_fault(cause if isinstance(cause, Exception) else error, error.request.url)
    if isinstance(error, httpx2.HTTPError):
        return network_fault(error, "")
    return GARBLED


def _message(error: anthropic.APIStatusError) -> str:
    """The provider's own sentence, without the SDK's frame around it."""
    message = _error(error).get("message")
    return message if isinstance(message, str) else error.message


def _error(error: anthropic.APIStatusError) -> Mapping[str, object]:
    body = error.body.get("error") if isinstance(error.body, dict) else None
    return body if isinstance(body, dict) else {}
