"""Carries out what is to be forgotten, until no file below the home holds a byte of it.

From the confirmation on nobody finds it any more: see `gaia.memory.forget`. Here its words are
taken out of everything that was written on the way: the queues, transcripts, the archive, what
other memories quote, logs, the terminal's history, copies of the database, files that memories
were exported to, the write-ahead logs. Each step may be repeated, and is, until all of them have
found nothing left: after a crash at the next start, and after a turn that was running. Where other
homes work on the same database, the request is handed on to them then, and waits for those that
live (`gaia.ops.home_cleaner`). Then the databases are written again, since SQLite keeps copies of
rows that it moved, and only then does the request itself go. What becomes of backups from then on
is told in `gaia.ops.backup.backups`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from gaia.core.shares import ALL, Share
from gaia.core.workers import Workers
from gaia.memory.archive import redact_archive
from gaia.memory.forget_matcher import ForgetMatcher
from gaia.ops.backup.backups import replace_outdated_apart
from gaia.ops.home_cleaner import HomeCleaner, clean_files, mark_among
from gaia.paths import Home
from gaia.ports import Clock
from gaia.sessions.redaction import redact_sessions
from gaia.store import audit, forgets, letters, redaction
from gaia.store.audit import Action
from gaia.store.engine import Database
from gaia.store.forgets import Forget
from gaia.store.lock import DaemonLock
from gaia.store.memory_tables import ForgetState
from gaia.store.processes import homes
from gaia.store.redaction import Redaction
from gaia.store.sessions import SessionKey

logger = logging.getLogger(__name__)

FIRST_PAUSE = timedelta(seconds=1)
LONGEST_PAUSE = timedelta(seconds=30)

THE_ONE = 0
"""The number of the one worker: files are everybody's, so requests are carried out together."""


