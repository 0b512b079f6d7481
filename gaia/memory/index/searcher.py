"""A search by meaning: what is asked for is embedded, and the nearest are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gaia.clock import within
from gaia.errors import IndexUnavailableError
from gaia.memory.index.builder import OpenIndex
from gaia.memory.index.parts import Parts
from gaia.memory.protocols import Neighbour
from gaia.ports import Clock
from gaia.threads import DaemonThreadPool

ANSWER_SECONDS = 1.0
"""How long a search may take, the embedder included."""

THREADS = 2


class Searcher:
    """Embeds what is asked for and finds what is near. `fault` is why the last search
    failed, empty when it did not."""

    def __init__(self, store_pool: DaemonThreadPool, clock: Clock) -> None:
        self.fault = ""
        self._store_pool = store_pool
        self._embedding = DaemonThreadPool("gaia-queries", threads=THREADS)
        self._clock = clock

    async def nearest(
        self, parts: Parts, index: OpenIndex, user_id: str, text: str, limit: int
    ) -> Sequence[Neighbour]:
        """The user's memories nearest in meaning to `text`.

        Raises:
            IndexUnavailableError: A part does not work, or takes too long.
        """
        if self._embedding.exhausted or self._store_pool.exhausted:
            raise IndexUnavailableError(f"an earlier search still hangs: {self.fault}")
        search = self._search(parts, index, user_id, text, limit)
        try:
            found = await within(self._clock, ANSWER_SECONDS, search)
        except TimeoutError as exc:
            self.fault = f"a search took longer than {ANSWER_SECONDS:.0f} s"
            raise IndexUnavailableError(self.fault) from exc
        except IndexUnavailableError as exc:
            self.fault = str(exc)
            raise
        self.fault = ""
        return found

    def close(self) -> None:
        """Let the threads end."""
        self._embedding.close()

    async def _search(
        self, parts: Parts, index: OpenIndex, user_id: str, text: str, limit: int
    ) -> Sequence[Neighbour]:
        vector = await self._embedding.run(partial(parts.embedder.query, text))

        def ask() -> Sequence[Neighbour]:
            parts.storage.check()
            return index.store.nearest(user_id, vector, limit)

        return await self._store_pool.run(ask)
