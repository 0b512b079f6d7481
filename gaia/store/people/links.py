"""Links that can be undone for a day: an address that became a user's, and a user who became
one with another.

What is noted are names, addresses and numbers, and no words of anybody. What was said in a
chat since it was linked goes with the chat. Each function works within the caller's
transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, delete, insert, or_, select, tuple_, update
from sqlalchemy.orm import Session, aliased

from gaia.messages import Address
from gaia.store import conversations, indexes, relations
from gaia.store.digest_tables import (
    ArchivedTermRow,
    ArchivedTurnRow,
    DigestRow,
    DigestWindowRow,
    ProfileRow,
)
from gaia.store.memory_tables import (
    IndexOperation,
    MemoryEntityRow,
    MemoryRow,
    MemoryStatus,
    MemoryTermRow,
)
from gaia.store.people import departures, identities
from gaia.store.people.identities import Role, User
from gaia.store.people.pairing_tables import LinkRow
from gaia.store.people.spellings import spelled
from gaia.store.tables import ConversationRow, EventRow, IdentityRow, InboxRow

UNDOABLE_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Link:
    """What was linked to `user_id`: `addresses`, of somebody who was called `name` before, or
    of a stranger, `since` then."""

    link_id: int
    user_id: str
    name: str
    role: Role | None
    since: datetime
    addresses: tuple[Address, ...]
    conversations: tuple[int, ...]
    memories: tuple[int, ...]
    shared: tuple[int, ...]


def note_address(session: Session, user: User, address: Address, now: datetime) -> None:
    """Note that a stranger's address is to become a user's."""
    _note(session, user, {"addresses": [[address.channel, address.sender]]}, now)


def note_join(session: Session, gone: User, into: User, now: datetime) -> None:
    """Note that `gone` is to become one with `into`: what is theirs alone until then, and
    which memories both have."""
    theirs, known = aliased(MemoryRow), aliased(MemoryRow)
    shared = session.execute(
        select(theirs.memory_id, known.memory_id).where(
            theirs.user_id == gone.user_id,
            known.user_id == into.user_id,
            theirs.status == MemoryStatus.ACTIVE,
            known.status == MemoryStatus.ACTIVE,
            known.kind == theirs.kind,
            known.context == theirs.context,
            known.hash == theirs.hash,
        )
    ).all()
    twins = {row[0] for row in shared}
    numbers = session.scalars(select(MemoryRow.memory_id).where(MemoryRow.user_id == gone.user_id))
    chats = [
        chat.conversation_id
        for chat in conversations.of_user(session, gone.user_id)
        if conversations.find(session, user_id=into.user_id, channel=chat.channel, chat=chat.chat)
        is None
    ]
    journal = {
        "addresses": [
            [each.channel, each.sender] for each in identities.addresses(session, gone.user_id)
        ],
        "conversations": chats,
        "memories": [each for each in numbers if each not in twins],
        "shared": [row[1] for row in shared],
    }
    _note(session, into, journal, now, name=gone.name, role=gone.role)


def last(session: Session, user_id: str, now: datetime) -> Link | None:
    """What was linked to a user last, within a day; None if nothing was."""
    row = session.scalar(
        select(LinkRow)
        .where(LinkRow.user_id == user_id, LinkRow.created_at > now - UNDOABLE_FOR)
        .order_by(LinkRow.link_id.desc())
        .limit(1)
    )
    if row is None:
        return None
    found = row.journal
    return Link(
        row.link_id,
        row.user_id,
        row.name,
        Role(row.role) if row.role else None,
        row.created_at,
        tuple(Address(*each) for each in found["addresses"]),
        *(tuple(found.get(key, ())) for key in ("conversations", "memories", "shared")),
    )


def undo(session: Session, link: Link, now: datetime) -> User | None:
    """Take what was linked apart again: an address is a stranger's then, and who had become
    another is a user with an id of their own; returns who."""
    session.execute(delete(LinkRow).where(LinkRow.link_id == link.link_id))
    if link.role is None:
        _remove_addresses(session, link)
        for address in link.addresses:
            departures.give_up(session, link.user_id, address, now)
        return None
    name = identities.free_name(session, link.name)
    apart = identities.create(session, name, link.role, now=now)
    _remove_addresses(session, link)
    for address in link.addresses:
        if identities.resolve(session, address) is None:
            identities.link(session, apart, address, now)
    _move_conversations(session, link, apart.user_id)
    _move_memories(session, link, apart.user_id, now)
    session.execute(delete(ProfileRow).where(ProfileRow.user_id == link.user_id))
    return apart


def _note(
    session: Session,
    user: User,
    journal: Mapping[str, object],
    now: datetime,
    *,
    name: str = "",
    role: Role | None = None,
) -> None:
    session.execute(delete(LinkRow).where(LinkRow.created_at <= now - UNDOABLE_FOR))
    session.add(
        LinkRow(user_id=user.user_id, name=name, role=role, journal=dict(journal), created_at=now)
    )
    session.flush()


def _remove_addresses(session: Session, link: Link) -> None:
    for address in link.addresses:
        session.execute(
            delete(IdentityRow).where(
                IdentityRow.channel == address.channel,
                IdentityRow.sender == address.sender,
                IdentityRow.user_id == link.user_id,
            )
        )
    session.expire_all()


def _move_conversations(session: Session, link: Link, apart_id: str) -> None:
    """Give back the chats, those begun since then as well, each with a new session, and what was
    kept of them. What waits there of the other user's, unasked, is not sent."""
    begun_since = and_(
        ConversationRow.created_at >= link.since,
        tuple_(ConversationRow.channel, ConversationRow.sender).in_(spelled(link.addresses)),
    )
    chats = session.scalars(
        select(ConversationRow).where(
            ConversationRow.user_id == link.user_id,
            or_(ConversationRow.conversation_id.in_(link.conversations), begun_since),
        )
    ).all()
    for chat in chats:
        first = chat.first_chat
        session.execute(
            delete(EventRow).where(
                EventRow.user_id == link.user_id,
                EventRow.session_id.startswith(
                    f"{link.user_id}:{chat.channel}:{first}#", autoescape=True
                ),
            )
        )
        conversations.start_next_session(session, chat.conversation_id)
    ids = [chat.conversation_id for chat in chats]
    departures.withhold_notices(session, ids)
    turns = select(ArchivedTurnRow.archive_id).where(ArchivedTurnRow.conversation_id.in_(ids))
    read = select(DigestRow.digest_id).where(DigestRow.conversation_id.in_(ids))
    for table, key, values in (
        (ArchivedTermRow, ArchivedTermRow.archive_id, turns),
        (DigestWindowRow, DigestWindowRow.digest_id, read),
    ):
        session.execute(update(table).where(key.in_(values)).values(user_id=apart_id))
    for owned in (ConversationRow, ArchivedTurnRow, DigestRow):
        session.execute(
            update(owned).where(owned.conversation_id.in_(ids)).values(user_id=apart_id)
        )
    session.expire_all()


