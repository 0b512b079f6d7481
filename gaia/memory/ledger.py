"""The ledger: what gaia knows of each user. The only writer of memories.

A row, its full text and what the vector index has to do about it change in one
transaction, the caller's. A statement that replaces another supersedes it: the older
row stays, is found no more, and tells where the newer one comes from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Select, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.errors import UnfitMemoryError, UnknownMemoryError
from gaia.memory import credentials, forgotten, text
from gaia.memory.memory import Added, Memory, Page, Statement, memory_of
from gaia.memory.owner import owner
from gaia.store import index_ops, terms
from gaia.store.memory_tables import (
    IndexOperation,
    MemoryEntityRow,
    MemoryRow,
    MemorySource,
    MemoryStatus,
)

LONGEST_MEMORY = 2000
"""Characters of one memory, at most."""

CHUNK = 5000
"""Ids in one statement, well below SQLite's 32,766 parameters."""

HIGHEST_ID = 2**63 - 1
"""The largest number that a database takes."""


async def add(session: AsyncSession, user_id: str, said: Statement, now: datetime) -> Added:
    """Keep a statement, word for word, unless it is known already.

    One that is said again counts for more, unless it is only a copy, or comes from the
    turn that it was kept in; it is sensitive if it ever was, and lasts as long as the
    last time.

    Raises:
        MissingOwnerError: `user_id` is empty.
        CredentialError: It looks like a key, a password or a card number.
        UnfitMemoryError: It is empty, or longer than `LONGEST_MEMORY`.
        ForgottenError: The user had it forgotten, and has not said it again since.
    """
    owner(user_id)
    words = checked(said.text)
    await forgotten.check(session, user_id, said)
    digest = text_hash(words)
    known = await session.scalar(
        _of(user_id).where(
            MemoryRow.kind == said.kind,
            MemoryRow.context == said.context,
            MemoryRow.hash == digest,
            MemoryRow.status == MemoryStatus.ACTIVE,
        )
    )
    if known is not None:
        is_same_turn = said.turn_id is not None and said.turn_id == known.turn_id
        if said.source is not MemorySource.IMPORT and not is_same_turn:
            known.support += 1
            known.updated_at = now
        if said.source is MemorySource.USER:
            known.source = MemorySource.USER
        known.sensitive |= said.sensitive
        known.expires_at = said.expires_at
        await _write_entities(session, known, said.entities)
        return Added(memory_of(known), is_new=False)
    found = text.terms(words)
    row = MemoryRow(
        user_id=user_id,
        kind=said.kind,
        text=words,
        quote=None if said.quote is None else text.storable(said.quote),
        subject=None if said.subject is None else text.storable(said.subject),
        predicate=None if said.predicate is None else text.storable(said.predicate),
        object=None if said.object is None else text.storable(said.object),
        context=said.context,
        sensitive=said.sensitive,
        source=said.source,
        status=MemoryStatus.ACTIVE,
        support=1,
        valid_from=said.said_at or now,
        expires_at=said.expires_at,
        due_at=said.due_at,
        digest_id=said.digest_id,
        session_id=said.session_id,
        position=said.position,
        turn_id=said.turn_id,
        hash=digest,
        length=sum(found.values()),
        created_at=now,
        updated_at=now,
    )
    session.add(row)
    await session.flush()
    await terms.write(
        session, user_id, row.memory_id, {**found, **text.subject_terms(said.subject)}
    )
    await _write_entities(session, row, said.entities)
    await index_ops.add(session, user_id, [row.memory_id], IndexOperation.PUT, now)
    return Added(memory_of(row), is_new=True)


