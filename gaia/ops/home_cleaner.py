"""Takes what is forgotten out of the files of one home: the terminal's history, logs, copies of
the database, and files that memories were exported to.

Several processes on one PostgreSQL database have a home each. Whoever carries out a request cleans
the files of its own home, and hands the request on; each of the others then cleans its files by the
same words. A home that was away has no words to look for any more. It loses what belongs to the
user as a whole, and with it what does not say whose it is: history and logs. What is handed on,
and to whom, is told in `gaia.store.processes.homes`.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from gaia.core.workers import Workers
from gaia.memory.forget_matcher import ForgetMatcher
from gaia.ops import exports
from gaia.ops.traces import clean_copies, cut_entries, cut_lines
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.engine import Database
from gaia.store.processes import homes
from gaia.store.redaction import Redaction

logger = logging.getLogger(__name__)

THE_ONE = 0
"""The number of the one worker."""


class HomeCleaner:
    """Cleans the files of a home of what other homes hand on. `cleaned` is called when it has.

    A SQLite file has one home, and nothing is handed on there.
    """

    def __init__(
        self,
        home: Home,
        database: Database,
        clock: Clock,
        cleaned: Callable[[], None] = lambda: None,
    ) -> None:
        self._home = home
        self._database = database
        self._clock = clock
        self._cleaned = cleaned
        self._workers: Workers[int] = Workers("cleaning of files", self._work, clock)

    def wake(self) -> None:
        """Say that something may have been handed on, or was while nobody listened."""
        if self._database.server is not None:
            self._workers.wake(THE_ONE)

    async def flush(self) -> None:
        """Return when nothing is left that could be done at once; then do no more."""
        await self._workers.flush()

    async def cancel(self) -> None:
        """Interrupt it, to be taken up at the next start."""
        await self._workers.cancel()

    async def _work(self, _: int) -> timedelta | None:
        mark = await asyncio.to_thread(homes.mark_of, self._home)
        due = await self._database.read(homes.due, mark)
        if due.wiped:
            await self._wipe(mark, due.wiped)
        for request in due.requests:
            matcher = await asyncio.to_thread(ForgetMatcher, request.phrases)
            what = request.redaction(matcher.match, matcher.terms)
            await clean_files(self._home, self._database, what)
            await self._database.write(homes.cleaned, mark, request.forget_id, request.user_id)
        if due.requests:
            self._cleaned()
        return None

    async def _wipe(self, mark: str, wiped: Mapping[str, Collection[str]]) -> None:
        now = self._clock.now()
        await asyncio.to_thread(_clean_shared_files, self._home, _anything)
        for user_id, user_ids in wiped.items():
            what = everything_of(user_id, _anything, now)
            await asyncio.to_thread(clean_own_files, self._home, what, user_ids)
        await self._database.write(_note_wiped, mark, sorted(wiped), now)
        logger.warning(
            "something was forgotten while this home was away: its terminal history and its logs "
            "are emptied, and what copies and exported files had of %d users is removed",
            len(wiped),
        )


async def mark_among(home: Home, database: Database) -> str | None:
    """The mark of a home among those that work on its database; None on a SQLite file.

    Raises:
        HomeError: The home cannot be written to.
    """
    return None if database.server is None else await asyncio.to_thread(homes.mark_of, home)


async def clean_files(home: Home, database: Database, what: Redaction) -> None:
    """Take what goes out of the files of a home, which the caller's process logs to, if any does.
    Idempotent."""
    earlier_ids = await database.read(audit.joined_into, what.user_id)
    await asyncio.to_thread(_clean_shared_files, home, what.says)
    await asyncio.to_thread(clean_own_files, home, what, {what.user_id, *earlier_ids})


def clean_own_files(home: Home, what: Redaction, user_ids: Collection[str]) -> None:
    """Take what goes out of the files that say whose they are, of these users, who are one
    person. Blocks. Idempotent."""
    clean_copies(home.backups, what, user_ids)
    exports.clean(home, user_ids, what.says, everything=what.everything)


def everything_of(user_id: str, says: Callable[[str], bool], now: datetime) -> Redaction:
    """All of a user's goes, and what `says` finds where it does not say whose it is."""
    return Redaction(
        user_id=user_id,
        says=says,
        sources=frozenset(),
        everything=True,
        inbox_id=0,
        since=now,
    )


def _clean_shared_files(home: Home, says: Callable[[str], bool]) -> None:
    """Take what `says` finds out of the files that do not say whose they are."""
    cut_entries(home.terminal_history, says)
    cut_lines(home.logs, says)


def _anything(_: str) -> bool:
    return True


def _note_wiped(session: Session, mark: str, user_ids: Collection[str], now: datetime) -> None:
    homes.wiped(session, mark, user_ids)
    detail = (
        f"{socket.gethostname()} was away when something was forgotten: terminal history, logs, "
        "copies and exports"
    )
    for user_id in user_ids:
        audit.record(
            session,
            Action.HOME_WIPED,
            at=now,
            by=audit.GAIA,
            subject=user_id,
            detail=detail,
        )
