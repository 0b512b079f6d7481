"""Whether backups are made, and whether the next one can be."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from sqlalchemy.orm import Session

from gaia.findings import Check, Finding, failed, ok, warning
from gaia.ops.backup.archives import Archive, archives_in, backup_folder
from gaia.ops.backup.backups import JOB, outdated_in
from gaia.ops.doctor import home as home_folder
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.schema import BackupSettings
from gaia.store import audit, job_runs
from gaia.store.audit import Forgotten
from gaia.store.job_runs import JobRun
from gaia.store.location import in_file
from gaia.store.migrations import HEAD
from gaia.store.opener import inspecting, read_revision
from gaia.text import duration

NAME = "backups"
OLD = timedelta(days=2)

ROOM = 2
"""While a backup is made there are two copies of the database beside it."""


@dataclass(frozen=True, slots=True)
class _Noted:
    """What the database tells: the last run of the job, and what was forgotten for good."""

    run: JobRun | None = None
    forgotten: Sequence[Forgotten] = ()


def backup_check(home: Home, settings: BackupSettings, clock: Clock) -> Check:
    """The check of the backups, needed or not."""

    look = partial(asyncio.to_thread, _look, home, settings, clock)
    return Check(NAME, look, needs=(home_folder.NAME, "database"))


def _read(home: Home) -> _Noted:
    if read_revision(home) != HEAD:
        return _Noted()
    with inspecting(home) as connection, Session(connection) as session:
        return _Noted(job_runs.get(session, JOB), audit.forgotten(session))


def _look(home: Home, settings: BackupSettings, clock: Clock) -> Sequence[Finding]:
    noted, now = _read(home), clock.now()
    folder = backup_folder(home, settings)
    archives = archives_in(folder)
    found = [
        *_outdated(outdated_in({home.backups, folder}, noted.forgotten, now)),
        *_ahead(archives, now),
    ]
    if settings.enabled:
        found += [*_place(home, folder), *_age(archives, noted.run, now)]
    return found or [ok(_well(archives, settings, now))]


def _outdated(held: Sequence[Archive]) -> Iterator[Finding]:
    if held:
        yield warning(
            f"{held[0].path} may contain what somebody asked to forget since"
            + (f", and so may {len(held) - 1} more" if len(held) > 1 else ""),
            "gaia removes such backups while it runs, once it has made a newer one.",
        )


def _ahead(archives: Sequence[Archive], now: datetime) -> Iterator[Finding]:
    ahead = [archive for archive in archives if archive.taken_at > now]
    if ahead:
        yield warning(
            f"{ahead[-1].path} is dated later than now"
            + (f", and so are {len(ahead) - 1} more" if len(ahead) > 1 else ""),
            "Set the clock if it is behind. If it was ahead then, 'gaia backup create' makes one "
            "that has its time, and the file may be removed.",
        )


def _place(home: Home, folder: Path) -> Iterator[Finding]:
    """What keeps the next backup from being made. Only the folder in the home is made."""
    place = home.root if folder == home.backups and not folder.exists() else folder
    if not place.is_dir():
        yield failed(f"there is no folder {folder}", "Make it, or mount its disk.")
        return
    if not in_file(home):
        # Its driver is an extra.
        from gaia.ops.backup.dumps import missing_program

        if missing := missing_program():
            yield failed(missing, "Debian and Ubuntu: apt install postgresql-client.")
    if not os.access(place, os.W_OK | os.X_OK):
        yield failed(f"{folder} is not writable by this user", "Fix its permissions.")
    needed = ROOM * home.database.stat().st_size if home.database.exists() else 0
    # The copies are made in the home.
    for where in {path.stat().st_dev: path for path in (home.root, place)}.values():
        if (free := shutil.disk_usage(where).free) < needed:
            yield warning(
                f"{free / 1e6:,.0f} MB are free on the disk of {where}, and a backup may need "
                f"{needed / 1e6:,.0f} MB",
                "Make room there, or set backup.folder to another disk.",
            )


def _age(archives: Sequence[Archive], run: JobRun | None, now: datetime) -> Iterator[Finding]:
    """Whether one is missing that should have been made."""
    if run is None or run.started_at is None:
        return
    newest = max((each.taken_at for each in archives if each.taken_at <= now), default=None)
    if run.error:
        yield warning(
            f"the last backup, {_ago(now - run.started_at)}, failed: {run.error}",
            "Fix that: gaia tries again each hour, and each night. 'gaia backup create' tries now.",
        )
    elif now - run.started_at <= OLD and (newest is None or now - newest > OLD):
        last = "there is no backup" if newest is None else f"the last one is {_ago(now - newest)}"
        yield warning(
            f"{last}, though one was made {_ago(now - run.started_at)}",
            "Find out what removes them. 'gaia backup create' makes a new one.",
        )


def _well(archives: Sequence[Archive], settings: BackupSettings, now: datetime) -> str:
    by_hand = "" if settings.enabled else ", made by hand only (backup.enabled is false)"
    if archives:
        last = _ago(now - archives[-1].taken_at)
        return f"{len(archives)}, the last one from {last}{by_hand}"
    if by_hand:
        return f"there is none{by_hand}"
    return f"none yet; the next at {settings.hour:02}:00 if gaia runs"


def _ago(age: timedelta) -> str:
    return f"{duration(age.total_seconds())} ago"
