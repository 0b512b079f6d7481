"""The ledger of runs: it tells when a daily job is due, and every run goes through it.

What it knows is in the database, so that a run that was missed is made up for once, that a
restart does not run a job again, and that one that crashes gaia does not do so at each start.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta, tzinfo

from sqlalchemy.orm import Session

from gaia.errors import GaiaError, ModelError
from gaia.logs import log_failure
from gaia.ports import Clock
from gaia.schedule.jobs import MOST_ATTEMPTS, Daily, Job, Plan, machine_zone, next_run
from gaia.store import job_runs
from gaia.store.engine import Database
from gaia.store.job_runs import WORTH_SAYING, in_words

logger = logging.getLogger(__name__)

NOTED_EVERY = timedelta(hours=1)
"""How often it is written that a job went well that is run every few minutes."""

ERROR_CHARACTERS = 300


class Ledger:
    """Plans and runs jobs, and keeps when they ran. `zone` tells the machine's time zone."""

    def __init__(
        self, database: Database, clock: Clock, *, zone: Callable[[], tzinfo] = machine_zone
    ) -> None:
        self._database = database
        self._clock = clock
        self._zone = zone
        self._noted: dict[str, tuple[datetime, str]] = {}

    async def take_up(self) -> None:
        """Note what an earlier process did not bring to its end. Before anything is run."""
        interrupted = await self._database.write(job_runs.note_interrupted)
        for name in interrupted:
            logger.warning("job %s was not brought to its end: %s", name, job_runs.INTERRUPTED)

    async def keep_only(self, names: Collection[str]) -> None:
        """Note that there are no other jobs than these any more."""
        await self._database.write(job_runs.retire, all_but=names)

    async def plan(self, name: str, when: Daily) -> Plan:
        """The next run of a daily job; it is to be run now once its `run_at` has come."""
        now = self._clock.now()
        last = await self._database.read(job_runs.get, name)
        plan = next_run(when.hour, last, now, self._zone())
        if last is None or plan.is_news or last.next_at != plan.run_at:
            await self._database.write(_write_plan, plan, name)
        return plan

    async def run(self, job: Job, plan: Plan) -> None:
        """Run a daily job as planned, and keep how it went. One that is cancelled waits to be
        run again; any other failure is logged.

        Raises:
            StoreError: The ledger cannot be written. If that is before the run, there is none.
        """
        now = self._clock.now()
        begun = await self._database.write(job_runs.begin, job.name, due_at=plan.due_at, now=now)
        if begun.attempts > 1:
            logger.info("job %s: attempt %d of %d", job.name, begun.attempts, MOST_ATTEMPTS)
        elif begun.late >= WORTH_SAYING:
            logger.info("job %s is run now, %s late", job.name, in_words(begun.late))
        try:
            error = await _outcome(job.name, job.run)
        except asyncio.CancelledError:
            await self._put_back(job.name)
            raise
        await self._database.write(job_runs.finish, job.name, self._clock.now(), error=error)
        if not error:
            took = (self._clock.now() - now).total_seconds()
            logger.info("job %s is done, after %.1f s", job.name, took)

    async def run_often(self, job: Job) -> None:
        """Run a job that is run again soon, and keep how it went: once an hour, and whenever
        that has changed."""
        started_at = self._clock.now()
        error = await _outcome(job.name, job.run)
        now = self._clock.now()
        noted_at, noted = self._noted.get(job.name, (None, ""))
        if noted_at is not None and error == noted and timedelta(0) <= now - noted_at < NOTED_EVERY:
            return
        await self._database.write(
            job_runs.note, job.name, started_at=started_at, now=now, error=error
        )
        self._noted[job.name] = (now, error)

    async def _put_back(self, name: str) -> None:
        try:
            await self._database.write(job_runs.put_back, name)
        except Exception:
            # It counts as a run that gaia did not outlive.
            logger.exception("job %s was stopped, and that cannot be written", name)


async def _outcome(name: str, run: Callable[[], Awaitable[None]]) -> str:
    """Run a job; returns what went wrong, or nothing."""
    try:
        await run()
    except Exception as exc:
        log_failure(logger, exc, "job %s failed", name)
        return _told(exc)
    return ""


def _told(exc: Exception) -> str:
    """An error as it may be kept: of those that are not gaia's own, only the kind, since
    their messages may hold anything."""
    kind = type(exc).__name__
    if not isinstance(exc, GaiaError):
        return kind
    message = exc.bare if isinstance(exc, ModelError) else str(exc)
    return f"{kind}: {message}"[:ERROR_CHARACTERS]


def _write_plan(session: Session, plan: Plan, name: str) -> None:
    if plan.is_news:
        job_runs.expect(session, name, plan.due_at)
    job_runs.plan(session, name, plan.run_at)
