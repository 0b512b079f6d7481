"""Shared notes: memories of owners that all members may read. Whoever is a guest, and a group,
reads none. Members propose, owners accept.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session, aliased

from gaia.errors import UnknownMemoryError
from gaia.memory import ledger, pending, rows
from gaia.memory.memory import Added, Memory, Statement, memory_of
from gaia.memory.owner import owner
from gaia.memory.text import content_terms, query_terms
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemorySource, MemoryStatus
from gaia.store.people.identities import Role
from gaia.store.tables import UserRow

MOST_NOTES = 200


def notes(
    session: Session, user_id: str, now: datetime, *, limit: int = MOST_NOTES
) -> Sequence[Memory]:
    """The notes that the user may read: pinned ones first, then the newest."""
    reader, writer = aliased(UserRow), aliased(UserRow)
    found = session.scalars(
        select(MemoryRow)
        .join(writer, writer.user_id == MemoryRow.user_id)
        .join(reader, reader.user_id == owner(user_id))
        .where(
            reader.removed_at.is_(None),
            reader.is_group.is_(False),
            reader.role.in_((Role.OWNER, Role.MEMBER)),
            writer.removed_at.is_(None),
            writer.role == Role.OWNER,
            MemoryRow.is_shared.is_(True),
            MemoryRow.status == MemoryStatus.ACTIVE,
            or_(MemoryRow.expires_at.is_(None), MemoryRow.expires_at > now),
        )
        .order_by(MemoryRow.pinned.desc(), MemoryRow.memory_id.desc())
        .limit(limit)
    )
    return [memory_of(row) for row in found]


def matching(session: Session, user_id: str, words: str, now: datetime) -> Sequence[Memory]:
    """The notes that have a word in common with some words, those with most first."""
    asked = query_terms(words)
    scored = [
        (len(asked & content_terms(each.text)), each) for each in notes(session, user_id, now)
    ]
    best = sorted((each for each in scored if each[0]), key=lambda each: -each[0])
    return [memory for _, memory in best]


def share(
    session: Session, owner_id: str, text: str, now: datetime, *, turn_id: str | None = None
) -> Added:
    """Keep a note of an owner's, said in that turn, for all members.

    Raises:
        CredentialError: It looks like a key, a password or a card number.
        UnfitMemoryError: It is empty, or longer than a memory can be.
    """
    added = ledger.add(session, owner_id, _note(text, MemorySource.USER, turn_id), now)
    row = session.get_one(MemoryRow, added.memory.memory_id)
    row.is_shared = True
    session.flush()
    return Added(memory_of(row), added.is_new)


def propose(
    session: Session,
    owner_id: str,
    text: str,
    now: datetime,
    *,
    source: MemorySource,
    turn_id: str | None = None,
) -> Memory:
    """Keep a note aside until that owner accepts it; it may tell a password, since they decide.

    Raises:
        UnfitMemoryError: It is empty, or longer than a memory can be.
    """
    return pending.add(session, owner_id, _note(text, source, turn_id, may_tell=True), now).memory


def accept(session: Session, owner_id: str, memory_id: int, now: datetime) -> Memory:
    """Share a note that was proposed.

    Raises:
        UnknownMemoryError: Nothing of that number was proposed to this owner.
    """
    _proposed(session, owner_id, memory_id)
    return pending.confirm(session, owner_id, memory_id, now)


def refuse(session: Session, owner_id: str, memory_id: int) -> None:
    """Delete a note that was proposed.

    Raises:
        UnknownMemoryError: Nothing of that number was proposed to this owner.
    """
    _proposed(session, owner_id, memory_id)
    pending.discard(session, owner_id, memory_id)


def _proposed(session: Session, owner_id: str, memory_id: int) -> None:
    row = session.scalar(rows.one_of(owner_id, memory_id, MemoryStatus.PENDING))
    if row is None or not row.is_shared:
        raise UnknownMemoryError(f"no shared note {memory_id} is proposed")


def _note(
    text: str, source: MemorySource, turn_id: str | None, *, may_tell: bool = False
) -> Statement:
    return Statement(
        text=text,
        source=source,
        kind=MemoryKind.NOTE,
        is_shared=True,
        turn_id=turn_id,
        may_tell_credentials=may_tell,
    )