def _move_memories(session: Session, link: Link, apart_id: str, now: datetime) -> None:
    """Give back the memories, those since then that come from the chats, and a copy of what
    both knew."""
    turns = (
        select(InboxRow.turn_id)
        .join(ConversationRow, ConversationRow.conversation_id == InboxRow.conversation_id)
        .where(ConversationRow.user_id == apart_id, InboxRow.turn_id.is_not(None))
        .union(select(ArchivedTurnRow.turn_id).where(ArchivedTurnRow.user_id == apart_id))
    )
    read = select(DigestRow.digest_id).where(DigestRow.user_id == apart_id)
    rows = session.scalars(
        select(MemoryRow).where(
            MemoryRow.user_id == link.user_id,
            or_(
                MemoryRow.memory_id.in_(link.memories),
                MemoryRow.memory_id.not_in(link.shared)
                & (MemoryRow.turn_id.in_(turns) | MemoryRow.digest_id.in_(read)),
            ),
        )
    ).all()
    moved = [row.memory_id for row in rows]
    active = [row.memory_id for row in rows if row.status == MemoryStatus.ACTIVE]
    for table in (MemoryRow, MemoryTermRow, MemoryEntityRow):
        session.execute(update(table).where(table.memory_id.in_(moved)).values(user_id=apart_id))
    # What they tell of people and things is noted again for whom they are now.
    relations.drop(session, link.user_id, moved)
    session.expire_all()
    copies = [_copy(session, number, apart_id) for number in _still(session, link)]
    indexes.add_ops(session, link.user_id, active, IndexOperation.REMOVE, now)
    indexes.add_ops(session, apart_id, [*active, *copies], IndexOperation.PUT, now)


def _still(session: Session, link: Link) -> Sequence[int]:
    """What both knew, and the one who is left knows still."""
    rows = session.scalars(
        select(MemoryRow.memory_id).where(
            MemoryRow.user_id == link.user_id,
            MemoryRow.memory_id.in_(link.shared),
            MemoryRow.status == MemoryStatus.ACTIVE,
        )
    )
    return rows.all()


def _copy(session: Session, memory_id: int, apart_id: str) -> int:
    kept = _values(session, MemoryRow, memory_id, without={"memory_id", "superseded_by"})[0]
    number = session.scalar(
        insert(MemoryRow).values(**{**kept, "user_id": apart_id}).returning(MemoryRow.memory_id)
    )
    for table in (MemoryTermRow, MemoryEntityRow):
        copied = _values(session, table, memory_id, without=set())
        rows = [{**each, "user_id": apart_id, "memory_id": number} for each in copied]
        if rows:
            session.execute(insert(table), rows)
    return number or 0


def _values(
    session: Session,
    table: type[MemoryRow | MemoryTermRow | MemoryEntityRow],
    memory_id: int,
    *,
    without: Collection[str],
) -> Sequence[dict[str, object]]:
    columns = [each for each in table.__table__.columns if each.name not in without]
    rows = session.execute(select(*columns).where(table.memory_id == memory_id)).mappings()
    return [{str(name): value for name, value in row.items()} for row in rows]
