"""Restores a backup in the place of a home, which is moved aside and kept.

What no backup has goes along: the backups themselves, the models, and the keys and tokens
where the backup is without. Where the restore fails, all is as before.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gaia.errors import BackupError
from gaia.ops.backup.archives import Progress
from gaia.ops.backup.restore import Restored, restore_backup
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store.location import database_url
from gaia.store.lock import DaemonLock


@dataclass(frozen=True, slots=True)
class Replaced:
    """What was restored, and where the home before it is now; None where there was none."""

    restored: Restored
    aside: Path | None


async def replace_home(
    path: Path, passphrase: str | None, home: Home, clock: Clock, progress: Progress | None = None
) -> Replaced:
    """Restore a backup in the place of the home, of which it may be a file.

    Raises:
        AlreadyRunningError: gaia runs there.
        BackupDamagedError, PassphraseError: As of `restore_backup`; all is as before.
        BackupError: The home cannot be moved aside, or as of `restore_backup`.
        SettingsError: The settings may name a database, and something in them is wrong.
    """
    # Once it is moved, its settings name none.
    server = database_url(home)
    restoring = partial(restore_backup, passphrase=passphrase, home=home, clock=clock)
    if not home.root.exists() or not any(home.root.iterdir()):
        restored = await restoring(path, progress=progress, server=server, replace=True)
        return Replaced(restored, None)
    with DaemonLock(home):
        root, aside = _move_aside(home, f"{clock.now():%Y-%m-%dT%H%M%S}")
        path = _where_it_is_now(path, root, aside)
        try:
            restored = await restoring(path, progress=progress, server=server, replace=True)
        except BaseException:
            # Until all of it is in place there is nothing at all.
            if not root.exists():
                aside.rename(root)
            raise
        _take_along(Home(aside), home, with_secrets=restored.manifest.with_secrets)
    return Replaced(restored, aside)


def _move_aside(home: Home, time: str) -> tuple[Path, Path]:
    """Move the home beside itself; returns where it was, and where it is."""
    root = home.root.resolve()
    if os.path.ismount(root):
        raise BackupError(
            f"{str(home.root)!r} is a disk of its own and cannot be moved aside: move what is in "
            "it away by hand, and restore without --replace"
        )
    aside = root.with_name(f"{root.name}.before-{time}")
    if aside.exists():
        raise BackupError(f"{str(aside)!r} is there already: try again in a second")
    try:
        root.rename(aside)
    except OSError as exc:
        raise BackupError(
            f"{str(home.root)!r} cannot be moved aside ({exc.strerror}): move what is in it away "
            "by hand, and restore without --replace"
        ) from exc
    return root, aside


def _where_it_is_now(path: Path, root: Path, aside: Path) -> Path:
    """A file, which was moved if it was in the home."""
    before = path.parent.resolve() / path.name if not path.exists() else path.resolve()
    return aside / before.relative_to(root) if before.is_relative_to(root) else path


def _take_along(before: Home, home: Home, *, with_secrets: bool) -> None:
    for old, new in ((before.backups, home.backups), (before.models, home.models)):
        if old.is_dir() and not new.exists():
            old.rename(new)
    if not with_secrets and before.env_file.is_file() and not home.env_file.exists():
        shutil.copy2(before.env_file, home.env_file)
