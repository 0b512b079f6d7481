"""Gemini, through google-genai."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import httpx
from google.adk.models.google_llm import Gemini
from google.genai import Client
from google.genai.errors import APIError
from google.genai.types import HttpOptions
from pydantic import SecretStr

from gaia.agent.adaptations import BodyFilter
from gaia.agent.connection import Connection
from gaia.agent.error_bodies import WebPageError, read_status
from gaia.agent.faults import GARBLED, Fault, FaultReader, http_fault, network_fault
from gaia.agent.providers import KEYS, ResolvedModel
from gaia.agent.refusals import refusal_of

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
        follow_redirects=True, event_hooks={"request": [body], "response": [read_status]}
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
        return network_fault(error, _url_of(error))
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


def _url_of(error: Exception) -> object:
    try:
        return error.request.url if isinstance(error, httpx.HTTPError) else ""
    except RuntimeError:
        return ""


def _retry_info(details: object) -> float | None:
    """Read `retryDelay` ("34s") out of an error's body: Gemini sends no Retry-After."""
    error = details.get("error") if isinstance(details, dict) else None
    infos = error.get("details") if isinstance(error, dict) else None
    for info in infos if isinstance(infos, list) else []:
        if isinstance(info, dict) and info.get("@type") == RETRY_INFO:
            try:
                return float(str(info.get("retryDelay", "")).removesuffix("s"))
            except ValueError:
                return None
    return None
