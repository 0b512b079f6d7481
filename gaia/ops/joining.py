"""Makes one of two users who turn out to be the same person, in every table."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from gaia.digest import seal
from gaia.store import audit, conversations
from gaia.store.audit import Action
from gaia.store.digest_tables import DigestReason
from gaia.store.identities import User
from gaia.store.ownership import join_users


def join_person(
    session: Session,
    gone: User,
    into: User,
    now: datetime,
    *,
    learns: bool,
) -> User:
    """Make `gone` and `into` one user, within the caller's transaction on gaia.db;
    returns `into` as it is then.

    What was said in the sessions that are left by it is to be digested, where gaia
    `learns` by itself: its archive outlives them.

    Raises:
        UnknownUserError: One of them has been removed.
        GroupUserError: One of them is a group.
    """
    if learns:
        _seal(session, gone, into, now)
    joined = join_users(session, gone, into, now)
    audit.record(
        session, Action.JOINED, at=now, by=gone.user_id, subject=joined.user_id, detail=joined.role
    )
    return joined


def _seal(session: Session, gone: User, into: User, now: datetime) -> None:
    """Seal the sessions of `gone`, and those of `into` in the same chats."""
    for chat in conversations.of_user(session, gone.user_id):
        twin = conversations.find(
            session, user_id=into.user_id, channel=chat.channel, chat=chat.chat
        )
        for left in (chat, twin):
            if left is not None:
                seal.seal(session, left, DigestReason.JOINED, now)
