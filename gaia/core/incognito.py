"""What an incognito session remembers of itself: in memory alone, and not for longer than gaia
runs."""

from __future__ import annotations

from collections.abc import Sequence

from gaia.lru import LruCache
from gaia.store.sessions import StoredEvent

MOST_SESSIONS = 100
MOST_EVENTS = 400
"""Of a session, the last ones."""


class IncognitoSessions:
    """The events of incognito sessions, by the id of the session."""

    def __init__(self) -> None:
        self._sessions = LruCache[str, Sequence[str]](MOST_SESSIONS)

    def events(self, session_id: str) -> Sequence[str]:
        """What was said in it so far, as the session's events."""
        return self._sessions.get(session_id) or ()

    def add(self, session_id: str, events: Sequence[StoredEvent]) -> None:
        """Add what a turn said."""
        said = [*self.events(session_id), *(event.json for event in events)]
        self._sessions.put(session_id, said[-MOST_EVENTS:])
