"""DigestWorker: each user's sealed sessions one after the other, to their end.

A digest goes on from the state that is in the database, whoever brought it there. Times
are the database's own as well: nothing is lost with the process, and a sweep finds
whatever nobody was woken for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta

from sqlalchemy.orm import Session

from gaia.core.shares import ALL, Share
from gaia.core.workers import Workers
from gaia.digest.commit import DigestCommitter
from gaia.digest.compact import compact_long
from gaia.digest.read import WindowReader
from gaia.digest.seal import OFF, seal_idle, seal_now
from gaia.errors import ModelError, StoreError, UnusableExtractionError
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store import digests
from gaia.store.digest_tables import DigestState
from gaia.store.digests import Digest
from gaia.store.engine import Database
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

PAUSES = (timedelta(minutes=1), timedelta(minutes=5))
"""After the first failure, and after the second. The third is the last."""

AT_ONCE = timedelta(0)

OVER = (DigestState.CLEARED, DigestState.FAILED)

NOTICEABLE_SECONDS = 1.0
LEARNING_SECONDS = 60.0


class DigestWorker:
    """Digests the sealed sessions of all users, two users at once, never two of one.

    Unless it is `enabled` sessions are not sealed, and those that were wait. `most_tokens`
    tells how much the model's host takes, as far as it has said.
    """

    def __init__(
        self,
        *,
        database: Database,
        window_reader: WindowReader,
        committer: DigestCommitter,
        clock: Clock,
        settings: Swappable[Settings],
        most_tokens: Callable[[], float | None] = lambda: None,
        share: Share[object] = ALL,
    ) -> None:
        self._database = database
        self._window_reader = window_reader
        self._committer = committer
        self._clock = clock
        self._settings = settings
        self._most_tokens = most_tokens
        self._waiting_for_turns: set[str] = set()
        self._watchers: set[asyncio.Event] = set()
        self._workers: Workers[str] = Workers("digest", self._work, clock, share)

    @property
    def enabled(self) -> bool:
        """Whether gaia learns by itself."""
        memory = self._settings.value.memory
        return memory.enabled and memory.auto_ingest

    @property
    def closed(self) -> bool:
        """Whether nothing new is begun."""
        return self._workers.closed

    @property
    def over_budget(self) -> Mapping[str, str]:
        """The users whose digests wait for the next day, and the setting that they wait for."""
        return self._window_reader.over_budget

    def wake(self, user_id: str) -> None:
        """Say that a session of a user was sealed. Ignored once nothing new is begun."""
        if self.enabled:
            self._workers.wake(user_id)

    def after_turn(self) -> None:
        """Say that a turn has ended: the session that it belongs to may have waited for it."""
        for user_id in self._waiting_for_turns:
            self.wake(user_id)

    async def sweep(self) -> None:
        """Seal what idles, compact what grew long, and take up what is sealed, by whomever."""
        if not self.enabled:
            return
        idle = timedelta(minutes=self._settings.value.sessions.idle_consolidate_minutes)
        await seal_idle(self._database, self._clock, idle)
        sessions = self._settings.value.sessions
        await compact_long(self._database, self._clock, sessions, self._most_tokens())
        await self.look()

    async def look(self) -> None:
        """Take up what is sealed, by whomever."""
        users = await self._database.read(digests.users_under_way)
        for user_id in users:
            self.wake(user_id)

    @contextmanager
    def watched(self) -> Iterator[asyncio.Event]:
        """An event that is set after each step of any digest, for as long as the block lasts."""
        stepped = asyncio.Event()
        self._watchers.add(stepped)
        try:
            yield stepped
        finally:
            self._watchers.discard(stepped)

    async def flush(self) -> None:
        """Return when nothing is left that could be done at once; then begin nothing."""
        await self._workers.flush()

    async def interrupt(self) -> None:
        """Leave what is under way to another process, which leads from now on."""
        await self._workers.interrupt()

    async def cancel(self) -> None:
        """Interrupt it, to be taken up at the next start. What was asked of a model and
        has no answer is asked again."""
        await self._workers.cancel()
        self._tell_watchers()

    async def _work(self, user_id: str) -> timedelta | None:
        try:
            return await self._go_on(user_id)
        finally:
            self._tell_watchers()

    def _tell_watchers(self) -> None:
        for stepped in self._watchers:
            stepped.set()

    async def _go_on(self, user_id: str) -> timedelta | None:
        digest = await self._next(user_id)
        if digest is None:
            return None
        wait = self._wait_of(digest)
        if wait:
            return wait
        try:
            return await self._step(digest)
        except StoreError:
            raise
        except ModelError as exc:
            await self._failed(digest, exc.bare)
        except UnusableExtractionError as exc:
            await self._failed(digest, str(exc))
        except TimeoutError:
            await self._failed(digest, "the model took too long")
        except Exception as exc:
            logger.exception("digest %d failed", digest.digest_id)
            await self._failed(digest, f"{type(exc).__name__} in gaia: the log says where")
        return AT_ONCE

    async def _next(self, user_id: str) -> Digest | None:
        """The oldest digest of the user for which something can be done."""
        # Before the look: a turn that ends meanwhile wakes whom it finds here.
        self._waiting_for_turns.add(user_id)
        due, waits = await self._database.read(_due, user_id)
        if due is None and not waits:
            self._waiting_for_turns.discard(user_id)
        return due

    def _wait_of(self, digest: Digest) -> timedelta:
        """How long until its next attempt. Longer than any pause it is only by a clock that
        was set back."""
        if digest.not_before is None:
            return AT_ONCE
        wait = digest.not_before - self._clock.now()
        return wait if AT_ONCE < wait <= max(PAUSES) else AT_ONCE

    async def _step(self, digest: Digest) -> timedelta:
        match digest.state:
            case DigestState.SEALED:
                return await self._window_reader.step(digest)
            case DigestState.EXTRACTED:
                await self._committer.commit(digest)
            case _:
                await self._committer.clear(digest)
        return AT_ONCE

    async def _failed(self, digest: Digest, error: str) -> None:
        is_last = digest.attempts >= len(PAUSES)
        if is_last and digest.state is not DigestState.COMMITTED:
            await self._give_up(digest, error)
            return
        not_before = self._clock.now() + PAUSES[min(digest.attempts, len(PAUSES) - 1)]
        logger.warning("digest %d is tried again later: %s", digest.digest_id, error)
        await self._database.write(
            digests.try_later, digest.digest_id, error=error, not_before=not_before
        )

    async def _give_up(self, digest: Digest, error: str) -> None:
        try:
            await self._committer.give_up(digest, error)
        except StoreError:
            raise
        except Exception:
            logger.exception("digest %d: nothing could be told without a model", digest.digest_id)
            await self._committer.give_up(digest, error, is_told=False)


async def digest_now(
    database: Database,
    digest_worker: DigestWorker,
    clock: Clock,
    user_id: str | None,
    *,
    retry: bool,
    tell: Callable[[int, int], None],
) -> Sequence[Digest]:
    """Digest the present sessions, of one user if named, or with `retry` what failed; see
    `seal_now`. Returns how the digests stand when nothing more comes of them for now;
    `tell` gets of how many that is so, and of how many in all.

    Raises:
        LearningOffError: It is set not to be done.
    """
    if not digest_worker.enabled:
        raise OFF
    begun = await database.write(seal_now, user_id, clock.now(), retry=retry)
    digest_ids = [digest.digest_id for digest in begun]
    with digest_worker.watched() as stepped:
        for owner in {digest.user_id for digest in begun}:
            digest_worker.wake(owner)
        while True:
            stepped.clear()
            standing, unanswered = await database.read(_standing, digest_ids)
            left = _unsettled(standing, unanswered, digest_worker.over_budget)
            tell(len(begun) - left, len(begun))
            if not left or digest_worker.closed:
                return standing
            await stepped.wait()


async def learned(digest_worker: DigestWorker, on_learning: Callable[[], None]) -> None:
    """Return once nothing is left that could be learned now, or a minute is over: a daemon that
    was run for a single message may be the last that reads the sessions. `on_learning` is called
    when it takes more than a moment."""
    loop = asyncio.get_running_loop()
    telling = loop.call_later(NOTICEABLE_SECONDS, on_learning)
    try:
        async with asyncio.timeout(LEARNING_SECONDS):
            await digest_worker.flush()
    except TimeoutError:
        logger.info("not all of the idle conversations were read: the next chat goes on")
    finally:
        telling.cancel()


def _due(session: Session, user_id: str) -> tuple[Digest | None, bool]:
    """The oldest digest for which something can be done, and whether one before it, or
    all there are, wait for turns."""
    waits = False
    for digest in digests.under_way_of(session, user_id):
        if not _waits_for_turns(session, digest):
            return digest, waits
        waits = True
    return None, waits


def _standing(
    session: Session, digest_ids: Sequence[int]
) -> tuple[Sequence[Digest], Collection[int]]:
    """The digests, and the numbers of those that wait for turns of their session."""
    found = [digests.get(session, digest_id) for digest_id in digest_ids]
    standing = [digest for digest in found if digest is not None]
    unanswered = {each.digest_id for each in standing if _waits_for_turns(session, each)}
    return standing, unanswered


def _waits_for_turns(session: Session, digest: Digest) -> bool:
    return digest.state is DigestState.SEALED and digests.waits_for_turns(session, digest)


def _unsettled(
    standing: Sequence[Digest], unanswered: Collection[int], over_budget: Collection[str]
) -> int:
    """How many will go on soon: not those of a user for whom it has just failed, and not
    those whose session has messages that wait, who knows how long, for their answers."""
    waiting = {digest.user_id for digest in standing if digest.attempts} | {*over_budget}
    return sum(
        each.state not in OVER and each.user_id not in waiting and each.digest_id not in unanswered
        for each in standing
    )
