"""Restores a backup in the place of a home, which is moved aside and kept.

What no backup has goes along: the backups themselves, the models, the keys and tokens where
the backup is without, and which files memories were exported to since. Where the restore fails,
all is as before.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gaia.errors import BackupError, SettingsError
from gaia.ops import exports
from gaia.ops.backup.archives import Progress, archives_in, backup_folder
from gaia.ops.backup.restore import Restored, restore_backup
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.load import load_settings
from gaia.store.lock import DaemonLock

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Replaced:
    """What was restored, and where the home before it is now; None where there was none."""

    restored: Restored
    aside: Path | None


async def replace_home(
    path: Path, passphrase: str | None, home: Home, clock: Clock, progress: Progress | None = None
) -> Replaced:
    """Restore a backup in the place of the home, of which it may be a file. The home stays where
    it is until all else is done.

    Raises:
        AlreadyRunningError: gaia runs there.
        BackupDamagedError, PassphraseError: As of `restore_backup`; all is as before.
        BackupError: The home cannot be moved aside, or as of `restore_backup`.
        SettingsError: The settings may name a database, and something in them is wrong.
    """
    home = Home(home.root.resolve())
    restoring = partial(restore_backup, path, passphrase, home, clock, progress, replace=True)
    if not home.root.exists() or not any(home.root.iterdir()):
        return Replaced(await restoring(), None)
    root = home.root
    aside = root.with_name(f"{home.before_prefix}{clock.now():%Y-%m-%dT%H%M%S}")
    _require_movable(root, aside)
    with DaemonLock(home):
        restored = await restoring(making_way=partial(_making_way, root, aside))
    return Replaced(restored, aside)


def _require_movable(root: Path, aside: Path) -> None:
    if os.path.ismount(root):
        why = "is a disk of its own and"
    elif not os.access(root.parent, os.W_OK | os.X_OK):
        why = "is in a folder that this user may not write to and"
    elif aside.exists():
        raise BackupError(f"{str(aside)!r} is there already: try again in a second")
    else:
        return
    raise BackupError(
        f"{str(root)!r} {why} cannot be moved aside: move what is in it away by hand, and restore "
        "without --replace"
    )


@contextmanager
def _making_way(root: Path, aside: Path, there: Home) -> Iterator[None]:
    """Move the home aside while the one that lies ready takes its place, and back where that
    fails. What is copied is copied before, what is moved is moved once both stand."""
    before = Home(root)
    places = [before.models, before.backups, *_backup_folders(before, there)]
    going_along = [place.relative_to(root) for place in places if place.is_relative_to(root)]
    try:
        if before.env_file.is_file() and not there.env_file.exists():
            shutil.copy2(before.env_file, there.env_file)
        exports.add_those_of(before, there)
        root.rename(aside)
    except OSError as exc:
        raise BackupError(
            f"{str(root)!r} cannot be moved aside ({exc.strerror}): move what is in it away "
            "by hand, and restore without --replace"
        ) from exc
    try:
        yield
    except BaseException as exc:
        if root.exists():
            raise BackupError(
                f"something came to {str(root)!r} while it was restored: what was there before is "
                f"in {str(aside)!r}; stop what writes there, remove it and move that back"
            ) from exc
        aside.rename(root)
        raise
    for place in going_along:
        _take_along(aside / place, root / place)


def _backup_folders(before: Home, there: Home) -> Iterator[Path]:
    """Where the settings, those of before and the restored ones, have the backups."""
    for home in (before, there):
        # Whoever starts next is told what is wrong with them.
        with suppress(SettingsError):
            folder = backup_folder(before, load_settings(home).settings.backup)
            yield folder.parent.resolve() / folder.name


def _take_along(old: Path, new: Path) -> None:
    """Move a folder, or the backups in it where there is such a folder; what cannot be moved
    stays with the home before."""
    try:
        if not old.is_dir():
            return
        if not new.exists():
            new.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            old.rename(new)
            return
        for archive in archives_in(old):
            if not (new / archive.path.name).exists():
                archive.path.rename(new / archive.path.name)
    except (OSError, BackupError) as exc:
        logger.warning("%s cannot be moved to %s (%s): move it by hand", old, new, exc)
