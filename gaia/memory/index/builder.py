"""The keeper of the indexes: applies what is due, builds what is missing, one step at a time.

There is an active index, one that is being built beside it, or both. Each step may be
repeated: a step that was cut off is taken again by the next process. Steps are taken
one after the other, so that what a build has read cannot be older than what was applied.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from sqlalchemy.orm import Session

from gaia.errors import IndexDamagedError
from gaia.memory.index.parts import IndexStore, Parts, Placement, TimedPool
from gaia.memory.protocols import Vector
from gaia.ports import Clock
from gaia.store import indexes
from gaia.store.engine import Database
from gaia.store.indexes import IndexOp, IndexState, Passage
from gaia.store.memory_tables import IndexOperation
from gaia.threads import DaemonThreadPool

logger = logging.getLogger(__name__)

BATCH = 64
"""Memories in one step: a second of embedding, a tenth of it in Chroma."""

EMBEDDING_THREADS = 2
"""One works at a time; another is there when a host never answers the first."""

REMOVALS = (IndexOperation.REMOVE, IndexOperation.DROP_USER)


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """An index, where it keeps whom, and its vectors."""

    state: IndexState
    placement: Placement
    store: IndexStore


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is."""

    done: int
    total: int


class IndexBuilder:
    """Keeps the indexes in step with the ledger. One task calls it; `active` may be read
    by others."""

    def __init__(self, parts: Parts, database: Database, clock: Clock, *, pool: TimedPool) -> None:
        self.active: OpenIndex | None = None
        self.building: OpenIndex | None = None
        self._parts = parts
        self._database = database
        self._clock = clock
        self._pool = pool
        embedding = DaemonThreadPool("gaia-passages", threads=EMBEDDING_THREADS)
        self._embedding = TimedPool(embedding, clock, what="the embedder")
        self._verified = False

    @property
    def fingerprint(self) -> str:
        """What an index must be made with to be of use."""
        return f"{self._parts.embedder.fingerprint} in {self._parts.storage.name}"

    async def open(self) -> None:
        """Open what is of use, and begin again what is not."""
        found = await self._database.read(indexes.every)
        useful = [each for each in found if each.fingerprint == self.fingerprint]
        useless = [each for each in found if each.fingerprint != self.fingerprint]
        if useless:
            logger.info("memories are indexed again, for %s", self.fingerprint)
        await self._keep_only(useful, gone=useless)
        for state in useful:
            if state.active:
                self.active = await self._open(state)
            else:
                self.building = await self._open(state)
        if not useful:
            await self.begin()

    async def follow(self) -> bool:
        """Open the index that another process makes, and change nothing; returns whether there
        is one that is of use."""
        found = await self._database.read(indexes.every)
        made = [each for each in found if each.active and each.fingerprint == self.fingerprint]
        if made and (self.active is None or self.active.state != made[0]):
            self.active = await self._open(made[0])
        return bool(made)

    async def begin(self) -> None:
        """Begin a new index beside the active one, instead of one that is not complete."""
        given_up = [self.building.state] if self.building else []
        self.building = None
        await self._keep_only([self.active.state] if self.active else [], gone=given_up)
        state = await self._database.write(indexes.begin, self.fingerprint, self._clock.now())
        self.building = await self._open(state)

    async def start_over(self) -> None:
        """Give up all vectors there are, and begin again."""
        self.active = self.building = None
        await self._database.write(_drop_all)
        await self._pool.run(self._parts.storage.start_over)
        await self.begin()

    async def close(self) -> None:
        """Release the files."""
        self.active = self.building = None
        self._embedding.close()
        await self._pool.run(self._parts.storage.close)

    async def apply(self) -> bool:
        """Do the next of what is due; returns whether there was anything.

        Removals come first: they need no embedder, so one that fails holds up none.
        That is no change of order, since what is put is what the ledger has by then.
        """
        await self._pool.run(self._parts.storage.check)
        due = await self._database.read(indexes.waiting_ops, limit=BATCH, of=REMOVALS)
        if due:
            await self._remove(due)
            return True
        due, passages = await self._database.read(_due_puts)
        if not due:
            return False
        await self._put(passages)
        known = {(passage.user_id, passage.memory_id) for passage in passages}
        await self._remove_gone([op for op in due if (op.user_id, op.memory_id) not in known])
        await self._done(due)
        return True

    async def verify(self) -> None:
        """Compare the active index with the ledger, once, when nothing is due.

        Raises:
            IndexDamagedError: It does not hold what it should.
        """
        if self._verified or self.active is None:
            return
        expected = await self._database.read(_expected)
        if expected is None:
            return
        found = await self._pool.run(self.active.store.count)
        self._verified = True
        if found is not None and found != expected:
            raise IndexDamagedError(
                f"the index holds {found:,} memories and the ledger {expected:,}"
            )

    async def build(self) -> Progress | None:
        """Build the next part of the new index; one that is complete takes over.

        Returns how far it is, None when nothing is being built.
        """
        index = self.building
        if index is None:
            return None
        passages, total = await self._database.read(_next_passages, index)
        if not passages:
            await self._take_over(index)
            return Progress(total, total)
        await self._put_into(index, await self._embed(passages))
        built_to = passages[-1].memory_id
        left = await self._database.write(_mark_built, index, built_to)
        self.building = replace(index, state=replace(index.state, built_to=built_to))
        return Progress(total - left, total)

    async def _take_over(self, index: OpenIndex) -> None:
        replaced = [self.active.state] if self.active else []
        await self._database.write(indexes.activate, index.state.index_id)
        self.active, self.building = index, None
        self._verified = False
        await self._keep_only([index.state], gone=replaced)

    async def _open(self, state: IndexState) -> OpenIndex:
        placement = Placement(await self._database.read(indexes.shards, state.index_id))
        open_store = partial(
            self._parts.storage.open, state.index_id, placement, self._parts.embedder.dimensions
        )
        return OpenIndex(state, placement, await self._pool.run(open_store))

    async def _keep_only(self, kept: Sequence[IndexState], *, gone: Sequence[IndexState]) -> None:
        """The vectors of those that are gone go first: as long as their rows are there,
        another process can do it again."""
        await self._pool.run(
            partial(
                self._parts.storage.keep_only,
                [each.index_id for each in kept],
                gone=[each.index_id for each in gone],
            )
        )
        await self._database.write(indexes.drop, [each.index_id for each in gone])

    def _open_indexes(self) -> Sequence[OpenIndex]:
        return [index for index in (self.active, self.building) if index is not None]

    async def _put(self, passages: Sequence[Passage]) -> None:
        """Put them where they are missing: a build comes by the later ones itself."""
        built_to = self.building.state.built_to if self.building else 0
        early = [passage for passage in passages if passage.memory_id <= built_to]
        vectors = await self._embed(passages if self.active else early)
        if self.active is not None:
            await self._put_into(self.active, vectors)
        if self.building is not None:
            await self._put_into(self.building, {each: vectors[each] for each in early})

    async def _embed(self, passages: Sequence[Passage]) -> Mapping[Passage, Vector]:
        if not passages:
            return {}
        vectors = await self._embedding.run(
            partial(self._parts.embedder.passages, [passage.text for passage in passages])
        )
        return dict(zip(passages, vectors, strict=True))

    async def _put_into(self, index: OpenIndex, vectors: Mapping[Passage, Vector]) -> None:
        by_user: dict[str, dict[int, Vector]] = {}
        for passage, vector in vectors.items():
            by_user.setdefault(passage.user_id, {})[passage.memory_id] = vector
        for user_id, theirs in by_user.items():
            await self._place(index, user_id)
            await self._pool.run(partial(index.store.put, user_id, theirs))

    async def _place(self, index: OpenIndex, user_id: str) -> None:
        if index.placement.shard(user_id) is None:
            shard = await self._database.write(
                indexes.place, index.state.index_id, user_id, self._parts.storage.shards
            )
            index.placement.put(user_id, shard)

    async def _remove(self, due: Sequence[IndexOp]) -> None:
        for operation, some in groupby(due, key=lambda op: op.operation):
            ops = list(some)
            if operation is IndexOperation.REMOVE:
                await self._remove_gone(ops)
                await self._done(ops)
            else:
                for op in ops:
                    await self._drop_user(op)

    async def _remove_gone(self, ops: Sequence[IndexOp]) -> None:
        for user_id, memory_ids in _by_user(ops).items():
            for index in self._open_indexes():
                if index.placement.shard(user_id) is not None:
                    await self._pool.run(partial(index.store.remove, user_id, memory_ids))

    async def _drop_user(self, op: IndexOp) -> None:
        for index in self._open_indexes():
            if index.placement.shard(op.user_id) is not None:
                await self._pool.run(partial(index.store.drop_user, op.user_id))
                index.placement.discard(op.user_id)
        await self._database.write(_displace, op)

    async def _done(self, ops: Sequence[IndexOp]) -> None:
        await self._database.write(indexes.ops_done, [op.op_id for op in ops])


