"""The backups of a gaia that runs: one each night, and none that holds what was forgotten."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from gaia.core.workers import Workers
from gaia.current import Current
from gaia.errors import BackupBusyError, GaiaError
from gaia.ops.backup.archives import archives_in, backup_folder
from gaia.ops.backup.encryption import known_passphrase
from gaia.ops.backup.keeping import outlived
from gaia.ops.backup.outdated import make_nightly, replace_outdated
from gaia.paths import Home
from gaia.ports import Clock
from gaia.schedule.jobs import Daily, Job
from gaia.settings.schema import BackupSettings, Settings
from gaia.store.engine import Database

logger = logging.getLogger(__name__)

BUSY_PAUSE = timedelta(seconds=5)
FAILED_PAUSE = timedelta(hours=1)

JOB = "backup"
"""The name of the job in the ledger of runs."""

THE_ONE = 0
"""The number of the one worker: a home has one folder of backups."""


class Backups:
    """Makes the nightly backups, and removes those that are not to be kept."""

    def __init__(
        self,
        *,
        home: Home,
        database: Database,
        settings: Current[Settings],
        passphrase: Callable[[], str | None],
        clock: Clock,
    ) -> None:
        self._home = home
        self._database = database
        self._settings = settings
        self._passphrase = passphrase
        self._clock = clock
        self._workers = Workers("backups", self._replace_outdated, clock)

    def wake(self) -> None:
        """Say that something was forgotten for good, and at start, that it may have been."""
        self._workers.wake(THE_ONE)

    async def cancel(self) -> None:
        """Interrupt what is done for the forgotten: the next start takes it up."""
        await self._workers.cancel()

    async def run_nightly(self) -> None:
        """Make a backup, verify it, and remove those whose time is over.

        Raises:
            GaiaError: It cannot be made, or it is not what was written. None is removed.
        """
        settings = self._settings.now.backup
        if not settings.enabled:
            return
        made = await make_nightly(self._home, settings, self._passphrase(), self._clock, runs=True)
        logger.info("backup %s is made and verified", made.path.name)
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
                self._settings.now.backup,
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


def build_backups(
    home: Home, database: Database, settings: Current[Settings], clock: Clock
) -> Backups:
    """The backups of a home, encrypted with the passphrase that is set when one is made."""
    return Backups(
        home=home,
        database=database,
        settings=settings,
        passphrase=partial(known_passphrase, home),
        clock=clock,
    )


def build_backup_job(backups: Backups, settings: BackupSettings) -> Job:
    """The job of the night."""
    return Job(JOB, Daily(settings.hour), backups.run_nightly)
