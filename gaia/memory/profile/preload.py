"""Preload: what a turn is told of its user's memory, whatever they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.memory import reminders
from gaia.memory.memory import Memory
from gaia.memory.profile.prefix import Prefix, Room, prefix
from gaia.ports import Clock
from gaia.store.engine import Database


@dataclass(frozen=True, slots=True)
class Preloaded:
    """What a turn is told: the prefix of its session, and what is due."""

    prefix: Prefix
    due: Sequence[Memory] = ()


NOTHING = Preloaded(Prefix())


class Preload:
    """Reads what turns are told. `outdated` is called with the user whose profile is to be
    looked at: there is none, or a session begins."""

    def __init__(
        self, database: Database, clock: Clock, room: Room, outdated: Callable[[str], None]
    ) -> None:
        self._database = database
        self._clock = clock
        self._room = room
        self._outdated = outdated

    async def read(self, user_id: str, *, begins: bool) -> Preloaded:
        """What is told now; `begins` says that it is a session's first turn.

        Raises:
            MissingOwnerError: `user_id` is empty.
        """
        now = self._clock.now()
        told, due = await self._database.read(self._read, user_id, now)
        if self._room.bullets and (begins or not told.has_profile):
            self._outdated(user_id)
        return Preloaded(told, due)

    def _read(
        self, session: Session, user_id: str, now: datetime
    ) -> tuple[Prefix, Sequence[Memory]]:
        told = prefix(session, user_id, now, self._room)
        due = reminders.due(session, user_id, now)
        return told, due
