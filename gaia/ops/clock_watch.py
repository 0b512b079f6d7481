"""Whether the machine's clock can be trusted, for whatever deletes by age.

A clock that is wrong by a year would have everything deleted that is older than its time. So
what it says is compared with the time that gaia knows: the newest in the database at first, then
what it said last and how long gaia has run since, by a clock that never jumps. A jump of more
than a day is doubted until it is taken back, or until gaia has run for a day with it: a machine
that was off for a week, or slept, jumps as well. What is known outlasts restarts, in a file.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import AwareDatetime, TypeAdapter
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from gaia.files import rewrite
from gaia.ops.report import PartStatus
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store import audit
from gaia.store.engine import Database
from gaia.store.ops_tables import JobRunRow
from gaia.store.tables import InboxRow, OutboxRow
from gaia.text import duration

logger = logging.getLogger(__name__)

TOLERANCE = timedelta(days=1)
CONFIRMED_AFTER = timedelta(days=1)
"""How long gaia runs with a clock that jumped before it trusts that clock."""

LOOK_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Known:
    """The time by what was trusted last: `at`. A clock that is doubted said `doubted` last, and
    gaia has run with it for `ran_seconds`."""

    at: AwareDatetime
    doubted: AwareDatetime | None = None
    ran_seconds: float = 0.0


KNOWN = TypeAdapter(Known)


class ClockWatch:
    """Compares the clock with what is known of the time."""

    def __init__(self, home: Home, database: Database, clock: Clock) -> None:
        self._file = home.clock_file
        self._database = database
        self._clock = clock
        self._known: Known | None = None
        self._began_at = clock.now()
        self._looked_at = clock.monotonic()

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await self.doubt()
            await self._clock.sleep(LOOK_SECONDS)

    async def doubt(self) -> str:
        """Look at the clock: why nothing is to be deleted by age now; empty if it may be."""
        now, moment = self._clock.now(), self._clock.monotonic()
        before = self._known
        passed = timedelta(seconds=moment - self._looked_at)
        known = judge(before or await self._found(), now, passed)
        self._known, self._looked_at = known, moment
        self._tell(before, known)
        self._write(known)
        return _in_words(known)

    async def _found(self) -> Known:
        """What was known before this process, and how its clock was when it began."""
        found = self._read()
        if found is None:
            newest = await self._database.read(_newest)
            found = Known(newest or self._began_at)
        return judge(found, self._began_at, timedelta(0))

    def status(self) -> PartStatus:
        """How it was when it was looked at last."""
        detail = _in_words(self._known) if self._known else ""
        return PartStatus(name="clock", ok=not detail, detail=detail)

    def _tell(self, before: Known | None, known: Known) -> None:
        was_doubted = before is not None and before.doubted is not None
        if known.doubted and not was_doubted:
            logger.warning("the clock is doubted: %s", _in_words(known))
        elif was_doubted and not known.doubted:
            logger.info("the clock is trusted again")

    def _read(self) -> Known | None:
        with suppress(OSError, ValueError):
            return KNOWN.validate_json(self._file.read_bytes(), strict=True)
        return None

    def _write(self, known: Known) -> None:
        try:
            rewrite(self._file, KNOWN.dump_json(known))
        except OSError as exc:
            logger.warning("what is known of the time cannot be kept: %s", exc.strerror)


def judge(known: Known, now: datetime, passed: timedelta) -> Known:
    """What is known once the clock says `now`, and gaia has run for `passed` since it was looked
    at last."""
    expected = known.at + passed
    if abs(now - expected) <= TOLERANCE:
        return Known(now)
    is_new = known.doubted is None or now < known.doubted - TOLERANCE
    ran_seconds = 0.0 if is_new else known.ran_seconds + passed.total_seconds()
    if ran_seconds >= CONFIRMED_AFTER.total_seconds():
        return Known(now)
    return Known(expected, doubted=now, ran_seconds=ran_seconds)


def _newest(session: Session) -> datetime | None:
    """The newest time that gaia wrote into its database."""
    columns = (InboxRow.received_at, OutboxRow.created_at, JobRunRow.started_at)
    times = [session.scalar(select(func.max(column))) for column in columns]
    times.append(audit.newest(session))
    return max((time for time in times if time is not None), default=None)


def _in_words(known: Known) -> str:
    if known.doubted is None:
        return ""
    gap = known.doubted - known.at
    side = "ahead of" if gap > timedelta(0) else "behind"
    left = duration(CONFIRMED_AFTER.total_seconds() - known.ran_seconds)
    return (
        f"it is {duration(abs(gap).total_seconds())} {side} what it was when gaia ran last: "
        f"nothing is deleted by its age until it is right, or gaia has run for {left} more with it"
    )
