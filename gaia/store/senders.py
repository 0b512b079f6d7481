"""Senders: who a message is from, and who talks in a conversation, in one look each.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, exists, select
from sqlalchemy.orm import Session

from gaia.messages import Address
from gaia.store import conversations, identities, rates
from gaia.store.conversations import Conversation
from gaia.store.identities import User
from gaia.store.memory_tables import ForgetRow, ForgetState
from gaia.store.tables import ConversationRow, IdentityRow, UserRow


@dataclass(frozen=True, slots=True)
class Sender:
    """Who writes: the user, since when the address is theirs, the conversation in that chat
    if there is one, and how many messages of theirs were taken within the last minute."""

    user: User
    known_since: datetime
    conversation: Conversation | None
    recent_messages: int


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation and its user. `memory_version` is that of `UserRow`; `is_forgetting`
    says that something they wanted forgotten may still stand in their sessions."""

    conversation: Conversation
    user: User
    memory_version: int
    is_forgetting: bool


def find(session: Session, address: Address, chat: str, now: datetime) -> Sender | None:
    """Who writes from an address in a chat; None for a stranger."""
    row = session.execute(
        select(
            identities.COLUMNS,
            IdentityRow.created_at.label("known_since"),
            conversations.COLUMNS,
            rates.taken(UserRow.user_id, now).label("recent"),
        )
        .select_from(IdentityRow)
        .join(UserRow, and_(UserRow.user_id == IdentityRow.user_id, UserRow.removed_at.is_(None)))
        .outerjoin(
            ConversationRow,
            and_(
                ConversationRow.user_id == UserRow.user_id,
                ConversationRow.channel == address.channel,
                ConversationRow.chat == chat,
            ),
        )
        .where(IdentityRow.channel == address.channel, IdentityRow.sender == address.sender)
    ).one_or_none()
    if row is None:
        return None
    talks = row.conversation.conversation_id is not None
    return Sender(
        user=identities.read(row.user),
        known_since=row.known_since,
        conversation=conversations.read(row.conversation) if talks else None,
        recent_messages=row.recent,
    )


def talk(session: Session, conversation_id: int) -> Talk | None:
    """A conversation by id, with its user; None when they were removed."""
    is_forgetting = exists().where(
        ForgetRow.user_id == UserRow.user_id, ForgetRow.state == ForgetState.WIPING
    )
    row = session.execute(
        select(
            conversations.COLUMNS,
            identities.COLUMNS,
            UserRow.memory_version,
            is_forgetting.label("is_forgetting"),
        )
        .select_from(ConversationRow)
        .join(UserRow, UserRow.user_id == ConversationRow.user_id)
        .where(ConversationRow.conversation_id == conversation_id)
    ).one_or_none()
    if row is None:
        return None
    return Talk(
        conversations.read(row.conversation),
        identities.read(row.user),
        row.memory_version,
        row.is_forgetting,
    )
