"""The backups of a gaia that runs: one each night, and none that holds what was forgotten.

An archive cannot be cleaned: it is compressed, and may be encrypted. So once something was
forgotten for good, a fresh one is made and verified, and all older ones in the folder of
backups are removed, whoever made them. Copies that were carried elsewhere are their owner's
to remove.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from gaia.core.shares import ALL, Share
from gaia.core.workers import Workers
from gaia.errors import BackupBusyError, GaiaError
from gaia.ops.backup.archives import Archive, archives_in, backup_folder, outlived
from gaia.ops.backup.create import Made, Wanted, make_backup
from gaia.ops.backup.encryption import known_passphrase
from gaia.ops.backup.staging import backup_lock, clear_leftovers, clear_unfinished, unwritable
from gaia.ops.backup.verify import verify_backup
from gaia.paths import Home
from gaia.ports import Clock
from gaia.schedule.jobs import Daily, Job
from gaia.settings.load import load_settings
from gaia.settings.schema import BackupSettings, Settings
from gaia.store import audit
from gaia.store.audit import Forgotten
from gaia.store.engine import Database
from gaia.store.location import database_url
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)
BUSY_PAUSE = timedelta(seconds=5)
FAILED_PAUSE = timedelta(hours=1)

JOB = "backup"
"""The name of the job in the ledger of runs."""

THE_ONE = 0
"""The number of the one worker: a home has one folder of backups."""


class Backups:
    """Makes the nightly backups, and removes those that are not to be kept. `passphrase` is asked
    for each, and `doubt_clock` why the clock is not to be trusted, if it is not."""

    def __init__(
        self,
        *,
        home: Home,
        database: Database,
        settings: Swappable[Settings],
        passphrase: Callable[[], str | None],
        clock: Clock,
        doubt_clock: Callable[[], Awaitable[str]],
        share: Share[object] = ALL,
    ) -> None:
        self._doubt_clock = doubt_clock
        self._home = home
        self._database = database
        self._settings = settings
        self._passphrase = passphrase
        self._clock = clock
        self._workers: Workers[int] = Workers("backups", self._replace_outdated, clock, share)

    def wake(self) -> None:
        """Say that something was forgotten for good, and at start, that it may have been."""
        self._workers.wake(THE_ONE)

    async def interrupt(self) -> None:
        """Leave what is under way to another process, which leads from now on."""
        await self._workers.interrupt()

    async def cancel(self) -> None:
        """Interrupt what is done for the forgotten: the next start takes it up."""
        await self._workers.cancel()

    async def run_nightly(self) -> None:
        """Make a backup, verify it, and remove those whose time is over, unless the clock is
        doubted.

        Raises:
            GaiaError: It cannot be made, or it is not what was written. None is removed.
        """
        settings = self._settings.value.backup
        if not settings.enabled:
            return
        made = await make_nightly(self._home, settings, self._passphrase(), self._clock, runs=True)
        logger.info("backup %s is made and verified", made.path.name)
        if doubt := await self._doubt_clock():
            logger.warning("no backup is removed, the clock is doubted: %s", doubt)
        else:
            await asyncio.to_thread(self._remove_outlived, settings)
        self.wake()

    def _remove_outlived(self, settings: BackupSettings) -> None:
        archives = archives_in(backup_folder(self._home, settings))
        for archive in outlived(archives, settings, self._clock.now()):
            archive.path.unlink(missing_ok=True)
            logger.info("backup %s is old, and is removed", archive.path.name)

    async def _replace_outdated(self, _: int) -> timedelta | None:
        try:
            await replace_outdated(
                self._home,
                self._database,
                self._settings.value.backup,
                self._passphrase(),
                self._clock,
                runs=True,
            )
        except BackupBusyError:
            return BUSY_PAUSE
        except GaiaError as exc:
            logger.error("backups still hold what was forgotten: %s", exc)
            return FAILED_PAUSE
        return None


def build_backup_job(backups: Backups, settings: BackupSettings) -> Job:
    """The job of the night."""
    return Job(JOB, Daily(settings.hour), backups.run_nightly)


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
        verified = await verify_backup(made.path, passphrase, server=database_url(home))
    except GaiaError:
        made.path.unlink(missing_ok=True)
        raise
    if verified.untried:
        logger.warning(
            "backup %s was not restored for a trial: %s", made.path.name, verified.untried
        )
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
    forgotten = await database.read(audit.forgotten)
    folders = {home.backups, backup_folder(home, settings)}
    outdated = partial(outdated_in, folders, forgotten, clock.now())
    if not forgotten or not (held := await asyncio.to_thread(_alone, home, folders, outdated)):
        return
    fresh = any(
        archive.is_nightly and archive not in held
        for archive in archives_in(backup_folder(home, settings))
    )
    spared = None
    if settings.enabled and not fresh:
        spared = (await make_nightly(home, settings, passphrase, clock, runs=runs)).path
    removed = await asyncio.to_thread(_remove, home, outdated, spared)
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


def outdated_in(
    folders: Collection[Path], forgotten: Sequence[Forgotten], now: datetime
) -> Sequence[Archive]:
    """The archives in the folders that may hold what was forgotten.

    Their marks tell; the clock only of those that have none which this database knows. Of them
    one that was made while the clock was ahead may hold what was forgotten since.
    """
    if not forgotten:
        return []
    last, marks = forgotten[-1], {each.mark for each in forgotten}
    return [
        each
        for folder in folders
        for each in archives_in(folder)
        if (
            each.forgotten != last.mark
            if each.forgotten in marks
            else each.taken_at <= last.at or last.at <= now < each.taken_at
        )
    ]


def _alone(
    home: Home, folders: Collection[Path], outdated: Callable[[], Sequence[Archive]]
) -> Sequence[Archive]:
    """What is outdated, found while no backup is being made. What a killed process left
    unfinished goes."""
    if not any(folder.is_dir() for folder in folders):
        return []
    with backup_lock(home):
        clear_leftovers(home)
        for folder in folders:
            clear_unfinished(folder)
        return outdated()


def _remove(home: Home, outdated: Callable[[], Sequence[Archive]], spared: Path | None) -> int:
    with backup_lock(home):
        going = [each for each in outdated() if each.path != spared]
        for archive in going:
            try:
                archive.path.unlink(missing_ok=True)
            except OSError as exc:
                raise unwritable(archive.path.parent, exc) from exc
    return len(going)
