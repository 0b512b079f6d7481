"""Takes up changed settings while gaia runs, or keeps those that it has.

What is wrong in the files never stops a running daemon: the last good settings hold, and
the log, the status and the audit say what is wrong.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from sqlalchemy.orm import Session

from gaia.app.apply import SettingsApplier
from gaia.errors import GaiaError, SettingsError
from gaia.ops.service.watchdog import ServiceManager
from gaia.ops.status import SettingsState
from gaia.ops.wire import ReloadReport, reported
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings import load
from gaia.settings.changes import Change, differences
from gaia.settings.load import LoadedSettings, load_settings
from gaia.settings.watch import Watch
from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.engine import Database
from gaia.text import cut

logger = logging.getLogger(__name__)

ENDING = "gaia is about to end: its next start takes up what stands in the files"

AUDITED_CHARACTERS = 2_000
SHOWN_CHARACTERS = 60


class ConfigReloader:
    """Reloads when the files change, when it is told to, and never twice at once.

    `watch` knows what stood in the files when the present settings were read.
    """

    def __init__(
        self,
        home: Home,
        applier: SettingsApplier,
        state: SettingsState,
        database: Database,
        clock: Clock,
        manager: ServiceManager,
        watch: Watch,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`changed` is called when a reload has changed something."""
        self._home = home
        self._applier = applier
        self._state = state
        self._database = database
        self._clock = clock
        self._manager = manager
        self._watch = watch
        self._changed = changed
        self._one_at_once = asyncio.Lock()
        self._is_over = False

    @property
    def loaded(self) -> LoadedSettings:
        """The settings that hold."""
        return self._applier.loaded

    async def watch(self) -> None:
        """Reload whenever the files say something else, until cancelled."""
        async for _ in self._watch.changes():
            await self.reload("the files changed")

    async def reload(self, cause: str) -> ReloadReport:
        """Take up what stands in the files."""
        async with self._one_at_once:
            if self._is_over:
                return ReloadReport(problem=ENDING)
            logger.info("the settings are read again: %s", cause)
            return await self._reload()

    @asynccontextmanager
    async def put_off(self) -> AsyncIterator[None]:
        """What is asked for within the block is done after it."""
        async with self._one_at_once:
            yield

    def stop(self) -> None:
        """Take up nothing from now on."""
        self._is_over = True

    async def ended(self) -> None:
        """Return when nothing is being taken up."""
        async with self._one_at_once:
            return

    async def _reload(self) -> ReloadReport:
        try:
            changes = await self.take_up()
        except GaiaError as exc:
            return await self._refused(exc)
        if changes:
            self._changed()
        return ReloadReport(changes=reported(changes))

    async def take_up(self) -> Sequence[Change]:
        """Have what stands in the files hold, within `put_off`.

        Raises:
            GaiaError: It cannot; what held before does.
        """
        self.seen()
        with self._manager.reloading():
            try:
                # A large file takes seconds, and people are to be answered meanwhile.
                loaded = await asyncio.to_thread(load_settings, self._home)
                changes = await self._applier.change(loaded)
            except GaiaError:
                raise
            except Exception as exc:
                logger.exception("changing the settings failed")
                words = f"changing them failed ({type(exc).__name__}): see the log"
                raise SettingsError(words) from exc
            await self._hold(loaded, changes)
        return changes

    def seen(self) -> None:
        """Take what stands in the files now as known."""
        self._watch.seen()

    def is_settled(self) -> bool:
        """Whether gaia runs with what stands in the files, and goes on to. Blocks."""
        report = self.differences()
        return not (self._is_over or report.problem or report.changes)

    async def refuse(self, problem: str) -> None:
        """Say that what others have changed does not hold here."""
        logger.error("settings of others are not taken up: %s", problem)
        await self._record(Action.CONFIG_REFUSED, problem)

    def differences(self) -> ReloadReport:
        """What a reload would change."""
        try:
            changes = differences(self._applier.loaded, load_settings(self._home))
        except SettingsError as exc:
            return ReloadReport(problem=str(exc))
        return ReloadReport(changes=reported(changes))

    async def _refused(self, error: GaiaError) -> ReloadReport:
        logger.error("the settings stay as they were: %s", error)
        mistakes = error if isinstance(error, SettingsError) else SettingsError(str(error))
        problem = load.problem_of(mistakes, self._home.settings_file)
        if problem != self._state.health().detail:
            await self._record(Action.CONFIG_REFUSED, problem)
        self._state.refused(problem)
        return ReloadReport(problem=str(error))

    async def _hold(self, loaded: LoadedSettings, changes: Sequence[Change]) -> None:
        self._state.loaded(self._clock.now())
        try:
            load.keep(self._home, loaded)
        except GaiaError as exc:
            logger.warning("%s", exc)
        for warning in loaded.warnings:
            logger.warning("%s", warning)
        if not changes:
            logger.info("no setting is another one")
            return
        words = [_describe(each) for each in changes]
        logger.info("settings changed: %s", "; ".join(words))
        await self._record(Action.CONFIGURED, "; ".join(words))

    async def _record(self, action: Action, detail: str) -> None:
        try:
            await self._database.write(self._write_down, action, detail)
        except GaiaError:
            logger.exception("a change of the settings could not be recorded")

    def _write_down(self, session: Session, action: Action, detail: str) -> None:
        audit.record(
            session,
            action,
            at=self._clock.now(),
            by=audit.GAIA,
            detail=cut(detail, AUDITED_CHARACTERS),
        )


def _describe(change: Change) -> str:
    if change.is_secret:
        return f"{change.key} is {change.after}"
    return f"{change.key}: {_short(change.before)} is now {_short(change.after)}"


def _short(value: object) -> str:
    return cut(json.dumps(value, ensure_ascii=False), SHOWN_CHARACTERS)