async def supersede(
    session: AsyncSession, user_id: str, memory_id: int, said: Statement, now: datetime
) -> Added:
    """Keep a statement in the place of an older one, which is found no more, and as
    sensitive as that. One that only writes the same in another way changes how the older
    one is written.

    Raises:
        MissingOwnerError: `user_id` is empty.
        UnknownMemoryError: The user has no active memory of that number.
        CredentialError: It looks like a key, a password or a card number.
        UnfitMemoryError: It is empty, or longer than `LONGEST_MEMORY`.
        ForgottenError: The user had it forgotten, and has not said it again since.
    """
    row = await _active_row(session, user_id, memory_id)
    said = replace(said, sensitive=said.sensitive or row.sensitive)
    added = await add(session, user_id, said, now)
    if added.memory.memory_id == memory_id:
        row.text = checked(said.text)
        await index_ops.add(session, user_id, [memory_id], IndexOperation.PUT, now)
        await session.flush()
        return Added(memory_of(row), is_new=False)
    row.status = MemoryStatus.SUPERSEDED
    row.superseded_by = added.memory.memory_id
    row.valid_to = row.updated_at = now
    await terms.remove(session, user_id, [memory_id])
    await index_ops.add(session, user_id, [memory_id], IndexOperation.REMOVE, now)
    await session.flush()
    return added


async def set_sensitive(
    session: AsyncSession, user_id: str, memory_id: int, *, sensitive: bool, now: datetime
) -> Memory:
    """Say whether a memory is offered to the model without being searched for.

    Raises:
        MissingOwnerError: `user_id` is empty.
        UnknownMemoryError: The user has no active memory of that number.
    """
    row = await _active_row(session, user_id, memory_id)
    row.sensitive = sensitive
    row.updated_at = now
    await session.flush()
    return memory_of(row)


async def get(session: AsyncSession, user_id: str, memory_id: int) -> Memory:
    """A memory of the user, whatever its status.

    Raises:
        MissingOwnerError: `user_id` is empty.
        UnknownMemoryError: The user has no memory of that number.
    """
    row = await session.scalar(_one_of(user_id, memory_id))
    if row is None:
        raise UnknownMemoryError(f"there is no memory {memory_id}: 'gaia memory list' shows all")
    return memory_of(row)


async def get_many(
    session: AsyncSession, user_id: str, memory_ids: Collection[int]
) -> Sequence[Memory]:
    """Those of these memories that the user has, in the order of their numbers."""
    owner(user_id)
    found: list[Memory] = []
    for some in _chunks(memory_ids):
        rows = await session.scalars(
            _of(user_id).where(MemoryRow.memory_id.in_(some)).order_by(MemoryRow.memory_id)
        )
        found += map(memory_of, rows)
    return found


