"""A user's own chats: the conversations whose address is still theirs.

An address may be unlinked, and be another user's then. What was said from it stays with its
former user, of whom nothing goes there any more. Each function works within the caller's
transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, Select, exists, func, select, tuple_
from sqlalchemy.orm import Session

from gaia.messages import Address
from gaia.store import conversations
from gaia.store.base import table_of
from gaia.store.conversations import Conversation
from gaia.store.people.spellings import identity_of, spellings
from gaia.store.tables import ConversationRow, IdentityRow, InboxRow

_IDENTITIES, _CHATS = table_of(IdentityRow), conversations.TABLE

NAMED_ALIKE = (
    exists()
    .where(
        _IDENTITIES.c.channel == _CHATS.c.channel,
        _IDENTITIES.c.sender == _CHATS.c.sender,
        _IDENTITIES.c.user_id == _CHATS.c.user_id,
    )
    .correlate(_CHATS)
    .label("named_alike")
)
"""Whether a conversation's address is its user's in the same spelling, as a part of a query. If
not, `is_own` tells."""


def is_own(session: Session, conversation: Conversation) -> bool:
    """Whether a conversation's address is still its user's, in whichever spelling."""
    holder = identity_of(session, Address(conversation.channel, conversation.sender))
    return holder is not None and holder.user_id == conversation.user_id


def last_written(
    session: Session, user_id: str, channels: Collection[str] | None = None
) -> Conversation | None:
    """The conversation in which a user wrote last, on one of these channels, if they are named."""
    query = select(ConversationRow).where(_own(session, [user_id]))
    if channels is not None:
        query = query.where(ConversationRow.channel.in_(channels))
    last = func.coalesce(ConversationRow.written_at, ConversationRow.created_at)
    return _first(session, query.order_by(ConversationRow.direct.desc(), last.desc()))


def group_of_turn(session: Session, user_id: str, turn_id: str) -> Conversation | None:
    """The chat of a group in which a turn was asked for; None for a direct one, and where it is
    known no longer."""
    groups = (
        select(ConversationRow)
        .join(InboxRow, InboxRow.conversation_id == ConversationRow.conversation_id)
        .where(
            InboxRow.turn_id == turn_id,
            ConversationRow.direct.is_(False),
            _own(session, [user_id]),
        )
    )
    return _first(session, groups)


def direct_of(session: Session, user_ids: Sequence[str]) -> Sequence[Conversation]:
    """The direct chats of these users: of each on each channel the one used last."""
    rows = session.scalars(
        select(ConversationRow)
        .where(_own(session, user_ids), ConversationRow.direct.is_(True))
        .order_by(ConversationRow.last_message_at, ConversationRow.conversation_id)
    )
    latest = {(row.user_id, row.channel): row for row in rows}
    return [conversations.read(row) for row in latest.values()]


def latest_direct(session: Session, user_id: str, channels: Collection[str]) -> Conversation | None:
    """The direct chat on one of these channels that a user used last."""
    chats = select(ConversationRow).where(
        _own(session, [user_id]),
        ConversationRow.direct.is_(True),
        ConversationRow.channel.in_(channels),
    )
    last = (ConversationRow.last_message_at.desc(), ConversationRow.conversation_id.desc())
    return _first(session, chats.order_by(*last))


def _first(session: Session, chats: Select[ConversationRow]) -> Conversation | None:
    row = session.scalar(chats.limit(1))
    return None if row is None else conversations.read(row)


def _own(session: Session, user_ids: Sequence[str]) -> ColumnElement[bool]:
    """The condition under which a conversation is one of these users', and its address too."""
    held = session.scalars(select(IdentityRow).where(IdentityRow.user_id.in_(user_ids)))
    names = [
        (row.user_id, row.channel, spelling) for row in held for spelling in spellings(row.sender)
    ]
    theirs = tuple_(ConversationRow.user_id, ConversationRow.channel, ConversationRow.sender)
    return ConversationRow.user_id.in_(user_ids) & theirs.in_(names)