class ForgetWorker:
    """Carries out the requests to forget of all users. `forgotten` is called when one is.

    The vector index holds no words, and follows its own queue in the background.
    """

    def __init__(
        self,
        *,
        home: Home,
        database: Database,
        clock: Clock,
        forgotten: Callable[[], None] = lambda: None,
        share: Share[object] = ALL,
    ) -> None:
        self._forgotten = forgotten
        self._home = home
        self._database = database
        self._clock = clock
        self._workers: Workers[int] = Workers("forgetting", self._work, clock, share)
        self._matchers: dict[int, ForgetMatcher] = {}
        self._files_cleaned: set[int] = set()
        self._rewritten: set[int] = set()
        self._pause = FIRST_PAUSE
        self._waiting = False

    def wake(self) -> None:
        """Say that there may be something to forget, and at start, that an earlier process
        may have left it. Ignored once nothing new is begun."""
        self._pause = FIRST_PAUSE
        self._workers.wake(THE_ONE)

    async def before_turn(self, key: SessionKey) -> None:
        """Return when the session holds nothing that its user had forgotten, so that the
        turn's prompt does not either."""
        requests = await self._database.read(forgets.under_way, key.user_id)
        for request in requests:
            if request.state is ForgetState.WIPING:
                await self._redact_sessions(await self._redaction(request), key)

    def after_turn(self, *, has_faded: bool = False) -> None:
        """Say that a turn has ended: what it wrote is to be looked at, if it ran meanwhile, and
        the files, if something incognito `has_faded` with it."""
        if self._waiting or has_faded:
            self.wake()

    async def flush(self) -> None:
        """Return when nothing is left that could be done at once; then do no more. The rest
        is for the next start."""
        await self._workers.flush()

    async def interrupt(self) -> None:
        """Leave what is under way to another process, which leads from now on."""
        await self._workers.interrupt()

    async def cancel(self) -> None:
        """Interrupt it, to be taken up at the next start."""
        await self._workers.cancel()

    async def _work(self, _: int) -> timedelta | None:
        requests = await self._database.read(forgets.under_way)
        self._waiting = bool(requests)
        if not requests:
            return None
        carried_out = [request for request in requests if await self._carry_out(request)]
        rewritten = await self._rewrite_database([request.forget_id for request in carried_out])
        if await self._empty_write_ahead_log() and rewritten and carried_out:
            await self._end(carried_out)
            if len(carried_out) == len(requests):
                # Another request may have been written meanwhile.
                return timedelta(0)
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE)
        return pause

    async def _carry_out(self, request: Forget) -> bool:
        """Redact what there is, here and then in all homes; returns whether nothing is left to
        come back for but what the write-ahead log holds."""
        if request.state is not ForgetState.WIPING:
            return True
        mark = await mark_among(self._home, self._database)
        handed_on = mark is not None and await self._database.read(
            homes.is_handed_on, request.forget_id
        )
        if not handed_on and not await self._carry_out_here(request):
            return False
        return await self._database.write(_seal, request, mark, hand_on=not handed_on)

    async def _carry_out_here(self, request: Forget) -> bool:
        """Redact the database and the files of this home; returns whether all of it is done."""
        what = await self._redaction(request)
        # In this order: what a turn writes that ends meanwhile is found by what follows.
        all_ended = await redaction.redact_inbox(self._database, what, self._clock.now())
        await self._redact_sessions(what)
        await redact_archive(self._database, what, await self._spared(what))
        await redaction.redact_quotes(self._database, what, await self._spared(what))
        spared, now = await self._spared(what), self._clock.now()
        all_sent = await redaction.redact_outbox(self._database, what, spared, now)
        await self._database.write(letters.drop, what.user_id)
        complete = all_ended and all_sent
        if complete or request.forget_id not in self._files_cleaned:
            await clean_files(self._home, self._database, what)
            self._files_cleaned.add(request.forget_id)
        return complete

    async def _redaction(self, request: Forget) -> Redaction:
        matcher = self._matchers.get(request.forget_id)
        if matcher is None:
            matcher = await asyncio.to_thread(ForgetMatcher, request.phrases)
            self._matchers[request.forget_id] = matcher
        return request.redaction(matcher.match, matcher.terms)

    async def _redact_sessions(self, what: Redaction, key: SessionKey | None = None) -> None:
        await redact_sessions(self._database, what, spared=await self._spared(what), key=key)

    async def _spared(self, what: Redaction) -> frozenset[str]:
        return await self._database.read(redaction.spared_turns, what, self._clock.now())

    async def _rewrite_database(self, forget_ids: Collection[int]) -> bool:
        """Rid the file of what was deleted, once for all requests that are carried out; returns
        whether nobody prevented it."""
        if self._rewritten.issuperset(forget_ids):
            return True
        rewritten = await self._database.rewrite()
        if rewritten:
            self._rewritten.update(forget_ids)
        elif self._pause == FIRST_PAUSE:
            logger.warning(
                "what is forgotten stays in the files of the database until others let go of it: "
                "they hold a table, or a transaction, which may be a prepared one or that of a "
                "replica, began before"
            )
        return rewritten

    async def _empty_write_ahead_log(self) -> bool:
        """Empty the write-ahead log, where deleted words are longest; returns whether
        nobody prevented it."""
        emptied = await self._database.checkpoint()
        if not emptied and self._pause == FIRST_PAUSE:
            logger.warning(
                "what is forgotten stays in a write-ahead log until another process lets go "
                "of the database"
            )
        return emptied

    async def _end(self, requests: Sequence[Forget]) -> None:
        forget_ids = [request.forget_id for request in requests]
        now = self._clock.now()
        await self._database.write(_note_done, forget_ids, requests, now)
        if any(each.state is not ForgetState.FADING for each in requests):
            self._forgotten()
        for forget_id in forget_ids:
            self._matchers.pop(forget_id, None)
            self._files_cleaned.discard(forget_id)
            self._rewritten.discard(forget_id)
        logger.info("forgotten for good: %d requests", len(forget_ids))


async def carry_out_apart(home: Home, database: Database, clock: Clock) -> bool:
    """Carry out what is to be forgotten where no daemon runs to do it; returns whether
    nothing is left for the next one, such as messages that it has still to answer.

    Raises:
        AlreadyRunningError: A daemon runs, or begins to: it is to be woken instead.
        StoreError: A database cannot be opened.
    """
    with DaemonLock(home):
        forgetting = ForgetWorker(home=home, database=database, clock=clock)
        forgetting.wake()
        await forgetting.flush()
        cleaner = HomeCleaner(home, database, clock)
        cleaner.wake()
        await cleaner.flush()
    left = await database.read(forgets.under_way)
    return await replace_outdated_apart(home, database, clock) and not left


def _seal(session: Session, request: Forget, mark: str | None, *, hand_on: bool) -> bool:
    """Hand a request on to the other homes among which this one has a `mark`; once all that live
    have cleaned their files, say that it is carried out."""
    if mark is not None:
        if hand_on:
            homes.hand_on(session, mark, request.forget_id, request.user_id)
        if homes.is_awaited(session, request.forget_id):
            return False
    return forgets.seal(session, request.forget_id, request.user_id)


def _note_done(
    session: Session, forget_ids: Sequence[int], requests: Sequence[Forget], now: datetime
) -> None:
    forgets.done(session, forget_ids)
    asked_for = [each for each in requests if each.state is not ForgetState.FADING]
    for user_id in sorted({request.user_id for request in asked_for}):
        audit.record(session, Action.FORGOTTEN, at=now, by=audit.GAIA, subject=user_id)
