"""The index follows the ledger, and can be asked."""

from __future__ import annotations

import asyncio

import pytest

from gaia.errors import IndexUnavailableError, MissingOwnerError
from gaia.memory.index.index import Index
from gaia.messages import Health
from gaia.store import indexes
from gaia.store.ownership import join_users
from gaia.store.people.users import Users
from gaia.testing.clock import until


async def test_what_is_remembered_is_found_by_meaning(rig):
    ada = await rig.user("Ada")
    async with rig.serving() as index:
        gate, _ = await rig.remember(ada, "the gate code is blue", "tea with milk")
        await index.flush()
        found = await index.nearest(ada, "which gate code", 5)
    assert found[0].memory_id == gate
    assert await rig.waiting() == 0


async def test_what_is_forgotten_is_found_no_more(rig):
    ada = await rig.user("Ada")
    gate, tea = await rig.remember(ada, "the gate code", "tea with milk")
    async with rig.serving() as index:
        await rig.forget(ada, gate)
        await index.flush()
        assert [each.memory_id for each in await index.nearest(ada, "gate code", 5)] == [tea]
    assert rig.storage.held(ada) == {tea}


async def test_what_was_written_while_nothing_ran_is_taken_up(rig):
    ada = await rig.user("Ada")
    async with rig.serving():
        ids = await rig.remember(ada, "one", "two")
    ids += await rig.remember(ada, "three")
    await rig.forget(ada, ids[0])
    async with rig.serving():
        assert rig.storage.held(ada) == set(ids[1:])


async def test_a_memory_that_went_before_its_turn_is_not_embedded(rig):
    ada = await rig.user("Ada")
    (gone,) = await rig.remember(ada, "a secret affair")
    await rig.remember(ada, "tea")
    await rig.forget(ada, gone)
    async with rig.serving():
        assert rig.embedder.asked == ["tea"]


async def test_nobodys_memories_are_left_of_who_was_removed(rig):
    ada, bob = await rig.user("Ada"), await rig.user("Bob")
    await rig.remember(ada, "the gate code")
    (theirs,) = await rig.remember(bob, "the gate code")
    async with rig.serving() as index:
        await rig.wipe(ada)
        await index.flush()
        assert rig.storage.held(ada) == frozenset()
        assert rig.storage.held(bob) == {theirs}
        with rig.database.reading() as session:
            state = indexes.every(session)[0]
            assert set(indexes.shards(session, state.index_id)) == {bob}


async def test_two_who_become_one_find_all(rig):
    ada, bob = await rig.user("Ada"), await rig.user("Bob")
    users = Users(rig.database, rig.clock)
    first = await rig.remember(ada, "tea")
    second = await rig.remember(bob, "coffee", "tea")
    async with rig.serving() as index:
        with rig.database.writing() as session:
            join_users(session, await users.find(bob), await users.find(ada), rig.clock.now())
        await index.flush()
    assert rig.storage.held(ada) == {first[0], second[0]}
    assert rig.storage.held(bob) == frozenset()


async def test_nothing_is_loaded_until_there_is_a_memory(rig):
    ada = await rig.user("Ada")
    async with rig.serving() as index:
        await index.flush()
        assert rig.loads == 0
        assert index.health() == Health(ok=True, detail="there is nothing to find yet")
        assert await index.nearest(ada, "tea", 5) == []
        await rig.remember(ada, "tea")
        await index.flush()
        assert rig.loads == 1


async def test_the_index_waits_its_time_before_it_starts(rig):
    ada = await rig.user("Ada")
    await rig.remember(ada, "tea")
    index = rig.index(start_after_seconds=20.0)
    serving = asyncio.create_task(index.serve())
    await rig.clock.until_sleeping()
    await index.flush()
    assert rig.loads == 0
    rig.clock.advance(20.0)
    await until(lambda: rig.loads == 1)
    serving.cancel()
    await asyncio.wait((serving,))


async def test_who_wants_it_again_does_not_wait_for_its_start(rig):
    ada = await rig.user("Ada")
    (tea,) = await rig.remember(ada, "tea")
    index = rig.index(start_after_seconds=20.0)
    serving = asyncio.create_task(index.serve())
    await rig.clock.until_sleeping()
    await index.reindex()
    assert rig.storage.held(ada) == {tea}
    serving.cancel()
    await asyncio.wait((serving,))


async def test_its_files_are_closed_when_it_ends(rig):
    ada = await rig.user("Ada")
    await rig.remember(ada, "tea")
    async with rig.serving() as index:
        assert rig.storage.closed == 0
    assert rig.storage.closed == 1
    with pytest.raises(IndexUnavailableError, match="not started"):
        await index.nearest(ada, "tea", 5)


async def test_a_search_for_nobody_is_refused_before_anything_is_asked(rig):
    ada = await rig.user("Ada")
    await rig.remember(ada, "tea")
    async with rig.serving() as index:
        asked = len(rig.embedder.asked)
        with pytest.raises(MissingOwnerError):
            await index.nearest("", "tea", 5)
        assert len(rig.embedder.asked) == asked


async def test_memory_that_is_off_says_so_and_does_nothing(database, clock):
    index = Index(None, database=database, clock=clock)
    assert index.health() == Health(ok=True, detail="off")
    assert not index.enabled
    await index.flush()
    with pytest.raises(IndexUnavailableError, match="off"):
        await index.nearest("ada", "tea", 5)
    with pytest.raises(IndexUnavailableError, match="off"):
        await index.reindex()


async def test_more_than_a_batch_is_applied_in_full(rig):
    ada = await rig.user("Ada")
    async with rig.serving() as index:
        ids = await rig.remember(ada, *(f"memory {number}" for number in range(70)))
        await index.flush()
        assert rig.storage.held(ada) == set(ids)


async def test_an_operation_that_was_applied_and_not_deleted_is_done_again(rig):
    ada = await rig.user("Ada")
    ids = await rig.remember(ada, "tea", "coffee")
    due = await rig.database.read(indexes.waiting_ops, limit=10)
    async with rig.serving():
        pass
    with rig.database.writing() as session:
        for op in due:
            indexes.add_ops(session, ada, [op.memory_id], op.operation, rig.clock.now())
    async with rig.serving():
        assert rig.storage.held(ada) == set(ids)
    assert await rig.waiting() == 0
