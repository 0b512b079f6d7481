"""Who is signed in to the memory page: links that work once, and the sessions that they begin.

All of it is in memory, and of tokens only their hashes: it ends with the daemon, and no file
ever holds it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass

from gaia.ports import Clock

LINK_SECONDS = 300.0
"""How long a link can be opened."""

IDLE_SECONDS = 1800.0
"""A session that was not used for so long is over."""

LONGEST_SECONDS = 12 * 3600.0
"""No session lasts longer, however much it is used."""

MOST_LINKS = 5
MOST_SESSIONS = 20
"""Of more of one user, the oldest end: nobody's end those of others."""

PATH = "/page"
"""Where the page is; below it, `enter` and a token is a link."""


@dataclass(slots=True)
class _Link:
    user_id: str
    until: float


@dataclass(slots=True)
class Session:
    """A browser that is signed in. `form_token` is what its forms prove that they are of the
    page by."""

    user_id: str
    form_token: str
    until: float
    used_at: float

    def allows(self, token: str) -> bool:
        """Whether a form that sends this token is of the page."""
        return hmac.compare_digest(self.form_token.encode(), token.encode())


class SignIn:
    """Gives links, and knows the sessions."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._links: dict[bytes, _Link] = {}
        self._sessions: dict[bytes, Session] = {}

    def link(self, user_id: str) -> str:
        """The path of a link that signs the user in, once and soon."""
        token = secrets.token_urlsafe(32)
        _drop_oldest(self._links, user_id, MOST_LINKS)
        self._links[_hash(token)] = _Link(user_id, self._clock.monotonic() + LINK_SECONDS)
        return f"{PATH}/enter/{token}"

    def enter(self, token: str) -> str | None:
        """Use a link up: the token of the session that it begins; None if it does not work, or
        not any more."""
        link = self._links.pop(_hash(token), None)
        now = self._clock.monotonic()
        if link is None or now >= link.until:
            return None
        session_token = secrets.token_urlsafe(32)
        _drop_oldest(self._sessions, link.user_id, MOST_SESSIONS)
        self._sessions[_hash(session_token)] = Session(
            link.user_id, secrets.token_urlsafe(32), now + LONGEST_SECONDS, now
        )
        return session_token

    def session(self, token: str) -> Session | None:
        """The session of that token, which is used now; None if there is none, or not any
        more."""
        session = self._sessions.get(_hash(token))
        if session is None:
            return None
        now = self._clock.monotonic()
        if now >= session.until or now - session.used_at >= IDLE_SECONDS:
            self.leave(token)
            return None
        session.used_at = now
        return session

    def leave(self, token: str) -> None:
        """End a session."""
        self._sessions.pop(_hash(token), None)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _drop_oldest(kept: dict[bytes, _Link] | dict[bytes, Session], user_id: str, most: int) -> None:
    """Make room for one more of a user's."""
    theirs = [key for key, each in kept.items() if each.user_id == user_id]
    for key in theirs[: len(theirs) - most + 1]:
        del kept[key]
