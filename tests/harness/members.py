"""A process that is only a member of those that work on one database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import text

from gaia.paths import Home
from gaia.store.postgres.database import PostgresDatabase
from gaia.store.processes.membership import Membership
from gaia.store.processes.notices import Callbacks

EXPIRE = text("UPDATE processes SET expires_at = '2000-01-01' WHERE process_id = :process_id")
"""Makes it as if a process had given no sign for long."""


class Member:
    """A process that is only a member, and what it was told."""

    def __init__(
        self,
        database: PostgresDatabase,
        home: Path,
        *,
        serves: bool = True,
        beat_seconds: float = 0.05,
        steady_seconds: float = 0.0,
        silent_seconds: float = 20.0,
    ) -> None:
        self.database = database
        folder = Home(home)
        folder.create()
        self.membership = Membership(
            database,
            folder,
            serves=serves,
            beat_seconds=beat_seconds,
            steady_seconds=steady_seconds,
            silent_seconds=silent_seconds,
        )
        self.woken: list[int] = []
        self.recovered = self.led = self.followed = self.forgotten = self.cleaned = 0
        self.changed = 0
        self.channels = {"fake"}
        self._changed = asyncio.Event()
        self.membership.tell(
            Callbacks(
                woken=self._woken,
                recover=self._recover,
                led=self._led,
                followed=self._follow,
                has=lambda channel: channel in self.channels,
                forgotten=self._forget,
                clean=self._clean,
                settings=self._change,
            )
        )

    @asynccontextmanager
    async def working(self) -> AsyncIterator[asyncio.Task[None]]:
        await self.membership.join()
        task = asyncio.create_task(self.membership.run())
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._changed.clear()
            await self._changed.wait()

    def _woken(self, conversation_id: int) -> None:
        self.woken.append(conversation_id)
        self._changed.set()

    async def _recover(self) -> None:
        self.recovered += 1
        self._changed.set()

    def _forget(self) -> None:
        self.forgotten += 1
        self._changed.set()

    def _clean(self) -> None:
        self.cleaned += 1
        self._changed.set()

    def _change(self) -> None:
        self.changed += 1
        self._changed.set()

    async def _led(self) -> None:
        self.led += 1
        self._changed.set()

    async def _follow(self) -> None:
        self.followed += 1
        self._changed.set()
