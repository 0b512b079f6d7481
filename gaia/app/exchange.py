"""Shares changed settings with the other processes on the same database: those of the own
gaia.yaml are told to them, and theirs are written into the own one and taken up.

Nothing is exchanged while the files say something else than what gaia runs with: a file may be
half written, or have a mistake. One that is gone or empty tells nothing, for a home that is being
removed would have all others go back to their defaults.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from gaia.app import start
from gaia.app.reload import ConfigReloader
from gaia.clock import until_set
from gaia.errors import GaiaError, HomeError, SettingsError
from gaia.ops.setup.answers import Changes
from gaia.ops.setup.files import put, read, write
from gaia.ops.status import SettingsState
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.agreement import (
    Position,
    ToldValue,
    Values,
    keep_position,
    read_position,
    shared_values,
)
from gaia.settings.keys import show_value
from gaia.store.engine import Database
from gaia.store.processes import shared_settings

if TYPE_CHECKING:
    from gaia.store.processes.membership import Membership

logger = logging.getLogger(__name__)

AGAIN_SECONDS = 5.0
"""How long what the files say is left to be taken up, or mended, before it is looked again."""


class SettingsExchange:
    """Shares settings whenever `wanted` is set."""

    def __init__(
        self,
        home: Home,
        reloader: ConfigReloader,
        state: SettingsState,
        database: Database,
        membership: Membership,
        clock: Clock,
        wanted: asyncio.Event,
    ) -> None:
        self._home = home
        self._reloader = reloader
        self._state = state
        self._database = database
        self._member = membership
        self._clock = clock
        self._wanted = wanted
        self._position: Position | None = None
        self._problems: Mapping[str, str] = {}

    async def run(self) -> None:
        """Share until cancelled, at first what was changed while gaia did not run.

        Raises:
            StoreError: The database does not answer.
        """
        self._position = self._position or await asyncio.to_thread(self._read)
        while True:
            self._wanted.clear()
            if await self.share():
                await self._wanted.wait()
            else:
                await until_set(self._clock, AGAIN_SECONDS, self._wanted)

    async def share(self) -> bool:
        """Tell the others what was changed here, and take up what they have told; returns
        whether it was the time for that.

        Raises:
            StoreError: The database does not answer.
        """
        async with self._reloader.put_off():
            if not await asyncio.to_thread(self._reloader.is_settled):
                return False
            loaded = self._reloader.loaded
            present = shared_values(loaded)
            if self._position and self._position.values != present and not loaded.text.strip():
                return False
            member = self._member
            due = await self._database.write(
                shared_settings.exchange, present, self._position, member.process_id, member.name
            )
            if due.tell:
                logger.info("the other processes are told to set %s", _list(due.tell))
            await self._keep(due.position)
            if due.take or self._problems:
                await self._take_up(due.take, due.position)
            return True

    async def _take_up(self, told: Sequence[ToldValue], position: Position) -> None:
        before, self._problems = self._problems, await self._take(told) if told else {}
        for problem in dict.fromkeys(self._problems.values()):
            if problem not in before.values():
                await self._reloader.refuse(problem)
        self._state.differ(" ".join(dict.fromkeys(self._problems.values())))
        left = {key: position.left[key] for key in self._problems}
        await self._keep(Position(position.seen, shared_values(self._reloader.loaded), left))

    async def _take(self, told: Sequence[ToldValue]) -> Mapping[str, str]:
        """Take up what was told, as much of it as can be; returns why not, by key."""
        values = {each.key: each.value for each in told}
        names = " and ".join(sorted({each.told_by for each in told}))
        try:
            await self._write(values)
        except HomeError as exc:
            remedy = f"Set it there, or make the file writable: {exc}"
        except GaiaError as exc:
            parts = [list(part) for _, part in groupby(told, lambda each: each.number)]
            if len(parts) > 1:
                found = [await self._take(part) for part in parts]
                return {key: why for each in found for key, why in each.items()}
            remedy = f"Mend this, or set there what is to be so everywhere: {_cause(exc)}"
        else:
            logger.info("taken up from %s: %s", names, _list(values))
            return {}
        problem = f"{names} has set {_list(values)}, but gaia.yaml here has not. {remedy}"
        return dict.fromkeys(values, problem)

    async def _write(self, values: Values) -> None:
        """Have these hold as well, in the file and here.

        Raises:
            HomeError: The file cannot be written.
            GaiaError: They cannot hold here. All is as it was.
        """
        before = read(self._home.settings_file)
        changes = Changes({tuple(key.split(".")): value for key, value in values.items()})
        await asyncio.to_thread(write, self._home, changes)
        written = read(self._home.settings_file)
        try:
            # What a `gaia chat` could do with is not enough: a daemon has to start with it.
            await asyncio.to_thread(start.load_usable, self._home, hosted=False)
            await self._reloader.take_up()
        except GaiaError:
            self._put_back(before, written)
            raise

    def _put_back(self, before: str | None, written: str | None) -> None:
        """Have the file as it was, unless somebody has saved another one meanwhile."""
        file = self._home.settings_file
        if read(file) != written:
            return
        if before is None:
            file.unlink()
        else:
            put(file, before)
        self._reloader.seen()

    def _read(self) -> Position | None:
        try:
            return read_position(self._home.shared_settings_file)
        except (OSError, ValueError) as exc:
            file = str(self._home.shared_settings_file)
            logger.warning("%r cannot be read, and is begun again: %s", file, exc)
            return None

    async def _keep(self, position: Position) -> None:
        if position == self._position:
            return
        self._position, file = position, self._home.shared_settings_file
        try:
            await asyncio.to_thread(keep_position, file, position)
        except OSError as exc:
            logger.warning("%r cannot be written (%s)", str(file), exc.strerror)


def _list(values: Values) -> str:
    return ", ".join(
        f"{key} to {show_value(tuple(key.split('.')), value)}" for key, value in values.items()
    )


def _cause(error: GaiaError) -> str:
    """What is wrong, without a place: it is none of the file as it stands."""
    mistakes = error.mistakes if isinstance(error, SettingsError) else ()
    return f"{mistakes[0].key} {mistakes[0].problem}" if mistakes else str(error)
