"""Gemini, through google-genai."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

import httpx
from google.adk.models.google_llm import Gemini
from google.genai import Client
from google.genai.errors import APIError
from google.genai.types import HttpOptions
from pydantic import SecretStr

from gaia.agent.adaptations import BodyFilter
from gaia.agent.connection import Connection
from gaia.agent.faults import GARBLED, Fault, FaultReader, http_fault
from gaia.agent.refusals import refusal_of
from gaia.agent.remote.body_bound import UNCOMPRESSED
from gaia.agent.remote.errors import WebPageError, network_fault, read_status
from gaia.bounded_http import authorities
from gaia.settings.providers import KEYS, ResolvedModel

LIST_MODELS = 1000
"""At once, the most that there may be."""
RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"


def connect(resolved: ResolvedModel, *, api_version: str) -> Connection:
    """Open a client; `api_version` overrides the SDK's own (`v1beta`).

    An HTTP client of our own keeps the SDK off aiohttp, with which it would
    retry by itself. `vertexai=False` keeps it off Google Cloud, whatever the
    environment says.
    """
    body = BodyFilter()
    http = httpx.AsyncClient(
        headers=UNCOMPRESSED,
        follow_redirects=True,
        event_hooks={"request": [body], "response": [read_status]},
        verify=authorities(),
    )
    options = HttpOptions(
        base_url=resolved.base_url or None,
        api_version=api_version or None,
        httpx_async_client=http,
    )
    client = Client(
        api_key=(resolved.api_key or SecretStr("")).get_secret_value(),
        vertexai=False,
        http_options=options,
    )

    async def names() -> Sequence[str]:
        listed = await client.aio.models.list(config={"page_size": LIST_MODELS})
        return [(model.name or "").removeprefix("models/") async for model in listed]

    async def close() -> None:
        await http.aclose()
        client.close()

    llm = Gemini(model=resolved.name, client=client)
    return Connection(llm, FaultReader(read=_read), close, names=names, body=body)


def _read(error: Exception, now: datetime) -> Fault:
    if isinstance(error, httpx.HTTPError | WebPageError):
        return network_fault(error)
    if not isinstance(error, APIError):
        return GARBLED
    response = error.response
    headers = getattr(response, "headers", {})
    sent = response.request.content if isinstance(response, httpx.Response) else b""
    refusal = refusal_of(error.code, json.dumps(error.details), sent)
    fault = http_fault(refusal, error.message or "", headers, now, key=KEYS["gemini"])
    if fault.passing and fault.wait_seconds is None:
        return replace(fault, wait_seconds=_retry_info(error.details))
    return fault


def _retry_info(details: Any) -> float | None:
    """Read `retryDelay` ("34s") out of an error's body: Gemini sends no Retry-After."""
    with suppress(AttributeError, KeyError, TypeError, ValueError):
        for info in details["error"]["details"]:
            if info.get("@type") == RETRY_INFO:
                return float(info["retryDelay"].removesuffix("s"))
    return None
