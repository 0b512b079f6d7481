"""Senders: who a message is from, how often they wrote lately, and who talks in a
conversation, in one look each.

How often is counted in the inbox itself, so that a restart forgets nothing. Each function
works within the caller's transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from string import ascii_lowercase, digits

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    String,
    bindparam,
    exists,
    func,
    literal_column,
    not_,
    select,
)
from sqlalchemy.orm import Session

from gaia.messages import Address
from gaia.store import conversations
from gaia.store.base import table_of
from gaia.store.conversations import Conversation
from gaia.store.memory_tables import ForgetRow, ForgetState
from gaia.store.people import identities, own_chats
from gaia.store.people.identities import User
from gaia.store.people.spellings import spellings
from gaia.store.tables import ConversationRow, IdentityRow, InboxRow, InboxState

WINDOW = timedelta(minutes=1)

STOP = "/stop"
"""The one command that is not counted: who wants silence gets it."""

OF_NAMES = f"{ascii_lowercase}{digits}_"
"""What a command's name is made of: "/stopping" is another one."""

_INBOX, _THEIRS = table_of(InboxRow), table_of(ConversationRow).alias("theirs")

_typed = func.lower(_INBOX.c.text)
_goes_on = func.substr(_typed, literal_column(f"{len(STOP) + 1}"), literal_column("1")).in_(
    [*OF_NAMES]
)
_is_stop = _INBOX.c.is_command & _typed.startswith(STOP) & not_(_goes_on)
_since = bindparam("minute_ago", type_=_INBOX.c.received_at.type)
# What a clock that was set back calls the future does not count.
_until = bindparam("now", type_=_INBOX.c.received_at.type)


def _count(user_id: ColumnElement[str], *conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    return (
        select(func.count())
        .select_from(_INBOX)
        .join(_THEIRS, _THEIRS.c.conversation_id == _INBOX.c.conversation_id)
        .where(
            _THEIRS.c.user_id == user_id,
            _INBOX.c.received_at > _since,
            _INBOX.c.received_at <= _until,
            *conditions,
        )
        .scalar_subquery()
    )


def taken(user_id: ColumnElement[str]) -> ScalarSelect[int]:
    """How many messages of a user were taken within the last minute, on all channels, as a
    part of a query, which gets the parameters of `within_a_minute`."""
    not_taken = (InboxState.REFUSED, InboxState.OVERHEARD)
    return _count(user_id, _INBOX.c.state.not_in(not_taken), not_(_is_stop))


def within_a_minute(now: datetime) -> dict[str, datetime]:
    """The parameters of the time in question."""
    return {"minute_ago": now - WINDOW, "now": now}


_WAS_TOLD = select(
    _count(
        bindparam("user_id", type_=String()),
        _INBOX.c.state == InboxState.REFUSED,
        _INBOX.c.turn_id.is_not(None),
    )
)


def was_told(session: Session, user_id: str, now: datetime) -> bool:
    """Whether a refused message of theirs was answered within the last minute."""
    return bool(session.scalar(_WAS_TOLD, {"user_id": user_id, **within_a_minute(now)}))


USERS, CONVERSATIONS = identities.TABLE, conversations.TABLE
IDENTITIES, FORGETS = table_of(IdentityRow), table_of(ForgetRow)
OF_USER = len(identities.COLUMNS)

_FIND = (
    select(
        *identities.COLUMNS,
        *conversations.COLUMNS,
        IDENTITIES.c.created_at.label("known_since"),
        taken(USERS.c.user_id).label("recent"),
    )
    .select_from(IDENTITIES)
    .join(USERS, (USERS.c.user_id == IDENTITIES.c.user_id) & USERS.c.removed_at.is_(None))
    .outerjoin(
        CONVERSATIONS,
        (CONVERSATIONS.c.user_id == USERS.c.user_id)
        & (CONVERSATIONS.c.channel == IDENTITIES.c.channel)
        & (CONVERSATIONS.c.chat == bindparam("in_chat")),
    )
    .where(
        IDENTITIES.c.channel == bindparam("on_channel"),
        IDENTITIES.c.sender.in_(bindparam("spelled", expanding=True)),
    )
    .order_by(IDENTITIES.c.sender != bindparam("from_"))
    .limit(1)
)

_TALK = (
    select(
        *identities.COLUMNS,
        *conversations.COLUMNS,
        (USERS.c.memory_version + identities.SHARED_VERSION).label("memory_version"),
        exists()
        .where(FORGETS.c.user_id == USERS.c.user_id, FORGETS.c.state == ForgetState.WIPING)
        .label("is_forgetting"),
        own_chats.NAMED_ALIKE,
    )
    .select_from(CONVERSATIONS)
    .join(USERS, USERS.c.user_id == CONVERSATIONS.c.user_id)
    .where(CONVERSATIONS.c.conversation_id == bindparam("the_one"))
)


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
    says that something they wanted forgotten may still stand in their sessions, `is_theirs` that
    the chat is still theirs."""

    conversation: Conversation
    user: User
    memory_version: int
    is_forgetting: bool
    is_theirs: bool


def find(session: Session, address: Address, chat: str, now: datetime) -> Sender | None:
    """Who writes from an address in a chat; None for a stranger."""
    place = {
        "on_channel": address.channel,
        "from_": address.sender,
        "spelled": spellings(address.sender),
        "in_chat": chat,
    }
    row = session.execute(_FIND, place | within_a_minute(now)).one_or_none()
    if row is None:
        return None
    user, conversation = row[:OF_USER], row[OF_USER:-2]
    talks = conversation[0] is not None
    return Sender(
        user=identities.of(user),
        known_since=row.known_since,
        conversation=conversations.of(conversation) if talks else None,
        recent_messages=row.recent,
    )


def talk(session: Session, conversation_id: int) -> Talk | None:
    """A conversation by id, with its user; None when they were removed."""
    row = session.execute(_TALK, {"the_one": conversation_id}).one_or_none()
    if row is None:
        return None
    conversation = conversations.of(row[OF_USER:-3])
    return Talk(
        conversation,
        identities.of(row[:OF_USER]),
        row.memory_version,
        row.is_forgetting,
        row.named_alike or own_chats.is_own(session, conversation),
    )
