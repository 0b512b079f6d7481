"""The ledger: what gaia knows of each user. The only writer of memories.

A row, its full text and what the vector index has to do about it change in one
transaction, the caller's. A statement that replaces another supersedes it: the older
row stays, is found no more, and tells where the newer one comes from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from gaia.errors import UnfitMemoryError, UnknownMemoryError
from gaia.memory import credentials, forgotten, rows, text
from gaia.memory.memory import Added, Memory, Page, Statement, memory_of
from gaia.memory.owner import owner
from gaia.store import indexes, profiles, relations
from gaia.store.memory_tables import IndexOperation, MemoryKind, MemoryRow, MemoryStatus

LONGEST_MEMORY = 2000
"""Characters of one memory, at most."""

CHUNK = 5000
"""Ids in one statement, well below SQLite's 32,766 parameters."""


def add(session: Session, user_id: str, said: Statement, now: datetime) -> Added:
    """Keep a statement, word for word, unless it is known already. One that was pending
    counts from now on.

    One that is said again counts for more, unless it is only a copy, or comes from the
    turn or the digest that it was kept in; it is sensitive if it ever was, and lasts as
    long as the last time.

    Raises:
        CredentialError: It looks like a key, a password or a card number.
        UnfitMemoryError: It is empty, or longer than `LONGEST_MEMORY`.
        ForgottenError: The user had it forgotten, and has not said it again since.
    """
    owner(user_id)
    said = replace(said, text=checked(said.text, may_tell=said.may_tell_credentials))
    forgotten.check(session, user_id, said)
    known = rows.same(session, user_id, said)
    if known is None:
        known = rows.insert_pending(session, user_id, said, now)
    else:
        rows.say_again(session, known, said, now)
    is_new = known.status == MemoryStatus.PENDING
    if is_new:
        rows.activate(session, known, now)
    return Added(memory_of(known), is_new)


def supersede(
    session: Session, user_id: str, memory_id: int, said: Statement, now: datetime
) -> Added:
    """Keep a statement in the place of an older one, which is found no more: in the same
    context, as sensitive as that, and of its turn unless it names one. One that only writes the
    same in another way changes how the older one is written.

    Raises:
        UnknownMemoryError: The user has no active memory of that number.
        As `add`.
    """
    row = _active_row(session, user_id, memory_id)
    said = replace(
        said,
        context=row.context,
        sensitive=said.sensitive or row.sensitive,
        turn_id=said.turn_id or row.turn_id,
    )
    added = add(session, user_id, said, now)
    if added.memory.memory_id == memory_id:
        rows.reword(session, row, checked(said.text), row.label, now)
        return Added(memory_of(row), is_new=False)
    give_way(session, user_id, memory_id, added.memory.memory_id, now)
    return added


def give_way(
    session: Session,
    user_id: str,
    memory_id: int,
    heir_id: int,
    now: datetime,
    *,
    told_by_heir: bool = False,
) -> None:
    """Have a memory be found no more, since another is there in its place; `told_by_heir` as
    long as both are there.

    Raises:
        UnknownMemoryError: The user has no active memory of that number.
    """
    row = _active_row(session, user_id, memory_id)
    row.superseded_by, row.valid_to = heir_id, now
    row.told_by_heir = told_by_heir
    if row.pinned and (heir := session.scalar(rows.one_of(user_id, heir_id))) is not None:
        heir.pinned = True
    rows.retire(session, row, MemoryStatus.SUPERSEDED, now)


def retract(session: Session, user_id: str, memory_id: int, now: datetime) -> Memory:
    """End a memory that holds no longer, and that nothing takes the place of.

    Raises:
        UnknownMemoryError: The user has no active memory of that number.
    """
    row = _active_row(session, user_id, memory_id)
    row.valid_to = now
    rows.retire(session, row, MemoryStatus.SUPERSEDED, now)
    return memory_of(row)


def set_sensitive(
    session: Session, user_id: str, memory_id: int, *, sensitive: bool, now: datetime
) -> Memory:
    """Say whether a memory is offered to the model without being searched for.

    Raises:
        UnknownMemoryError: The user has no active memory of that number.
    """
    row = _active_row(session, user_id, memory_id)
    row.sensitive = sensitive
    rows.note_change(session, row, now)
    return memory_of(row)


def set_pinned(
    session: Session, user_id: str, memory_id: int, *, pinned: bool, now: datetime
) -> Memory:
    """Say whether a memory is told before others, and never runs out.

    Raises:
        UnknownMemoryError: The user has no active memory of that number.
    """
    row = _active_row(session, user_id, memory_id)
    row.pinned = pinned
    row.expires_at = None if pinned else row.expires_at
    rows.note_change(session, row, now)
    return memory_of(row)


def get(session: Session, user_id: str, memory_id: int) -> Memory:
    """A memory of the user, whatever its status.

    Raises:
        UnknownMemoryError: The user has no memory of that number.
    """
    found = find(session, user_id, memory_id)
    if found is None:
        raise UnknownMemoryError(f"there is no memory {memory_id}: 'gaia memory list' shows all")
    return found


def find(session: Session, user_id: str, memory_id: int) -> Memory | None:
    """A memory of the user, whatever its status, if they have one of that number."""
    row = session.scalar(rows.one_of(user_id, memory_id))
    return None if row is None else memory_of(row)


def get_many(session: Session, user_id: str, memory_ids: Collection[int]) -> Sequence[Memory]:
    """Those of these memories that the user has, in the order of their numbers."""
    owner(user_id)
    found: list[Memory] = []
    for some in _chunks(memory_ids):
        stored = session.scalars(
            rows.of(user_id).where(MemoryRow.memory_id.in_(some)).order_by(MemoryRow.memory_id)
        )
        found += map(memory_of, stored)
    return found


