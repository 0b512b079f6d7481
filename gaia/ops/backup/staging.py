"""The place in which a backup is put together: in the home, and for one at a time.

It holds copies of the databases, so it lies where nobody else looks, and is removed
whatever happens. What a process left of it that was killed is removed by the next one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gaia.errors import BackupBusyError, BackupError
from gaia.files import lock
from gaia.ops.backup.archives import unfinished_in
from gaia.paths import Home

LOCK = ".lock"
STAGING = ".staging"


@contextmanager
def backup_lock(home: Home) -> Iterator[None]:
    """Be the only one who makes or removes backups of the home, also among processes.

    Raises:
        BackupBusyError: Another one is.
        BackupError: The folder cannot be written to.
    """
    try:
        home.backups.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = lock(home.backups / LOCK)
    except BlockingIOError as exc:
        raise BackupBusyError(
            f"another backup of {str(home.root)!r} is being made: try again when it is done"
        ) from exc
    except OSError as exc:
        raise unwritable(home.backups, exc) from exc
    try:
        yield
    finally:
        os.close(handle)


@contextmanager
def staging(home: Home) -> Iterator[Path]:
    """An empty folder to put a backup together in, and the lock for it.

    Raises:
        BackupBusyError: Another backup is being made.
        BackupError: The folder cannot be written to.
    """
    with backup_lock(home):
        clear_leftovers(home)
        folder = home.backups / STAGING
        try:
            folder.mkdir(mode=0o700)
        except OSError as exc:
            raise unwritable(home.backups, exc) from exc
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def clear_leftovers(home: Home) -> None:
    """Remove what was copied for a backup that was never finished. Needs the lock."""
    shutil.rmtree(home.backups / STAGING, ignore_errors=True)


def clear_unfinished(folder: Path) -> None:
    """Remove archives that were never finished. Needs the lock."""
    for path in unfinished_in(folder):
        path.unlink(missing_ok=True)


def unwritable(path: Path, exc: OSError) -> BackupError:
    """The error for a place that a backup cannot be written to."""
    return BackupError(
        f"{str(path)!r} cannot be written ({exc.strerror or exc}): make room on its disk, make "
        "it writable by this user, or name another place (backup.folder, or --to)"
    )