async def page(session: AsyncSession, user_id: str, *, number: int = 1, size: int = 20) -> Page:
    """A page of the user's active memories, the newest first; the last for too high a number."""
    total = await count(session, user_id)
    pages = max(1, -(-total // size))
    number = min(max(1, number), pages)
    rows = await session.scalars(
        _of(user_id)
        .where(MemoryRow.status == MemoryStatus.ACTIVE)
        .order_by(MemoryRow.memory_id.desc())
        .offset((number - 1) * size)
        .limit(size)
    )
    return Page([memory_of(row) for row in rows], number, pages, total)


async def every(
    session: AsyncSession, user_id: str, *, after: int = 0, limit: int, active: bool = True
) -> Sequence[Memory]:
    """The user's memories with higher numbers than `after`, in order; all statuses unless
    `active`."""
    query = _of(user_id).where(MemoryRow.memory_id > after)
    if active:
        query = query.where(MemoryRow.status == MemoryStatus.ACTIVE)
    rows = await session.scalars(query.order_by(MemoryRow.memory_id).limit(limit))
    return [memory_of(row) for row in rows]


async def count(session: AsyncSession, user_id: str) -> int:
    """How many active memories the user has."""
    query = select(func.count()).where(
        MemoryRow.user_id == owner(user_id), MemoryRow.status == MemoryStatus.ACTIVE
    )
    return (await session.scalar(query)) or 0


async def numbers(session: AsyncSession, user_id: str) -> Sequence[int]:
    """The numbers of all memories of the user, whatever their status."""
    query = select(MemoryRow.memory_id).where(MemoryRow.user_id == owner(user_id))
    return (await session.scalars(query.order_by(MemoryRow.memory_id))).all()


async def earlier_versions(
    session: AsyncSession, user_id: str, memory_ids: Collection[int]
) -> Sequence[Memory]:
    """What these memories have superseded, and what that has, the newest first."""
    owner(user_id)
    found: dict[int, Memory] = {}
    heirs: Collection[int] = memory_ids
    while heirs:
        older: list[Memory] = []
        for some in _chunks(heirs):
            rows = await session.scalars(_of(user_id).where(MemoryRow.superseded_by.in_(some)))
            older += [memory_of(row) for row in rows if row.memory_id not in found]
        found |= {each.memory_id: each for each in older}
        heirs = [each.memory_id for each in older]
    return sorted(found.values(), key=lambda each: -each.memory_id)


async def entities(session: AsyncSession, user_id: str, memory_id: int) -> Sequence[str]:
    """What a memory is about."""
    rows = await session.scalars(
        select(MemoryEntityRow.entity)
        .where(MemoryEntityRow.user_id == owner(user_id), MemoryEntityRow.memory_id == memory_id)
        .order_by(MemoryEntityRow.entity)
    )
    return rows.all()


async def remove(
    session: AsyncSession, user_id: str, memory_ids: Collection[int], now: datetime
) -> Sequence[Memory]:
    """Delete memories for good, and what they superseded; returns what they were.

    Only the rows and what is made of them: what else holds their words is the
    business of `gaia.ops.forgetting`.
    """
    found = await get_many(session, user_id, memory_ids)
    older = await earlier_versions(session, user_id, [each.memory_id for each in found])
    gone = list({each.memory_id: each for each in (*found, *older)}.values())
    ids = sorted(each.memory_id for each in gone)
    for some in _chunks(ids):
        await session.execute(
            delete(MemoryRow).where(MemoryRow.user_id == user_id, MemoryRow.memory_id.in_(some))
        )
    await index_ops.add(session, user_id, ids, IndexOperation.REMOVE, now)
    return gone


def checked(words: str) -> str:
    """The words as they are stored.

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
    credentials.check(stored)
    return stored


def text_hash(words: str) -> str:
    """The same for texts that a reader would take for the same."""
    return hashlib.sha256(text.normalise(words).encode()).hexdigest()


def _of(user_id: str) -> Select[MemoryRow]:
    return select(MemoryRow).where(MemoryRow.user_id == owner(user_id))


def _one_of(user_id: str, memory_id: int) -> Select[MemoryRow]:
    return _of(user_id).where(MemoryRow.memory_id == min(memory_id, HIGHEST_ID))


async def _active_row(session: AsyncSession, user_id: str, memory_id: int) -> MemoryRow:
    row = await session.scalar(
        _one_of(user_id, memory_id).where(MemoryRow.status == MemoryStatus.ACTIVE)
    )
    if row is None:
        raise UnknownMemoryError(
            f"there is no memory {memory_id} that counts: 'gaia memory list' shows all"
        )
    return row


async def _write_entities(session: AsyncSession, row: MemoryRow, names: Iterable[str]) -> None:
    told = dict.fromkeys(map(text.storable, names))
    known = set(await entities(session, row.user_id, row.memory_id)) if told else set()
    rows = [
        {"user_id": row.user_id, "entity": name, "memory_id": row.memory_id}
        for name in told
        if name not in known
    ]
    if rows:
        await session.execute(insert(MemoryEntityRow), rows)


def _chunks(ids: Collection[int]) -> Iterable[Sequence[int]]:
    ordered = sorted({each for each in ids if 0 < each <= HIGHEST_ID})
    for start in range(0, len(ordered), CHUNK):
        yield ordered[start : start + CHUNK]
