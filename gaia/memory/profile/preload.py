"""Preload: what a turn is told of its user's memory, whatever they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.lru import LruCache
from gaia.memory import reminders
from gaia.memory.memory import Memory
from gaia.memory.profile.prefix import Prefix, Room, next_change, prefix
from gaia.ports import Clock

MOST_KEPT = 100
"""Users whose preload is kept in memory: those who talked last."""


@dataclass(frozen=True, slots=True)
class Preloaded:
    """What a turn is told: the prefix of its session, and what is due."""

    prefix: Prefix
    due: Sequence[Memory] = ()


NOTHING = Preloaded(Prefix())


@dataclass(frozen=True, slots=True)
class _Kept:
    """What was read under a version of the user's memory, and when time changes it."""

    memory_version: int
    until: datetime
    preloaded: Preloaded


class Preload:
    """Reads what turns are told. `outdated` is called with the user whose profile is to be
    looked at: there is none, or a session begins.

    What was read is kept for as long as nothing of the user's memory changes, by whomever:
    gaia.db counts the changes.
    """

    def __init__(self, clock: Clock, room: Room, outdated: Callable[[str], None]) -> None:
        self._clock = clock
        self._room = room
        self._outdated = outdated
        self._kept = LruCache[str, _Kept](MOST_KEPT)

    def read(self, session: Session, user_id: str, memory_version: int) -> Preloaded:
        """What is told now, under that version of the user's memory.

        Raises:
            MissingOwnerError: `user_id` is empty.
        """
        now = self._clock.now()
        kept = self._kept.get(user_id)
        if kept is None or kept.memory_version != memory_version or now >= kept.until:
            preloaded = Preloaded(
                prefix(session, user_id, now, self._room), reminders.due(session, user_id, now)
            )
            kept = _Kept(memory_version, next_change(session, user_id, now), preloaded)
            self._kept.put(user_id, kept)
        return kept.preloaded

    def note_use(self, user_id: str, preloaded: Preloaded, *, begins: bool) -> None:
        """Say that a turn is told that; `begins` says that it is a session's first."""
        if self._room.bullets and (begins or not preloaded.prefix.has_profile):
            self._outdated(user_id)

    def clear(self) -> None:
        """Keep nothing: some of it may have been forgotten."""
        self._kept.clear()
