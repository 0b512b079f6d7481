"""Who is signed in to the memory page: links that work once, and the sessions that they begin.

The database has hashes of their tokens alone, which are 256 random bits, and the token of forms
is made from that of the session: what is stored lets nobody sign in, nor send a form. Each
function works within the caller's transaction.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from gaia.store.ops_tables import PageLinkRow, PageSessionRow
from gaia.store.people import identities

LINK_VALID_FOR = timedelta(minutes=5)

IDLE_FOR = timedelta(minutes=30)
"""A session that was not used for so long is over."""

LONGEST = timedelta(hours=12)
"""No session lasts longer, however much it is used."""

NOTED_EACH = timedelta(minutes=1)
"""How often the use of a session is noted: it may end by so much sooner, and not each request
has to write."""

MOST_LINKS = 5
MOST_SESSIONS = 20
"""Of more of one user, the oldest end: nobody's end those of others."""

TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class PageSession:
    """A browser that is signed in, and when its use was noted last. `form_token` is what its
    forms prove that they are of the page by."""

    user_id: str
    form_token: str = field(repr=False)
    used_at: datetime

    def allows(self, token: str) -> bool:
        """Whether a form that sends this token is of the page."""
        return hmac.compare_digest(self.form_token.encode(), token.encode())

    def is_noted(self, now: datetime) -> bool:
        """Whether its use need not be noted now: neither is it long ago, nor was the clock set
        back since."""
        return abs(now - self.used_at) < NOTED_EACH


def add_link(session: Session, user_id: str, now: datetime) -> str:
    """Add a link that signs the user in, once and soon; returns its token.

    Raises:
        UnknownUserError: They have been removed.
    """
    identities.find(session, user_id)
    _make_room(session, PageLinkRow, user_id, MOST_LINKS)
    token = _new_token()
    session.add(
        PageLinkRow(token_hash=_hash(token), user_id=user_id, expires_at=now + LINK_VALID_FOR)
    )
    return token


def has_link(session: Session, token: str) -> bool:
    """Whether there is a link of that token."""
    return session.get(PageLinkRow, _hash(token)) is not None


def enter(session: Session, token: str, now: datetime) -> str | None:
    """Use a link up: the token of the session that it begins; None if it does not work, or not
    any more."""
    link = session.execute(
        delete(PageLinkRow)
        .where(PageLinkRow.token_hash == _hash(token))
        .returning(PageLinkRow.user_id, PageLinkRow.expires_at)
    ).one_or_none()
    if link is None or link.expires_at <= now:
        return None
    _make_room(session, PageSessionRow, link.user_id, MOST_SESSIONS)
    token = _new_token()
    session.add(
        PageSessionRow(
            token_hash=_hash(token), user_id=link.user_id, expires_at=now + LONGEST, used_at=now
        )
    )
    return token


def find(session: Session, token: str, now: datetime) -> PageSession | None:
    """The session of that token; None if there is none, or not any more."""
    row = session.scalar(
        select(PageSessionRow).where(PageSessionRow.token_hash == _hash(token), ~_is_over(now))
    )
    return None if row is None else PageSession(row.user_id, _form_token(token), row.used_at)


def note_use(session: Session, token: str, now: datetime) -> None:
    """Note that a session is used now, if it is still there."""
    session.execute(
        update(PageSessionRow).where(PageSessionRow.token_hash == _hash(token)).values(used_at=now)
    )


def leave(session: Session, token: str) -> None:
    """End a session."""
    session.execute(delete(PageSessionRow).where(PageSessionRow.token_hash == _hash(token)))


def sweep(session: Session, now: datetime) -> None:
    """Remove what is over."""
    session.execute(delete(PageLinkRow).where(PageLinkRow.expires_at <= now))
    session.execute(delete(PageSessionRow).where(_is_over(now)))


def end_all(session: Session) -> None:
    """End all links and sessions."""
    for row in (PageLinkRow, PageSessionRow):
        session.execute(delete(row))


def _is_over(now: datetime) -> ColumnElement[bool]:
    return (PageSessionRow.expires_at <= now) | (PageSessionRow.used_at <= now - IDLE_FOR)


def _make_room(
    session: Session, row: type[PageLinkRow] | type[PageSessionRow], user_id: str, most: int
) -> None:
    """Remove a user's oldest, so that there may be one more."""
    youngest = (
        select(row.token_hash)
        .where(row.user_id == user_id)
        .order_by(row.expires_at.desc())
        .limit(most - 1)
    )
    session.execute(delete(row).where(row.user_id == user_id, row.token_hash.not_in(youngest)))


def _new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _form_token(token: str) -> str:
    return hmac.new(token.encode(), b"form", hashlib.sha256).hexdigest()
