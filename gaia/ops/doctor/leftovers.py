"""What a gaia that was killed has left lying about, and folders that somebody removed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from gaia.findings import Check, Finding, ok, warning
from gaia.ops.doctor import home as home_folder
from gaia.ops.doctor.daemon import Daemon
from gaia.paths import Home
from gaia.store.lock import DaemonLock

NAME = "leftovers"
PARTIAL = "*.partial"
"""What a backup is called until it is whole."""


def leftovers_check(home: Home, daemon: Daemon) -> Check:
    """The check of what may be cleared away. Nothing is, while a daemon runs."""

    async def look() -> Sequence[Finding]:
        runs = await daemon.runs()
        found = [*_missing_folders(home, runs=runs)]
        if not runs:
            found += [*_stale_socket(home), *_unfinished_backups(home)]
        return found or [ok("nothing lies about that is of no use")]

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
            f"{home.control_socket} is of a gaia that was killed",
            "Nothing needs to be done: the next start replaces it.",
            partial(_remove, home, [home.control_socket]),
        )


def _unfinished_backups(home: Home) -> Iterator[Finding]:
    if unfinished := sorted(home.backups.glob(PARTIAL)):
        yield warning(
            f"{unfinished[0]} is a backup that was not finished"
            + (f", and so are {len(unfinished) - 1} more" if len(unfinished) > 1 else ""),
            f"rm {home.backups}/{PARTIAL}",
            partial(_remove, home, unfinished),
        )


async def _remove(home: Home, paths: Sequence[Path]) -> str:
    """With the daemon's lock held: none starts meanwhile, and none that hung is overlooked.

    Raises:
        AlreadyRunningError: One runs after all.
    """
    with DaemonLock(home):
        for path in paths:
            path.unlink(missing_ok=True)
    return f"{paths[0]}{f' and {len(paths) - 1} more' if len(paths) > 1 else ''} is removed"
