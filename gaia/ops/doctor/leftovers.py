"""What a gaia that was killed has left lying about, and folders that somebody removed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from gaia.findings import Check, Finding, ok, warning
from gaia.ops.backup.archives import unfinished_in
from gaia.ops.backup.staging import STAGING, backup_lock, clear_leftovers, clear_unfinished
from gaia.ops.doctor import home as home_folder
from gaia.ops.doctor.daemon import Daemon
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store.lock import DaemonLock

NAME = "leftovers"
ABANDONED = timedelta(hours=1)
"""Nothing is written to a backup for so long that is still being made."""


def leftovers_check(home: Home, daemon: Daemon, clock: Clock) -> Check:
    """The check of what may be cleared away."""

    async def look() -> Sequence[Finding]:
        runs = await daemon.runs()
        found = [*_missing_folders(home, runs=runs), *_unfinished_backups(home, clock.now())]
        if not runs:
            found += _stale_socket(home)
        return found or [ok("no leftover files")]

    return Check(NAME, look, needs=(home_folder.NAME,))


def _missing_folders(home: Home, *, runs: bool) -> Iterator[Finding]:
    """The daemon makes them when it starts, and misses them when they go later."""
    if runs:
        for folder in (home.logs, home.models):
            if not folder.exists():
                yield warning(
                    f"the folder {folder} is gone",
                    f"mkdir -m 700 {folder}",
                    partial(_make, folder),
                )


async def _make(folder: Path) -> str:
    await asyncio.to_thread(folder.mkdir, 0o700, exist_ok=True)
    return f"{folder} is there again"


def _stale_socket(home: Home) -> Iterator[Finding]:
    if home.control_socket.exists():
        yield warning(
            f"{home.control_socket} belongs to a gaia that was killed",
            "Nothing to do: the next start replaces it.",
            partial(_remove_socket, home),
        )


async def _remove_socket(home: Home) -> str:
    """With the daemon's lock held: none starts meanwhile, and one that hangs is noticed.

    Raises:
        AlreadyRunningError: One runs after all.
    """
    with DaemonLock(home):
        await asyncio.to_thread(home.control_socket.unlink, missing_ok=True)
    return f"{home.control_socket} is removed"


def _unfinished_backups(home: Home, now: datetime) -> Iterator[Finding]:
    left = [
        path for path in (home.backups / STAGING, *unfinished_in(home.backups)) if path.exists()
    ]
    left += home.unfinished_restores()
    if left and all(_age(path, now) > ABANDONED for path in left):
        which = left[0] if len(left) == 1 else f"{left[0]} and {len(left) - 1} more"
        yield warning(
            f"{which}: left over from an unfinished backup or restore",
            "Nothing to do: the next backup removes it.",
            partial(_clear_backups, home),
        )


def _age(path: Path, now: datetime) -> timedelta:
    return now - datetime.fromtimestamp(path.stat().st_mtime, UTC)


async def _clear_backups(home: Home) -> str:
    """With the lock of backups held.

    Raises:
        BackupBusyError: One is being made after all.
    """
    with backup_lock(home):
        await asyncio.to_thread(clear_leftovers, home)
        await asyncio.to_thread(clear_unfinished, home.backups)
    return f"{home.backups} holds complete backups only"
