"""OpenAI's own host, through its SDK and the Responses API: its newer models take no tools
over Chat Completions. All other hosts that speak its protocol are asked by `completions`.
"""

from __future__ import annotations

from collections.abc import Sequence

import httpx
import openai
from google.adk.integrations.openai import OpenAIResponsesLlm
from google.adk.models.llm_response import LlmResponse
from pydantic import SecretStr

from gaia.agent.adaptations import BodyFilter
from gaia.agent.connection import CONNECT_SECONDS, Connection
from gaia.agent.faults import FaultReader
from gaia.agent.remote.body_bound import UNCOMPRESSED
from gaia.agent.remote.errors import read_status, sdk_reader
from gaia.settings.providers import ResolvedModel

OWN_HOST = "https://api.openai.com/v1"
NO_KEY = "none"
"""Sent where there is no key, since the SDK insists on one."""


def connect(resolved: ResolvedModel) -> Connection:
    """Open a client that takes its host from the settings alone and leaves retries to us.

    Nothing is stored at OpenAI: each request carries the conversation itself.
    """
    body = BodyFilter()
    client = openai.AsyncOpenAI(
        api_key=(resolved.api_key or SecretStr(NO_KEY)).get_secret_value(),
        base_url=resolved.base_url or OWN_HOST,
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(
            headers=UNCOMPRESSED, event_hooks={"request": [body], "response": [read_status]}
        ),
        timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
    )

    async def names() -> Sequence[str]:
        return [model.id async for model in client.models.list()]

    llm = OpenAIResponsesLlm(
        model=resolved.name, client=client, store=False, include_response_metadata=False
    )
    reader = FaultReader(sdk_reader("openai", openai, httpx.HTTPError), _has_usage)
    return Connection(llm, reader, client.close, names=names, body=body)


def _has_usage(response: LlmResponse) -> bool:
    """Whether `response.completed` arrived, which alone counts the tokens.

    ADK's adapter gives a stream that was cut the same reason to finish as one
    that came to its end.
    """
    return response.error_code is not None or response.usage_metadata is not None