def page(
    session: Session,
    user_id: str,
    *,
    number: int = 1,
    size: int = 20,
    status: MemoryStatus = MemoryStatus.ACTIVE,
    contexts: Collection[str] | None = None,
) -> Page:
    """A page of the user's memories of one status, of some contexts if they are named, the
    newest first; the last for too high a number."""
    found = _of_status(user_id, status, contexts).order_by(MemoryRow.memory_id.desc())
    return rows.page(session, found, number=number, size=size)


def every(
    session: Session,
    user_id: str,
    *,
    limit: int | None = None,
    active: bool = True,
    kind: MemoryKind | None = None,
) -> Sequence[Memory]:
    """The user's memories in the order of their numbers, of a `limit` the first; all statuses
    unless `active`, and all kinds unless one is named."""
    query = rows.of(user_id)
    if kind is not None:
        query = query.where(MemoryRow.kind == kind)
    if active:
        query = query.where(MemoryRow.status == MemoryStatus.ACTIVE)
    stored = session.scalars(query.order_by(MemoryRow.memory_id).limit(limit))
    return [memory_of(row) for row in stored]


def count(
    session: Session,
    user_id: str,
    status: MemoryStatus = MemoryStatus.ACTIVE,
    contexts: Collection[str] | None = None,
) -> int:
    """How many memories of one status the user has, in some contexts if they are named."""
    return rows.count(session, _of_status(user_id, status, contexts))


def count_by_context(session: Session, user_id: str) -> Mapping[str, int]:
    """How many active memories the user has in each context, by its name."""
    found = session.execute(
        select(MemoryRow.context, func.count())
        .where(MemoryRow.user_id == owner(user_id), MemoryRow.status == MemoryStatus.ACTIVE)
        .group_by(MemoryRow.context)
        .order_by(MemoryRow.context)
    )
    return {row[0]: row[1] for row in found}


def numbers(session: Session, user_id: str) -> Sequence[int]:
    """The numbers of all memories of the user, whatever their status."""
    query = select(MemoryRow.memory_id).where(MemoryRow.user_id == owner(user_id))
    return session.scalars(query.order_by(MemoryRow.memory_id)).all()


def earlier_versions(
    session: Session, user_id: str, memory_ids: Collection[int]
) -> Sequence[Memory]:
    """What these memories have superseded, and what that has, the newest first."""
    owner(user_id)
    found: dict[int, Memory] = {}
    heirs: Collection[int] = memory_ids
    while heirs:
        older: list[Memory] = []
        for some in _chunks(heirs):
            stored = session.scalars(rows.of(user_id).where(MemoryRow.superseded_by.in_(some)))
            older += [memory_of(row) for row in stored if row.memory_id not in found]
        found |= {each.memory_id: each for each in older}
        heirs = [each.memory_id for each in older]
    return sorted(found.values(), key=lambda each: -each.memory_id)


def remove(
    session: Session, user_id: str, memory_ids: Collection[int], now: datetime
) -> Sequence[Memory]:
    """Delete memories for good, and what they superseded; returns what they were.

    Only the rows and what is made of them: what else holds their words is the
    business of `gaia.ops.forget_worker`.
    """
    found = get_many(session, user_id, memory_ids)
    older = earlier_versions(session, user_id, [each.memory_id for each in found])
    gone = list({each.memory_id: each for each in (*found, *older)}.values())
    ids = sorted(each.memory_id for each in gone)
    for some in _chunks(ids):
        session.execute(
            delete(MemoryRow).where(MemoryRow.user_id == user_id, MemoryRow.memory_id.in_(some))
        )
    indexes.add_ops(session, user_id, ids, IndexOperation.REMOVE, now)
    if gone:
        profiles.drop(session, user_id)
        relations.sweep(session, user_id)
    return gone


def checked(words: str, *, may_tell: bool = False) -> str:
    """The words as they are stored; with `may_tell` they may look like a credential.

    Raises:
        CredentialError: They look like a key, a password or a card number.
        UnfitMemoryError: They are empty, or longer than `LONGEST_MEMORY`.
    """
    stored = text.storable(words).strip()
    if not text.normalise(stored):
        raise UnfitMemoryError("there is nothing to remember in an empty text: give some words")
    if len(stored) > LONGEST_MEMORY:
        raise UnfitMemoryError(
            f"the text has {len(stored):,} characters, a memory at most {LONGEST_MEMORY:,}: "
            "keep the essence, or several parts"
        )
    if not may_tell:
        credentials.check(stored)
    return stored


def _of_status(
    user_id: str, status: MemoryStatus, contexts: Collection[str] | None
) -> Select[MemoryRow]:
    found = rows.of(user_id).where(MemoryRow.status == status)
    return found if contexts is None else found.where(MemoryRow.context.in_(contexts))


def _active_row(session: Session, user_id: str, memory_id: int) -> MemoryRow:
    row = session.scalar(rows.one_of(user_id, memory_id, MemoryStatus.ACTIVE))
    if row is None:
        raise UnknownMemoryError(
            f"there is no memory {memory_id} that counts: 'gaia memory list' shows all"
        )
    return row


def _chunks(ids: Collection[int]) -> Iterable[Sequence[int]]:
    ordered = sorted({each for each in ids if 0 < each <= rows.HIGHEST_ID})
    for start in range(0, len(ordered), CHUNK):
        yield ordered[start : start + CHUNK]
