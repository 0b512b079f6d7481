"""Backups that still hold what was forgotten since, and so have to go.

An archive cannot be cleaned: it is compressed, and may be encrypted. So once something was
forgotten for good, a fresh one is made and verified, and all older ones in the folder of
backups are removed, whoever made them. Copies that were carried elsewhere are their owner's
to remove.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path

from gaia.errors import GaiaError
from gaia.ops.backup.archives import Archive, archives_in, backup_folder
from gaia.ops.backup.encryption import known_passphrase
from gaia.ops.backup.making import Made, Wanted, make_backup
from gaia.ops.backup.staging import backup_lock, clear_leftovers, clear_unfinished, unwritable
from gaia.ops.backup.verifying import verify_backup
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.load import load_settings
from gaia.settings.schema import BackupSettings
from gaia.store import audit
from gaia.store.engine import Database

logger = logging.getLogger(__name__)


async def make_nightly(
    home: Home, settings: BackupSettings, passphrase: str | None, clock: Clock, *, runs: bool
) -> Made:
    """Make a backup as gaia does by itself, and verify it. One that does not verify goes.

    Raises:
        GaiaError: It cannot be made, or it is not what was written.
    """
    wanted = Wanted(
        to=backup_folder(home, settings), nightly=True, passphrase=passphrase, while_running=runs
    )
    made = await make_backup(home, wanted, clock)
    try:
        await verify_backup(made.path, passphrase)
    except GaiaError:
        made.path.unlink(missing_ok=True)
        raise
    return made


async def replace_outdated(
    home: Home,
    database: Database,
    settings: BackupSettings,
    passphrase: str | None,
    clock: Clock,
    *,
    runs: bool,
) -> None:
    """Remove the backups that hold what was forgotten, once there is one that does not; at
    once where gaia makes none. Idempotent. `runs` says that this is the daemon.

    Raises:
        BackupBusyError: A backup is being made: it may be one of those.
        GaiaError: The fresh one cannot be made.
    """
    since = await database.read(audit.last_forgotten)
    folders = {home.backups, backup_folder(home, settings)}
    if since is None or not await asyncio.to_thread(_outdated_alone, home, folders, since):
        return
    fresh = any(
        archive.is_nightly and archive.taken_at > since
        for archive in archives_in(backup_folder(home, settings))
    )
    spared = None
    if settings.enabled and not fresh:
        spared = (await make_nightly(home, settings, passphrase, clock, runs=runs)).path
    removed = await asyncio.to_thread(_remove_outdated, home, folders, since, spared)
    logger.info("%d backups held what was forgotten since, and are removed", removed)


async def replace_outdated_apart(home: Home, database: Database, clock: Clock) -> bool:
    """The same where no daemon runs to do it; returns whether it is done. If not, the next
    start does it."""
    try:
        backup = load_settings(home).settings.backup
        await replace_outdated(home, database, backup, known_passphrase(home), clock, runs=False)
    except GaiaError as exc:
        logger.warning("backups still hold what was forgotten: %s", exc)
        return False
    return True


def outdated_in(folders: Collection[Path], since: datetime) -> Sequence[Archive]:
    """The archives in the folders that may hold what was forgotten up to then."""
    return [each for folder in folders for each in archives_in(folder) if each.taken_at <= since]


def _outdated_alone(home: Home, folders: Collection[Path], since: datetime) -> Sequence[Archive]:
    """What is outdated, found while no backup is being made. What a killed process left
    unfinished goes."""
    if not home.backups.is_dir():
        return []
    with backup_lock(home):
        clear_leftovers(home)
        for folder in folders:
            clear_unfinished(folder)
        return outdated_in(folders, since)


def _remove_outdated(
    home: Home, folders: Collection[Path], since: datetime, spared: Path | None
) -> int:
    with backup_lock(home):
        going = [each for each in outdated_in(folders, since) if each.path != spared]
        for archive in going:
            try:
                archive.path.unlink(missing_ok=True)
            except OSError as exc:
                raise unwritable(archive.path.parent, exc) from exc
    return len(going)
