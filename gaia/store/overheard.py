"""Overheard messages: what was said in a group, not to gaia, and may belong to what was.

One part of an album has the words, and speaks for all of them; of a text that an app cut, the
first part alone names gaia. The other parts of an album are kept in the inbox until one of
them shows that it is for gaia, and a moment at most; nothing else that is overheard is.
Each function works within the caller's transaction.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, exists, select, update
from sqlalchemy.orm import Session

from gaia.messages import Inbound
from gaia.store import conversations, inbox, pastes
from gaia.store.conversations import Conversation
from gaia.store.tables import InboxState

KEPT = timedelta(minutes=1)

_TABLE, _CONVERSATIONS = inbox.TABLE, conversations.TABLE


def may_matter(session: Session, inbound: Inbound, now: datetime) -> bool:
    """Whether an overheard message is worth a transaction that writes."""
    return inbound.album is not None or belongs(session, inbound, now)


def belongs(session: Session, inbound: Inbound, now: datetime) -> bool:
    """Whether it is a part of an album, or of a text, of which gaia was given another part."""
    given = (
        select(_TABLE)
        .join(_CONVERSATIONS, _CONVERSATIONS.c.conversation_id == _TABLE.c.conversation_id)
        .where(
            _CONVERSATIONS.c.channel == inbound.address.channel,
            _CONVERSATIONS.c.chat == inbound.chat,
            _TABLE.c.state != InboxState.OVERHEARD,
        )
    )
    if inbound.album is not None:
        return session.scalar(select(exists(given.where(_TABLE.c.album == inbound.album)))) or False
    if inbound.edit_of is not None:
        return False
    last = session.execute(
        given.where(_TABLE.c.author == inbound.author)
        .where(_TABLE.c.received_at > now - pastes.PART_SETTLE)
        .order_by(_TABLE.c.received_at.desc(), _TABLE.c.inbox_id.desc())
        .limit(1)
    ).one_or_none()
    return last is not None and pastes.may_go_on(last) and last.is_forwarded == inbound.is_forwarded


def keep(session: Session, inbound: Inbound, conversation: Conversation, now: datetime) -> None:
    """Keep a part of an album, until another one is for gaia."""
    drop(session, conversation.conversation_id, _TABLE.c.received_at < now - KEPT)
    if inbound.edit_of is None:
        state = InboxState.OVERHEARD
        inbox.record(session, inbound, conversation, is_command=False, now=now, state=state)


def drop(session: Session, conversation_id: int, *which: ColumnElement[bool]) -> None:
    """Delete what was overheard in a conversation, and for which `which` holds."""
    session.execute(
        delete(_TABLE).where(
            _TABLE.c.conversation_id == conversation_id,
            _TABLE.c.state == InboxState.OVERHEARD,
            *which,
        )
    )


def give(session: Session, album: str, conversation: Conversation) -> bool:
    """Have the parts of an album that were overheard answered with the one that is for gaia;
    returns whether there are any."""
    given = session.execute(
        update(_TABLE)
        .where(
            _TABLE.c.conversation_id == conversation.conversation_id,
            _TABLE.c.state == InboxState.OVERHEARD,
            _TABLE.c.album == album,
        )
        .values(
            state=InboxState.QUEUED,
            generation=conversation.generation,
            is_incognito=conversation.is_incognito,
            finished_at=None,
        )
        .returning(_TABLE.c.inbox_id)
    )
    return given.first() is not None
