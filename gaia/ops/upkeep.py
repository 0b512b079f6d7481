"""Upkeep: once a day what has had its time goes, and what failed is tried again.

All of it may be done as often as one likes: each part does only what is due, and none is
left out since another one failed. What is deleted is deleted a little at a time, so that
whoever talks to gaia meanwhile is not kept waiting.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Concatenate, ParamSpec

from sqlalchemy.orm import Session

from gaia.digest.worker import DigestWorker
from gaia.errors import UpkeepError
from gaia.memory import archive, pending
from gaia.ops.checkpoints import Checkpoints
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store import digests, outbox, page_sessions, retention, upkeep_runs
from gaia.store.engine import Database
from gaia.store.people import pairings, strangers
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

P = ParamSpec("P")

PENDING_FOR = timedelta(days=90)
"""How long a pending memory waits for support."""

DIGESTS_KEPT_FOR = timedelta(days=90)

FILES_KEPT_FOR = timedelta(days=1)
"""How long a file stays after it was sent: providers fetch it within the hour."""

COUNTS_KEPT_FOR = timedelta(days=366)
"""How long the tokens used on a day are kept."""

COPIES_KEPT_FOR = timedelta(days=90)
"""How long the copy of the database from before a migration stays."""

STEPS_A_RUN = 1000
"""So many transactions one part may take: what is left then waits for the next run."""


DoubtClock = Callable[[], Awaitable[str]]
"""Tells why the clock is not to be trusted; nothing if it is."""


class Upkeep:
    """Keeps the data of all users in order. `memory_changed` is called when the index has
    work from it."""

    def __init__(
        self,
        *,
        home: Home,
        database: Database,
        digest_worker: DigestWorker,
        memory_changed: Callable[[], None],
        checkpoints: Checkpoints,
        doubt_clock: DoubtClock,
        clock: Clock,
        settings: Swappable[Settings],
        steps: int = STEPS_A_RUN,
    ) -> None:
        self._home = home
        self._database = database
        self._digest_worker = digest_worker
        self._memory_changed = memory_changed
        self._checkpoints = checkpoints
        self._doubt_clock = doubt_clock
        self._clock = clock
        self._settings = settings
        self._steps = steps

    async def run(self) -> None:
        """Do what is due: while the clock is doubted, nothing that deletes by age.

        Raises:
            UpkeepError: Not all of it could be done; the rest was.
        """
        by_age: dict[str, Callable[[], Awaitable[None]]] = {
            "memories": self._drop_memories,
            "turns": self._drop_turns,
            "digests": self._drop_digests,
            "files": self._drop_files,
            "messages": self._drop_messages,
            "counts of tokens": self._drop_counts,
            "strangers, codes and sign-ins": self._drop_expired,
            "copies of the database": self._remove_copies,
        }
        parts: dict[str, Callable[[], Awaitable[None]]] = {
            "digests that failed": self._retry_digests,
            "write-ahead logs": self._checkpoints.empty,
        }
        if doubt := await self._doubt_clock():
            logger.warning("upkeep deletes nothing by its age, the clock is doubted: %s", doubt)
        else:
            parts |= by_age
        failed = []
        for name, do in parts.items():
            try:
                await do()
            except Exception as exc:
                logger.exception("upkeep: %s are not in order", name)
                failed.append(f"{name} ({type(exc).__name__})")
        if failed:
            raise UpkeepError(
                f"{len(failed)} of {len(parts)} parts of the upkeep failed: {', '.join(failed)}. "
                "The log tells why"
            )

    async def _retry_digests(self) -> None:
        if not self._digest_worker.enabled:
            return
        again = await self._database.write(digests.retry)
        for digest in again:
            self._digest_worker.wake(digest.user_id)

    async def _drop_memories(self) -> None:
        now = self._clock.now()
        dropped = await self._database.write(pending.drop_old, now - PENDING_FOR)
        expired = await self._some_at_a_time(pending.expire, now)
        if expired or dropped:
            logger.info("memories: %d have expired, %d were never sure", expired, dropped)
            self._memory_changed()

    async def _drop_turns(self) -> None:
        days = self._settings.value.memory.archive_days
        turns = await self._some_at_a_time(archive.prune, self._clock.now(), days)
        _tell(turns, "turns are too old to be kept")

    async def _drop_digests(self) -> None:
        before = self._clock.now() - DIGESTS_KEPT_FOR
        pruned = await self._database.write(digests.prune, before)
        _tell(pruned, "digests are too old to be kept")
        pruned = await self._database.write(upkeep_runs.prune, before)
        _tell(pruned, "runs of the upkeep of memories are too old to be kept")

    async def _drop_files(self) -> None:
        files = await self._database.write(
            outbox.drop_left_files, self._clock.now() - FILES_KEPT_FOR
        )
        _tell(files, "files that were sent are not kept any longer")

    async def _drop_messages(self) -> None:
        before = self._clock.now() - timedelta(days=self._settings.value.retention.messages_days)
        # Replies first: a message stays for as long as its reply.
        replies = await self._some_at_a_time(retention.drop_replies, before)
        _tell(replies, "chunks of replies are too old to be kept")
        messages = await self._some_at_a_time(retention.drop_messages, before)
        _tell(messages, "messages are too old to be kept")

    async def _drop_counts(self) -> None:
        before = (self._clock.now() - COUNTS_KEPT_FOR).date()
        dropped = await self._database.write(retention.drop_counts, before)
        _tell(dropped, "counts of tokens are too old to be kept")

    async def _drop_expired(self) -> None:
        await self._database.write(_sweep, self._clock.now())

    async def _remove_copies(self) -> None:
        before = self._clock.now() - COPIES_KEPT_FOR
        removed = await asyncio.to_thread(_remove_old_copies, self._home, before)
        _tell(removed, "copies of the database from before a migration are too old to be kept")

    async def _some_at_a_time(
        self, drop: Callable[Concatenate[Session, P], int], *args: P.args, **kwargs: P.kwargs
    ) -> int:
        """Drop until there is nothing more to drop, or it has taken long enough, each time in
        a transaction of its own; returns how much that was."""
        dropped = 0
        for _ in range(self._steps):
            some = await self._database.write(drop, *args, **kwargs)
            if not some:
                return dropped
            dropped += some
        logger.info("upkeep: there is more to be dropped, which waits for the next run")
        return dropped


def _tell(count: int, what: str) -> None:
    if count:
        logger.info("%d %s", count, what)


def _remove_old_copies(home: Home, before: datetime) -> int:
    """Remove what `gaia.store.migrate` made before, whole or not; returns how many."""
    stem = f"{home.database.stem}-at-*"
    copies = [*home.backups.glob(f"{stem}.db"), *home.backups.glob(f"{stem}.partial")]
    old = [copy for copy in copies if copy.stat().st_mtime < before.timestamp()]
    for copy in old:
        copy.unlink()
    return len(old)


def _sweep(session: Session, now: datetime) -> None:
    strangers.sweep(session, now)
    pairings.sweep(session, now)
    page_sessions.sweep(session, now)
