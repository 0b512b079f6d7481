"""Memory while parts of gaia are broken: what needs them not works, and the status tells."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal

import numpy as np
import pytest

from gaia.memory.index import mark
from gaia.memory.index.chroma import ChromaStorage
from gaia.memory.index.parts import Placement
from tests.harness.databases import url_of
from tests.harness.house import PATIENCE_SECONDS
from tests.harness.household import Household
from tests.servers.model_server import Step

pytestmark = pytest.mark.asyncio(loop_scope="session")

POT = "The gate code note lies under the cobaltine pot"
WHERE = "Where is the gate code note?"
DOG = "My dog is called Rex"
DOG_IN_GERMAN = "Wie heißt mein Hund?"
"""No word of it stands in the memory: it is found by its meaning or not at all."""

DIMENSIONS = 384
UNREAD = "SELECT 1 FROM digests WHERE state NOT IN ('cleared', 'failed')"

MORE, TOGETHER = 1_100, 50
"""Vectors, a little more than Chroma collects before it writes them to files of their own, and
those that it is given at once."""


def embedder(household: Household, model: str) -> str:
    """The `memory` block for OpenAI's embedder at the scripted server."""
    return (
        "{embedder: {provider: openai, config: {"
        f"model: {model}, openai_base_url: '{household.model.openai_base_url}'}}}}}}"
    )


def collections(household: Household) -> int:
    """How many collections Chroma has in its files, or tables of vectors PostgreSQL."""
    if url_of(household.home) is None:
        return len(list(household.home.memory.glob("chroma/*/")))
    tables = r"SELECT 1 FROM pg_tables WHERE tablename ~ '^gaia_[0-9]+$'"
    return len(household.rows(tables))


async def recalls(household: Household, question: str, memory: str) -> bool:
    """Whether the memory goes with a question of Ada's, in a conversation that is new."""
    await household.on_telegram("ada", "/reset")
    await household.on_telegram("ada", question)
    return memory in str(household.model.requests[-1].body)


async def keeps_shows_and_forgets(household: Household, *, then: str) -> None:
    """What Ada can do without a model, while a message of hers on Telegram waits for one."""
    async with household.awake(), household.at_terminal("ada") as ada:
        waiting = asyncio.create_task(household.on_telegram("ada", WHERE))
        assert "#1" in await ada.ask(f"/remember {POT}")
        assert POT in await ada.ask("/memory")
        assert POT in await ada.ask("/memory search gate code")
        question = await ada.ask("/forget cobaltine")
        confirm = re.search(r"/forget yes \d+", question)
        assert confirm
        assert "Forgotten: 1 memory" in await ada.ask(confirm[0])
        assert "nothing in your memory yet" in await ada.ask("/memory")
        if then == "answered":
            assert (await waiting).startswith("I can't reach my model at the moment.")
            assert "does not work" in await ada.ask("/status")
        waiting.cancel()


async def test_a_model_that_answers_503_keeps_nobody_from_their_memory(
    household: Household,
) -> None:
    await household.furnish()
    household.model.script(Step(status=503, times=None))
    await keeps_shows_and_forgets(household, then="answered")


async def test_a_model_that_is_gone_keeps_nobody_from_their_memory(household: Household) -> None:
    await household.furnish()
    text = household.home.settings_file.read_text()
    nowhere = text.replace(household.model.url, "http://127.0.0.1:9")
    household.home.settings_file.write_text(nowhere)
    await keeps_shows_and_forgets(household, then="still waiting")


async def test_a_broken_embedder_is_told_of_and_made_up_for_once_it_works(
    household: Household, run_gaia
) -> None:
    await household.furnish(embedder(household, "words"))
    household.model.script_embeddings(Step(status=500, times=None))
    async with household.awake(), household.at_terminal("ada") as ada:
        await ada.ask(f"/remember {POT}")
        await household.until(lambda: not household.asks("/local/status")["memory"]["ok"])
        assert await recalls(household, WHERE, POT)
        told = await ada.ask("/status")
        assert "Not working: memory index: the embedder 'openai' answered 500" in told
        status = await run_gaia(household.home, "status", "--json")
        memory = json.loads(status.stdout)["memory"]
        assert (memory["ok"], memory["memories"], memory["waiting"]) == (False, 1, 1)
        assert "answered 500" in memory["detail"]
        health = household.asks("/healthz")
        assert health["status"] == "degraded"
        assert "answered 500" in health["degraded"]["memory index"]

        household.model.script_embeddings()
        await household.until(household.memory_works)
        assert household.rows("SELECT 1 FROM index_ops") == []
        assert POT in household.model.embedded[-1].texts
        assert household.asks("/healthz") == {"status": "ok", "degraded": {}}
        assert "Not working" not in await ada.ask("/status")
        assert await recalls(household, WHERE, POT)


