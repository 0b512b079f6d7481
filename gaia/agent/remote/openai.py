"""OpenAI and the hosts that speak its protocol, through the openai SDK.

OpenAI's own host is asked through the Responses API: its newer models take no
tools over Chat Completions. All other hosts (Ollama, llama.cpp, vLLM, ...) are
asked through Chat Completions, which each of them has.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime

import httpx
import openai
from google.adk.integrations.openai import OpenAIResponsesLlm
from google.adk.models.llm_response import LlmResponse
from pydantic import SecretStr

from gaia.agent.adaptations import BodyFilter
from gaia.agent.connection import CONNECT_SECONDS, Connection
from gaia.agent.error_bodies import read_status, status_of
from gaia.agent.faults import GARBLED, Fault, FaultReader, http_fault, network_fault
from gaia.agent.providers import KEYS, ResolvedModel
from gaia.agent.refusals import refusal_of
from gaia.agent.remote.completions import CompletionsLlm

OWN_HOST = "https://api.openai.com/v1"
NO_KEY = "none"
"""Sent to a host that needs no key, since the SDK insists on one."""


def connect(resolved: ResolvedModel) -> Connection:
    """Open a client for the API that the host calls for."""
    return connect_completions(resolved) if resolved.base_url else connect_responses(resolved)


def connect_completions(resolved: ResolvedModel) -> Connection:
    """Open a client for Chat Completions."""
    body = BodyFilter()
    client = _client(resolved, body)
    llm = CompletionsLlm(resolved.name, client)
    return Connection(llm, READER, client.close, names=_names(client), body=body)


def connect_responses(resolved: ResolvedModel) -> Connection:
    """Open a client for the Responses API.

    Nothing is stored at OpenAI: each request carries the conversation itself.
    """
    body = BodyFilter()
    client = _client(resolved, body)
    llm = OpenAIResponsesLlm(
        model=resolved.name, client=client, store=False, include_response_metadata=False
    )
    reader = replace(READER, is_complete=_has_usage)
    return Connection(llm, reader, client.close, names=_names(client), body=body)


def _names(client: openai.AsyncOpenAI) -> Callable[[], Awaitable[Sequence[str]]]:
    async def names() -> Sequence[str]:
        return [model.id async for model in client.models.list()]

    return names


def _has_usage(response: LlmResponse) -> bool:
    """Whether `response.completed` arrived, which alone counts the tokens.

    ADK's adapter gives a stream that was cut the same reason to finish as one
    that came to its end.
    """
    return response.error_code is not None or response.usage_metadata is not None


def _client(resolved: ResolvedModel, body: BodyFilter) -> openai.AsyncOpenAI:
    """A client that takes its host from the settings alone and leaves retries to us."""
    return openai.AsyncOpenAI(
        api_key=(resolved.api_key or SecretStr(NO_KEY)).get_secret_value(),
        base_url=resolved.base_url or OWN_HOST,
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(
            event_hooks={"request": [body], "response": [read_status]}
        ),
        timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
    )


def _read(error: Exception, now: datetime) -> Fault:
    if isinstance(error, openai.APIStatusError):
        response = error.response
        refusal = refusal_of(error.status_code, response.text, response.request.content)
        return http_fault(refusal, _message(error), response.headers, now, key=KEYS["openai"])
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__
        return network_fault(cause if isinstance(cause, Exception) else error, error.request.url)
    if isinstance(error, httpx.HTTPError):
        return network_fault(error, "")
    if type(error) is openai.APIError:
        # Within an answer.
        refusal = refusal_of(status_of(error.body), error.message, b"")
        return http_fault(refusal, error.message, {}, now, key=KEYS["openai"])
    return GARBLED


def _message(error: openai.APIStatusError) -> str:
    """The provider's own sentence, without the SDK's frame around it."""
    message = error.body.get("message") if isinstance(error.body, dict) else None
    return message if isinstance(message, str) else error.message


READER = FaultReader(read=_read)
