"""Whether the databases can be read, are whole, and are of a version that gaia and ADK know.

They are opened for reading only, beside a daemon that may be writing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sqlalchemy import func, select, text

from gaia.errors import StoreError
from gaia.findings import Check, Finding, Heard, Mend, ok, warning
from gaia.ops.checkpoints import LONG_BYTES, MEGABYTE, wal_bytes
from gaia.ops.doctor import home as home_folder
from gaia.ops.doctor.daemon import Daemon
from gaia.paths import Home
from gaia.store.location import database_url, in_file
from gaia.store.lock import DaemonLock
from gaia.store.migrations import HEAD
from gaia.store.opener import inspecting, read_revision
from gaia.store.sqlite.database import SqliteDatabase
from gaia.store.sqlite.faults import damaged
from gaia.store.sqlite.file import holds_nothing, inspecting_file, read_file_revision
from gaia.store.tables import UserRow
from gaia.zones import is_utc, local_zone

JOURNALS = "journals"

WAL_MARK = b"\x02\x02"
"""The bytes 18 and 19 of a database in WAL mode, https://www.sqlite.org/fileformat2.html."""


def database_check(home: Home, heard: Heard) -> Check:
    """The check of the database, wherever it is. The time that a server has is `heard`."""
    look = partial(asyncio.to_thread, _look, home, heard)
    return Check("database", look, needs=(home_folder.NAME,))


def _look(home: Home, heard: Heard) -> Sequence[Finding]:
    url = database_url(home)
    if url is None:
        return _look_at_file(home.database)
    # Its driver is an extra.
    from gaia.ops.doctor.postgres import look_at

    return look_at(url, heard)


def _look_at_file(path: Path) -> Sequence[Finding]:
    revision = read_file_revision(path)
    if revision is None:
        return [ok(f"there is no {path.name} yet: the first start creates it")]
    _check_pages(path)
    if revision == HEAD:
        return [ok(f"{path.name} is intact, version {revision}")]
    return [
        ok(f"{path.name} is intact, of the older version {revision}: the next start migrates it")
    ]


def user_zones_check(home: Home) -> Check:
    """Whether reminders go by the zone of a machine in UTC, since nobody has told theirs."""
    return Check(
        "user time zones",
        partial(asyncio.to_thread, _look_at_zones, home),
        needs=("database",),
    )


def _look_at_zones(home: Home) -> Sequence[Finding]:
    if read_revision(home) != HEAD:
        return [ok("nobody has told theirs yet")]
    with inspecting(home) as connection:
        total, told = connection.execute(
            select(func.count(), func.count(UserRow.zone)).where(
                UserRow.removed_at.is_(None), UserRow.is_group.is_(False)
            )
        ).one()
    here = str(local_zone())
    if total and not told and is_utc(here):
        return [
            warning(
                "this machine is in UTC, and nobody has told their time zone: reminders go by UTC",
                "Run 'gaia users timezone NAME CITY', or send /timezone and your city.",
            )
        ]
    if not total:
        return [ok("there is nobody yet")]
    if told == total:
        return [ok("everybody has told theirs")]
    return [ok(f"{told} of {total} have told theirs; the rest go by {here}")]


def _check_pages(path: Path) -> None:
    """Look at every page, however large the file is.

    Raises:
        StoreError: The file is damaged, or cannot be read.
    """
    with inspecting_file(path) as connection:
        finding = connection.execute(text("PRAGMA quick_check(1)")).scalar_one()
    if finding != "ok":
        raise StoreError(damaged(path, finding))


def journals_check(home: Home, daemon: Daemon, *, long: int = LONG_BYTES) -> Check:
    """The check of the database's log; `long` is in bytes."""

    async def look() -> Sequence[Finding]:
        path = home.database
        if not in_file(home):
            return [ok("PostgreSQL looks after its own")]
        if holds_nothing(path):
            return [ok("there is none")]
        mend = None if await daemon.runs() else partial(_empty_journal, home, path)
        return [await asyncio.to_thread(_look_at_journal, path, long, mend)]

    return Check(JOURNALS, look, needs=("database",))


def _look_at_journal(path: Path, long: int, mend: Mend | None) -> Finding:
    with path.open("rb") as file:
        file.seek(18)
        is_wal = file.read(2) == WAL_MARK
    if not is_wal:
        detail = f"{path.name} has no write-ahead log: readers and writers wait for each other"
        return warning(detail, "Restart gaia: it switches that on when it starts.", mend)
    size = wal_bytes(path)
    if size > long:
        detail = f"the write-ahead log of {path.name} has {size / MEGABYTE:,.0f} MB"
        remedy = "Stop the program that keeps reading the database, then restart gaia."
        return warning(detail, remedy, mend)
    return ok(f"the write-ahead log is short: {size / MEGABYTE:,.1f} MB")


async def _empty_journal(home: Home, path: Path) -> str:
    """With the daemon's lock held, so that none starts meanwhile.

    Raises:
        AlreadyRunningError: One runs after all.
    """
    with DaemonLock(home):
        database = SqliteDatabase(path)
        try:
            is_empty = await database.checkpoint()
        finally:
            await database.close()
    if not is_empty:
        raise BlockingIOError(0, f"another process reads {path.name}")
    return f"the write-ahead log of {path.name} is empty now"
