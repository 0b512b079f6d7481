"""A new index is built beside the old one, and takes its place."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from gaia.errors import IndexUnavailableError
from gaia.store import indexes
from gaia.testing.clock import until
from gaia.testing.fake_index import FakeEmbedder, FakeStorage


async def states(rig):
    return await rig.database.read(indexes.every)


async def test_reindexing_makes_all_vectors_again_and_tells_how_far_it_is(rig):
    ada = await rig.user("Ada")
    ids = await rig.remember(ada, *(f"memory {number}" for number in range(70)))
    async with rig.serving() as index:
        before = (await states(rig))[0]
        told = []
        await index.reindex(lambda done, total: told.append((done, total)))
        (after,) = await states(rig)
        assert after.index_id > before.index_id
        assert after.active
        assert list(rig.storage.stores) == [after.index_id]
        assert rig.storage.held(ada) == set(ids)
        assert told[-1] == (70, 70)
        assert told == sorted(told)


async def test_what_is_said_during_a_rebuild_is_in_the_new_index(rig):
    ada = await rig.user("Ada")
    first, second = await rig.remember(ada, "tea", "coffee")
    async with rig.serving() as index:
        rebuilding = rig.task(index.reindex())
        (third,) = await rig.remember(ada, "cocoa")
        await rig.forget(ada, first)
        index.wake()
        await rebuilding
        await index.flush()
        assert rig.storage.held(ada) == {second, third}


async def test_another_embedder_has_everything_indexed_again(rig):
    ada = await rig.user("Ada")
    ids = await rig.remember(ada, "tea", "coffee")
    async with rig.serving():
        pass
    rig.embedder = FakeEmbedder("another")
    async with rig.serving() as index:
        await rig.after_pauses(lambda: index.health().detail == "")
        assert rig.embedder.asked[:2] == ["tea", "coffee"]
        found = await index.nearest(ada, "tea", 1)
        assert (found[0].memory_id, round(found[0].similarity, 3)) == (ids[0], 1.0)
    (state,) = await states(rig)
    assert state.fingerprint.startswith("fake/another")


async def test_a_rebuild_that_was_cut_off_goes_on_where_it_was(rig):
    ada = await rig.user("Ada")
    ids = await rig.remember(ada, *(f"memory {number}" for number in range(70)))
    async with rig.serving():
        pass
    rig.embedder = FakeEmbedder("another")
    index = rig.index()
    serving = rig.task(index.serve())
    await until(lambda: len(rig.embedder.asked) >= 64)
    while not any(state.built_to for state in await states(rig)):
        pass
    serving.cancel()
    await until(serving.done)
    asked = len(rig.embedder.asked)
    async with rig.serving() as index:
        await rig.after_pauses(lambda: index.health().detail == "")
    assert rig.storage.held(ada) == set(ids)
    assert len(rig.embedder.asked) <= max(asked, 64) + 6


async def test_the_old_index_answers_while_the_new_one_is_built(rig):
    ada = await rig.user("Ada")
    await rig.remember(ada, *(f"memory {number}" for number in range(70)))
    async with rig.serving() as index:
        answered = []

        def ask(done: int, total: int) -> None:
            answered.append(index.health().ok)

        await index.reindex(ask)
        assert answered
        assert all(answered)


async def test_an_index_of_no_use_that_cannot_be_removed_is_removed_by_the_next_process(rig):
    ada = await rig.user("Ada")
    await rig.remember(ada, "tea")
    async with rig.serving():
        pass
    (old,) = await states(rig)
    rig.embedder = FakeEmbedder("another")
    rig.storage.broken = "the host is away"
    async with rig.serving() as index:
        assert index.health().detail == "the host is away"
    assert old in await states(rig)
    rig.storage.broken = ""
    async with rig.serving() as index:
        await rig.after_pauses(lambda: index.health().detail == "")
    (new,) = await states(rig)
    assert list(rig.storage.stores) == [new.index_id]


class Keeping(FakeStorage):
    """Cannot remove what was replaced, while `keeps`."""

    keeps = False

    def keep_only(self, index_ids: Collection[int], *, gone: Collection[int]) -> None:
        if self.keeps and gone:
            raise IndexUnavailableError("the host is away")
        super().keep_only(index_ids, gone=gone)


async def test_a_replaced_index_that_cannot_be_removed_is_removed_by_the_next_process(rig):
    ada = await rig.user("Ada")
    (tea,) = await rig.remember(ada, "tea")
    rig.storage = Keeping()
    async with rig.serving() as index:
        rig.storage.keeps = True
        with pytest.raises(IndexUnavailableError, match="the host is away"):
            await index.reindex()
        assert (await index.nearest(ada, "tea", 1))[0].memory_id == tea
    replaced, new = await states(rig)
    assert (replaced.active, new.active) == (False, True)
    assert set(rig.storage.stores) == {replaced.index_id, new.index_id}
    rig.storage.keeps = False
    async with rig.serving():
        assert await states(rig) == [new]
    assert set(rig.storage.stores) == {new.index_id}
