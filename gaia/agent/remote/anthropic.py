"""Anthropic, through its own SDK: the extra `anthropic`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

import anthropic
import httpx2
from google.adk.models.anthropic_llm import AnthropicLlm
from pydantic import SecretStr

from gaia.agent.adaptations import BodyFilter
from gaia.agent.connection import CONNECT_SECONDS, Connection
from gaia.agent.faults import Fault, FaultReader, garbled_fault, http_fault, network_fault
from gaia.agent.providers import KEYS, ResolvedModel
from gaia.agent.refusals import refusal_of

OWN_HOST = "https://api.anthropic.com"
LIST_MODELS = 1000
"""At once, the most that there may be."""


def connect(resolved: ResolvedModel) -> Connection:
    """Open a client that takes its host from the settings alone and leaves retries to us."""
    body = BodyFilter()
    client = anthropic.AsyncAnthropic(
        api_key=(resolved.api_key or SecretStr("")).get_secret_value(),
        base_url=resolved.base_url or OWN_HOST,
        max_retries=0,
        http_client=anthropic.DefaultAsyncHttpxClient(event_hooks={"request": [body]}),
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
    )
    reader = FaultReader(
        catches=(anthropic.APIError, httpx2.HTTPError, json.JSONDecodeError), read=_read
    )

    async def names() -> Sequence[str]:
        return [model.id async for model in client.models.list(limit=LIST_MODELS)]

    llm = AnthropicLlm(model=resolved.name, client=client)
    return Connection(llm, reader, client.close, names=names, body=body)


def _read(error: Exception, now: datetime) -> Fault:
    if isinstance(error, anthropic.APIStatusError):
        response = error.response
        sent = response.request.content
        refusal = refusal_of(error.status_code, response.text, sent, needed=("max_tokens",))
        return http_fault(refusal, _message(error), response.headers, now, key=KEYS["anthropic"])
    if isinstance(error, anthropic.APIConnectionError):
        cause = error.__cause__
        return network_fault(cause if isinstance(cause, Exception) else error, error.request.url)
    if isinstance(error, httpx2.HTTPError):
        return network_fault(error, "")
    return garbled_fault()


def _message(error: anthropic.APIStatusError) -> str:
    """The provider's own sentence, without the SDK's frame around it."""
    body = error.body.get("error") if isinstance(error.body, dict) else None
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else error.message