def _by_user(ops: Sequence[IndexOp]) -> Mapping[str, Sequence[int]]:
    by_user: dict[str, list[int]] = {}
    for op in ops:
        if op.memory_id is not None:
            by_user.setdefault(op.user_id, []).append(op.memory_id)
    return by_user


def _drop_all(session: Session) -> None:
    indexes.drop(session, [each.index_id for each in indexes.every(session)])


def _due_puts(session: Session) -> tuple[Sequence[IndexOp], Sequence[Passage]]:
    due = indexes.waiting_ops(session, limit=BATCH, of=(IndexOperation.PUT,))
    passages: list[Passage] = []
    for user_id, memory_ids in _by_user(due).items():
        passages += indexes.passages_of(session, user_id, memory_ids)
    return due, passages


def _expected(session: Session) -> int | None:
    if indexes.waiting_ops(session, limit=1):
        return None
    return indexes.count_passages(session)


def _next_passages(session: Session, index: OpenIndex) -> tuple[Sequence[Passage], int]:
    passages = indexes.passages(session, after=index.state.built_to, limit=BATCH)
    return passages, indexes.count_passages(session)


def _mark_built(session: Session, index: OpenIndex, built_to: int) -> int:
    indexes.mark_built(session, index.state.index_id, built_to)
    return indexes.count_passages(session, after=built_to)


def _displace(session: Session, op: IndexOp) -> None:
    indexes.displace(session, op.user_id)
    indexes.ops_done(session, [op.op_id])
