"""What a daemon does because others may work on the same database: it hears them, and shares
changed settings with them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from gaia.app.opened import Opened
from gaia.app.reload import ConfigReloader
from gaia.app.start import Start
from gaia.app.tasks import Tasks


class Peers:
    """The other processes. Nothing is done where there can be none."""

    def __init__(self, opened: Opened, tasks: Tasks) -> None:
        self._opened = opened
        self._member = opened.membership
        self._tasks = tasks
        self._settings_wanted = asyncio.Event()

    @property
    def have_taken_over(self) -> bool:
        """Whether nothing counts any more that this process writes."""
        return self._member is not None and self._member.is_over

    def settings_changed(self) -> None:
        """Say that settings were changed here."""
        self._settings_wanted.set()

    def hear(self, followed: Callable[[], Awaitable[None]]) -> None:
        """Give signs of life, and hear what others tell. `followed` ends what only who leads
        does."""
        if self._member is None:
            return
        from gaia.store.processes.notices import Callbacks

        app = self._opened.app
        self._member.tell(
            Callbacks(
                woken=app.wake,
                recover=app.recover,
                led=app.lead,
                followed=followed,
                has=lambda channel: channel in app.channels,
                forgotten=app.forget_known,
                clean=app.home_cleaner.wake,
                settings=self._settings_wanted.set,
            )
        )
        self._tasks.start("processes", self._member.run, supervised=False)

    def share_settings(self, start: Start, reloader: ConfigReloader) -> None:
        """Begin to share changed settings."""
        if self._member is None:
            return
        from gaia.app.exchange import SettingsExchange

        exchange = SettingsExchange(
            start.home,
            reloader,
            self._opened.app.settings_state,
            self._opened.database,
            self._member,
            start.clock,
            self._settings_wanted,
        )
        self._tasks.start("shared settings", exchange.run)
