"""What the index does when a part of it fails: it says so, waits, and goes on."""

from __future__ import annotations

import threading

import pytest

from gaia.errors import IndexDamagedError, IndexUnavailableError
from gaia.memory.index.parts import PATIENCE_SECONDS
from gaia.messages import Health
from gaia.testing.clock import until
from gaia.testing.fake_index import FakeEmbedder, FakeStorage


async def test_an_embedder_that_fails_is_tried_again_with_growing_pauses(rig):
    ada = await rig.user("Ada")
    await rig.remember(ada, "coffee")
    async with rig.serving() as index:
        rig.embedder.broken = "the host answered 500"
        await rig.remember(ada, "tea")
        await index.flush()
        assert index.health().detail == "the host answered 500"
        assert not index.health().ok
        pauses = []
        for _ in range(8):
            pauses.append(await rig.paused())
            rig.clock.advance(rig.clock.sleeping[0])
        assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
        assert await rig.waiting() == 1
        rig.embedder.broken = ""
        await rig.after_pauses(lambda: index.health().ok)
        assert len(rig.storage.held(ada)) == 2


async def test_what_is_forgotten_goes_even_while_the_embedder_fails(rig):
    ada = await rig.user("Ada")
    gate, tea = await rig.remember(ada, "gate", "tea")
    async with rig.serving() as index:
        rig.embedder.broken = "no key"
        await rig.remember(ada, "coffee")
        await rig.forget(ada, gate)
        await index.flush()
        assert rig.storage.held(ada) == {tea}
        assert await rig.waiting() == 1


async def test_parts_that_cannot_be_loaded_are_tried_again(rig):
    ada = await rig.user("Ada")
    await rig.remember(ada, "tea")
    rig.cannot_load = "OPENAI_API_KEY is not set"
    async with rig.serving() as index:
        assert index.health().detail == "OPENAI_API_KEY is not set"
        with pytest.raises(IndexUnavailableError, match="OPENAI_API_KEY"):
            await index.nearest(ada, "tea", 5)
        rig.cannot_load = ""
        await rig.after_pauses(lambda: index.health().detail == "")
        assert await index.nearest(ada, "tea", 5)


async def test_a_search_that_the_embedder_fails_is_seen_until_one_works(rig):
    ada = await rig.user("Ada")
    await rig.remember(ada, "tea")
    async with rig.serving() as index:
        rig.embedder.broken = "the host answered 500"
        with pytest.raises(IndexUnavailableError, match="500"):
            await index.nearest(ada, "tea", 5)
        assert index.health().detail == "the host answered 500"
        rig.embedder.broken = ""
        await index.nearest(ada, "tea", 5)
        assert index.health().ok


async def test_a_failed_search_is_forgotten_once_the_index_is_opened_again(rig):
    ada = await rig.user("Ada")
    await rig.remember(ada, "tea")
    async with rig.serving() as index:
        rig.embedder.broken = "the host answered 500"
        with pytest.raises(IndexUnavailableError, match="500"):
            await index.nearest(ada, "tea", 5)
        rig.embedder.broken = ""
    async with rig.serving(again=index):
        assert index.health() == Health(ok=True)


class HangingEmbedder(FakeEmbedder):
    """Never answers a question until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()
        self.hanging = 0

    def query(self, text):
        self.hanging += 1
        self.released.wait()
        return super().query(text)


async def test_a_search_that_hangs_gives_up_after_a_second(rig):
    ada = await rig.user("Ada")
    await rig.remember(ada, "tea")
    rig.embedder = embedder = HangingEmbedder()
    async with rig.serving() as index:
        for hanging in (1, 2):
            search = rig.task(index.nearest(ada, "tea", 5))
            await until(lambda hanging=hanging: embedder.hanging == hanging)
            rig.clock.advance(1.0)
            with pytest.raises(IndexUnavailableError, match="longer than 1 s"):
                await search
        with pytest.raises(IndexUnavailableError, match="still hangs"):
            await index.nearest(ada, "tea", 5)
        assert not index.health().ok
        embedder.released.set()


class HangingReader(FakeEmbedder):
    """Never answers for what is stored until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()
        self.hanging = 0

    def passages(self, texts):
        self.hanging += 1
        self.released.wait()
        return super().passages(texts)


async def test_an_embedder_that_never_answers_is_told_and_asked_again(rig):
    ada = await rig.user("Ada")
    (gate,) = await rig.remember(ada, "gate")
    rig.embedder = embedder = HangingReader()
    index = rig.index()
    serving = rig.task(index.serve())
    for hanging in (1, 2):
        await rig.after_pauses(lambda hanging=hanging: embedder.hanging == hanging)
        rig.clock.advance(PATIENCE_SECONDS)
        await until(lambda: index.health().detail == "the embedder took longer than 180 s")
        assert not index.health().ok
    await rig.after_pauses(lambda: "the embedder hangs" in index.health().detail)
    embedder.released.set()
    await rig.after_pauses(lambda: index.health().detail == "")
    assert rig.storage.held(ada) == {gate}
    serving.cancel()
    await until(serving.done)


async def test_files_that_vanish_under_it_are_made_again(rig):
    ada = await rig.user("Ada")
    ids = await rig.remember(ada, "tea", "coffee")
    async with rig.serving() as index:
        rig.storage.lose()
        with pytest.raises(IndexDamagedError):
            await index.nearest(ada, "tea", 5)
        await until(lambda: not index.health().ok)
        await rig.after_pauses(lambda: index.health().detail == "")
        found = await index.nearest(ada, "tea", 5)
        assert found[0].memory_id == ids[0]
        assert rig.storage.held(ada) == set(ids)


async def test_files_that_vanished_while_nothing_ran_are_made_again(rig):
    ada = await rig.user("Ada")
    ids = await rig.remember(ada, "tea", "coffee")
    async with rig.serving():
        pass
    rig.storage = FakeStorage()
    async with rig.serving() as index:
        await rig.after_pauses(lambda: rig.storage.held(ada) == set(ids))
        await rig.after_pauses(lambda: index.health().detail == "")


async def test_vectors_that_do_not_match_the_ledger_are_made_again(rig):
    ada = await rig.user("Ada")
    ids = await rig.remember(ada, "tea", "coffee")
    async with rig.serving():
        pass
    next(iter(rig.storage.stores.values())).remove(ada, ids[:1])
    async with rig.serving() as index:
        await rig.after_pauses(lambda: rig.storage.held(ada) == set(ids))
        await rig.after_pauses(lambda: index.health().detail == "")
