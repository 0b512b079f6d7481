"""Relations: whom and what a user's memories are about, and how these belong together.

Read from the memories that count: their subject, predicate and object, and the entities that
they are marked with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.memory.owner import owner
from gaia.memory.people.entities import entity, key_of
from gaia.memory.people.graph import SELVES
from gaia.store.memory_tables import MemoryEntityRow, MemoryRow, MemoryStatus

USER = ""
"""The key of the user themselves."""

MOST_RELATIONS = 1000


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something: `key` tells it from others, `kind` is empty where nobody said
    it, and `memories` is how many are about it."""

    key: str
    name: str
    kind: str
    memories: int


@dataclass(frozen=True, slots=True)
class Relation:
    """What is between two things, by their keys, and the memory that tells it."""

    subject: str
    predicate: str
    object: str
    memory_id: int


@dataclass(frozen=True, slots=True)
class Relations:
    """All things, those first that most memories are about, and what is between them."""

    entities: Sequence[Entity]
    relations: Sequence[Relation]


def relations(session: Session, user_id: str, user_name: str) -> Relations:
    """What a user's active memories tell of people and things. The user is one of them."""
    gathered = _Gathered(user_name)
    marked = session.execute(
        select(MemoryEntityRow.memory_id, MemoryEntityRow.entity)
        .join(MemoryRow, MemoryRow.memory_id == MemoryEntityRow.memory_id)
        .where(
            MemoryEntityRow.user_id == owner(user_id),
            MemoryRow.user_id == user_id,
            MemoryRow.status == MemoryStatus.ACTIVE,
        )
        .order_by(MemoryEntityRow.memory_id, MemoryEntityRow.entity)
    )
    for memory_id, name in marked:
        gathered.note(name, memory_id, is_written=False)
    told = session.execute(
        select(MemoryRow.memory_id, MemoryRow.subject, MemoryRow.predicate, MemoryRow.object)
        .where(
            MemoryRow.user_id == user_id,
            MemoryRow.status == MemoryStatus.ACTIVE,
            MemoryRow.subject.is_not(None) | MemoryRow.object.is_not(None),
        )
        .order_by(MemoryRow.memory_id)
        .limit(MOST_RELATIONS)
    )
    for memory_id, subject, predicate, thing in told:
        gathered.relate(subject or "", predicate or "", thing or "", memory_id)
    return gathered.relations()


class _Gathered:
    """The things that were met so far, under the names that they were first met by."""

    def __init__(self, user_name: str) -> None:
        self._own = {USER, *SELVES, key_of(user_name)}
        self._names = {USER: user_name}
        self._written: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._memories: dict[str, set[int]] = {USER: set()}
        self._relations: list[Relation] = []

    def note(self, told: str, memory_id: int, *, is_written: bool) -> str:
        """Note that a memory is about somebody or something; returns its key. A name that
        `is_written` as people do is better than one that an entity is called by."""
        kind, _, key = entity(told).rpartition(":")
        key = USER if key in self._own else key
        if kind:
            self._kinds.setdefault(key, kind)
        if is_written and key != USER:
            self._written.setdefault(key, told)
        self._names.setdefault(key, key.replace("_", " ").title())
        self._memories.setdefault(key, set()).add(memory_id)
        return key

    def relate(self, subject: str, predicate: str, thing: str, memory_id: int) -> None:
        """Note what a memory tells."""
        told = filter(entity, (subject, thing))
        ends = [self.note(each, memory_id, is_written=True) for each in told]
        if predicate and len(ends) == 2 and ends[0] != ends[1]:
            self._relations.append(Relation(ends[0], predicate, ends[1], memory_id))

    def relations(self) -> Relations:
        counts = Counter({key: len(found) for key, found in self._memories.items()})
        names = self._names | self._written
        things = [
            Entity(key, names[key], self._kinds.get(key, ""), count)
            for key, count in counts.most_common()
        ]
        return Relations(things, self._relations)