@pytest.mark.sqlite
async def test_vectors_that_are_deleted_come_back_and_meaning_is_found_again(
    household: Household,
) -> None:
    await household.furnish()
    folder = household.home.memory / "chroma"
    async with household.awake():
        await household.on_telegram("ada", f"/remember {DOG}")
        await household.until(household.memory_works)
        assert await recalls(household, DOG_IN_GERMAN, DOG)
        shutil.rmtree(folder)
        await recalls(household, DOG_IN_GERMAN, DOG)
        await household.until(lambda: folder.exists() and household.memory_works())
        assert await recalls(household, DOG_IN_GERMAN, DOG)
    shutil.rmtree(folder)
    async with household.awake():
        await household.until(lambda: folder.exists() and household.memory_works())
        assert await recalls(household, DOG_IN_GERMAN, DOG)


@pytest.mark.sqlite
async def test_an_index_that_kills_gaia_kills_it_once_and_all_memories_are_found_again(
    household: Household, run_gaia
) -> None:
    await household.furnish()
    async with household.awake():
        await household.on_telegram("ada", f"/remember {DOG}")
        await household.until(household.memory_works)
    files_that_kill(household)
    await household.daemons.start(household.home)
    async with asyncio.timeout(PATIENCE_SECONDS):
        assert await household.daemons.ended() == -signal.SIGSEGV
    doctor = await run_gaia(household.home, "doctor")
    assert "ended while it read or wrote the index" in " ".join(doctor.stdout.split())
    async with household.awake():
        # The channels are up while the index is made again.
        await household.on_telegram("ada", WHERE)
        await household.until(household.memory_works)
        assert await recalls(household, DOG_IN_GERMAN, DOG)
        # What the conversation before told of itself is indexed as well.
        await household.until(lambda: household.rows(UNREAD) == [] and household.memory_works())
        doctor = await run_gaia(household.home, "doctor")
        told = " ".join(doctor.stdout.split())
        assert "in step; made again since the start: gaia ended while" in told, told
    async with household.awake():
        await household.until(household.memory_works)
        assert household.asks("/local/status")["memory"]["made_again"] == ""


def files_that_kill(household: Household) -> None:
    """Have the index in files as an earlier gaia left them, and a power cut full of zeros."""
    folder = household.home.memory / "chroma"
    ((index_id, shard),) = household.rows("SELECT index_id, shard FROM index_shards")
    vectors = np.random.default_rng(7).standard_normal((MORE, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    storage = ChromaStorage(folder)
    store = storage.open(index_id, Placement({"eve": shard}), DIMENSIONS)
    for first in range(0, MORE, TOGETHER):
        some = vectors[first : first + TOGETHER]
        store.put("eve", dict(enumerate(some, start=1_000 + first)))
    assert store.nearest("eve", vectors[0], 1)[0].memory_id == 1_000
    storage.close()
    (folder / mark.NAME).unlink()
    (links,) = folder.glob("*/link_lists.bin")
    links.write_bytes(bytes(links.stat().st_size))


async def test_another_embedder_indexes_again_while_words_are_still_found(
    household: Household,
) -> None:
    await household.furnish(embedder(household, "words"))
    async with household.awake():
        await household.on_telegram("ada", f"/remember {POT}")
        await household.on_telegram("bob", f"/remember {DOG}")
        await household.until(household.memory_works)
        kept = collections(household)
        assert kept > 0
    household.configure(embedder(household, "others"))
    household.model.script_embeddings(Step(status=500, times=3), Step(latency_seconds=0.5))
    async with household.awake():
        assert await recalls(household, WHERE, POT)
        assert not household.memory_works()
        await household.until(household.memory_works)
        assert await recalls(household, WHERE, POT)
        place = "chroma" if url_of(household.home) is None else "pgvector"
        assert household.rows("SELECT fingerprint, active FROM indexes") == [
            (f"openai/others/256 in {place}", True)
        ]
        assert {each.model for each in household.model.embedded[-2:]} == {"others"}
        assert collections(household) == kept
