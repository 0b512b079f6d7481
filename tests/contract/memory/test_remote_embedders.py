"""Embedders of other hosts, through mem0 and the providers' own clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pydantic import SecretStr

from gaia.errors import IndexUnavailableError
from gaia.memory.index.opener import open_parts
from gaia.memory.protocols import Embedder
from gaia.paths import Home
from gaia.settings.schema import ComponentSettings, MemorySettings, Secrets
from tests.servers.model_server import ModelServer, Step, running_model_server

KEY = "a-key-for-tests"
SECRETS = Secrets(gemini_api_key=SecretStr(KEY), openai_api_key=SecretStr(KEY))


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    # mem0 never closes the clients that it makes.
    async with running_model_server(keeps_open=False) as server:
        yield server


@pytest.fixture(params=["openai", "gemini", "gemini-2"])
def component(
    request: pytest.FixtureRequest, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> ComponentSettings:
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.gemini_base_url)
    match request.param:
        case "openai":
            config = {"openai_base_url": server.openai_base_url, "embedding_dims": 64}
            return ComponentSettings(provider="openai", config=config)
        case "gemini":
            return ComponentSettings(provider="gemini")
        case _:
            config = {"model": "models/gemini-embedding-2"}
            return ComponentSettings(provider="gemini", config=config)


async def opened(
    component: ComponentSettings, tmp_path: Path, secrets: Secrets = SECRETS
) -> Embedder:
    home = Home(tmp_path)
    settings = MemorySettings(embedder=component)
    return (await asyncio.to_thread(open_parts, home, settings, secrets)).embedder


async def test_texts_become_unit_vectors_in_their_order(component, tmp_path):
    embedder = await opened(component, tmp_path)
    texts = ["the gate code is blue", "tea with milk", "rain on monday"]
    passages = await asyncio.to_thread(embedder.passages, texts)
    assert len(passages) == 3
    for vector in passages:
        assert len(vector) == embedder.dimensions
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
    asked = await asyncio.to_thread(embedder.query, "the gate code is blue")
    near, *others = (float(np.dot(vector, asked)) for vector in passages)
    assert near == pytest.approx(1.0, abs=1e-3)
    assert max(others) < 0.9


async def test_the_key_comes_from_the_secrets(component, server, tmp_path):
    server.script_embeddings(api_key=KEY)
    await opened(component, tmp_path)
    assert {request.key for request in server.embedded} == {KEY}


@pytest.mark.parametrize("provider", ["gemini", "openai"])
async def test_a_missing_key_is_named(provider, tmp_path):
    with pytest.raises(IndexUnavailableError, match=f"{provider.upper()}_API_KEY is not set"):
        await opened(ComponentSettings(provider=provider), tmp_path, Secrets())


async def test_a_host_of_ones_own_needs_no_key(server, tmp_path):
    config = {"openai_base_url": server.openai_base_url}
    await opened(ComponentSettings(provider="openai", config=config), tmp_path, Secrets())
    assert server.embedded


async def test_a_refused_key_is_named_and_not_shown(component, server, tmp_path):
    server.script_embeddings(api_key="another")
    with pytest.raises(IndexUnavailableError, match=r"refused the key: check \w+_API_KEY") as told:
        await opened(component, tmp_path)
    assert KEY not in str(told.value)


async def test_a_failing_host_is_told_by_its_answer(component, server, tmp_path):
    embedder = await opened(component, tmp_path)
    server.script_embeddings(Step(status=500, times=None))
    for call in (partial(embedder.query, "tea"), partial(embedder.passages, ["tea"])):
        with pytest.raises(IndexUnavailableError, match="answered 500"):
            await asyncio.to_thread(call)


async def test_a_size_that_is_not_the_models_is_told(server, tmp_path, monkeypatch):
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.gemini_base_url)
    config = {"embedding_dims": 100, "output_dimensionality": 100}
    embedder = await opened(ComponentSettings(provider="gemini", config=config), tmp_path)
    assert embedder.dimensions == 100
    assert embedder.fingerprint == "gemini/models/gemini-embedding-001/100"


async def test_what_was_embedded_is_not_asked_for_again(component, server, tmp_path):
    embedder = await opened(component, tmp_path)
    first = await asyncio.to_thread(embedder.passages, ["tea", "rain"])
    asked = len(server.embedded)
    again = await asyncio.to_thread(embedder.passages, ["rain", "tea"])
    assert len(server.embedded) == asked
    assert np.array_equal(first[0], again[1])


async def test_an_unknown_provider_is_told(tmp_path):
    with pytest.raises(IndexUnavailableError, match="provider 'nobody'"):
        await opened(ComponentSettings(provider="nobody"), tmp_path)
