"""What the files of a home tell of a gaia that does not run: what waits for its next start."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from gaia.ops import report_parts as parts
from gaia.ops.report import QueueStatus, Report
from gaia.ops.status_text import Line, Tone, queue_lines
from gaia.ops.words import duration
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store import inbox, outbox
from gaia.store.migrations import HEAD
from gaia.store.opening import inspecting, read_revision


class RestingReport(Report):
    """The home of a gaia that does not run, as of `at`. `last_sign_at` is when it last wrote
    to its log. The queues are None where the database tells nothing of them."""

    running: bool = False
    error: str
    home: str
    at: datetime
    last_sign_at: datetime | None = None
    inbox: QueueStatus | None = None
    outbox: QueueStatus | None = None


async def resting_report(home: Home, clock: Clock, error: str) -> RestingReport:
    """The report; `error` says why there is none of a daemon. Nothing is written.

    Raises:
        StoreError: gaia.db cannot be read.
    """
    now = clock.now()
    waiting_in, waiting_out = await asyncio.to_thread(_queues, home, now)
    return RestingReport(
        error=error,
        home=str(home.root),
        at=now,
        last_sign_at=await asyncio.to_thread(_last_sign, home),
        inbox=waiting_in,
        outbox=waiting_out,
    )


def _queues(home: Home, now: datetime) -> tuple[QueueStatus | None, QueueStatus | None]:
    if read_revision(home.database) != HEAD:
        return None, None
    with inspecting(home.database) as connection, Session(connection) as session:
        return (
            parts.inbox_status(inbox.backlog(session), now),
            parts.outbox_status(outbox.backlog(session), now),
        )


def _last_sign(home: Home) -> datetime | None:
    try:
        return datetime.fromtimestamp((home.logs / "gaia.log").stat().st_mtime, UTC)
    except OSError:
        return None


def for_owner(report: RestingReport) -> Sequence[Line]:
    """The report in words."""
    return list(_lines(report))


def _lines(report: RestingReport) -> Iterator[Line]:
    yield Line("gaia", "does not run", Tone.BAD)
    yield Line("home", report.home)
    if report.last_sign_at is not None:
        quiet = duration(max((report.at - report.last_sign_at).total_seconds(), 0.0))
        yield Line("log", f"the last line was written {quiet} ago")
    if report.inbox is not None:
        yield from queue_lines("inbox", report.inbox, "unanswered")
    if report.outbox is not None:
        yield from queue_lines("outbox", report.outbox, "not delivered")
