"""Entities: what a memory is about, under one name however it is written.

An entity is a kind and a name, `person:sarah_chen`; of one whose kind nobody said,
the name alone, `sarah_chen`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from gaia.memory.contexts import ONLY_GLOBAL
from gaia.memory.memory import Memory, memory_of
from gaia.memory.owner import owner
from gaia.memory.text import bare_words, content_terms, normalise
from gaia.store.memory_tables import MemoryEntityRow, MemoryRow, MemoryStatus

LONGEST_ENTITY = 64
"""Characters of an entity's name, and of its kind."""


def entity(told: str) -> str:
    """The entity that is meant: `Person: Sarah Chen` is `person:sarah_chen`. Idempotent;
    empty when there is no word in it."""
    kind, colon, name = normalise(told).partition(":")
    if not colon or not _name(kind) or not _name(name):
        return _name(normalise(told))
    return f"{_name(kind)}:{_name(name)}"


def key_of(told: str) -> str:
    """The name of the entity that is meant, without its kind: `sarah_chen`."""
    return entity(told).rpartition(":")[2]


def still_named(names: Iterable[str], text: str) -> Sequence[str]:
    """Those of the entities that a text names."""
    named = content_terms(text)
    return [each for each in names if not named.isdisjoint(content_terms(key_of(each)))]


def about(
    session: Session, user_id: str, told: str, contexts: Collection[str] = ONLY_GLOBAL
) -> Sequence[Memory]:
    """The user's active memories about an entity in some contexts, the newest first; one
    without a kind stands for each of that name."""
    known = entity(told)
    meant = MemoryEntityRow.entity == known
    if ":" not in known:
        meant = or_(meant, MemoryEntityRow.entity.endswith(f":{known}", autoescape=True))
    rows = session.scalars(
        select(MemoryRow)
        .where(
            MemoryRow.user_id == owner(user_id),
            MemoryRow.status == MemoryStatus.ACTIVE,
            MemoryRow.context.in_(contexts),
            MemoryRow.memory_id.in_(
                select(MemoryEntityRow.memory_id).where(MemoryEntityRow.user_id == user_id, meant)
            ),
        )
        .order_by(MemoryRow.memory_id.desc())
    )
    return [memory_of(row) for row in rows] if known else []


def known_as(session: Session, user_id: str, name: str) -> str:
    """The entity as the user's memories name it: one without a kind is the one of that
    name that has one, if there is only that."""
    if not name or ":" in name:
        return name
    known = session.scalars(
        select(MemoryEntityRow.entity)
        .where(
            MemoryEntityRow.user_id == owner(user_id),
            MemoryEntityRow.entity.endswith(f":{name}", autoescape=True),
        )
        .distinct()
        .limit(2)
    )
    found = known.all()
    return found[0] if len(found) == 1 else name


def by_memory(session: Session, user_id: str) -> Mapping[int, Sequence[str]]:
    """What each of the user's memories is about, where it is about anything."""
    rows = session.execute(
        select(MemoryEntityRow.memory_id, MemoryEntityRow.entity)
        .where(MemoryEntityRow.user_id == owner(user_id))
        .order_by(MemoryEntityRow.memory_id, MemoryEntityRow.entity)
    )
    found: dict[int, list[str]] = {}
    for memory_id, name in rows:
        found.setdefault(memory_id, []).append(name)
    return found


def _name(text: str) -> str:
    return bare_words(text).replace(" ", "_")[:LONGEST_ENTITY].strip("_")


def of_memory(session: Session, user_id: str, memory_id: int) -> Sequence[str]:
    """The entities that a memory is about."""
    stored = session.scalars(
        select(MemoryEntityRow.entity)
        .where(MemoryEntityRow.user_id == owner(user_id), MemoryEntityRow.memory_id == memory_id)
        .order_by(MemoryEntityRow.entity)
    )
    return stored.all()
