"""Relations: whom and what a user's memories are about, and how these belong together.

Read from the graph, in which several names may be one thing, and from the entities that memories
are marked with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Row, or_, select, text
from sqlalchemy.orm import Session

from gaia.memory.owner import owner
from gaia.memory.people.entities import key_of
from gaia.memory.people.graph import SELVES, USER_KIND
from gaia.memory.people.paths import COUNTING, SCOPE, THINGS, Scope, counting
from gaia.store.memory_tables import MemoryEntityRow, MemoryRow, MemoryStatus

USER = ""
"""The key of the user themselves."""

MOST_RELATIONS = 1000

_HOLDING = text(
    f"""
WITH RECURSIVE {COUNTING}
SELECT r.memory_id, s.root AS subject, r.predicate, o.root AS object
FROM relations r JOIN counting USING (memory_id)
LEFT JOIN thing s ON s.entity_id = r.subject_id LEFT JOIN thing o ON o.entity_id = r.object_id
WHERE NOT (r.is_same OR r.is_apart)
ORDER BY r.memory_id, r.relation_id LIMIT {MOST_RELATIONS}
"""  # noqa: S608 - constants alone
).bindparams(*SCOPE)


@dataclass(slots=True)
class Entity:
    """Somebody or something: `key` tells it from others, `kind` is empty where nobody said
    it, `memories` are the numbers of those that are about it. It goes by the first of its
    `names`."""

    key: str
    names: list[str]
    kind: str = ""
    memories: set[int] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The name that it was first met by."""
        return self.names[0]


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


def relations(session: Session, user_id: str, user_name: str, now: datetime) -> Relations:
    """What a user's memories that count at a time tell of people and things. The user is one
    of them."""
    asked = counting(owner(user_id), Scope(now))
    things = _Things(user_name, session.execute(THINGS, asked).all())
    found: list[Relation] = []
    for row in session.execute(_HOLDING, asked):
        ends = [things.by_root[root] for root in (row.subject, row.object) if root is not None]
        for end in ends:
            end.memories.add(row.memory_id)
        if row.predicate and len(ends) == 2 and ends[0] is not ends[1]:
            found.append(Relation(ends[0].key, row.predicate, ends[1].key, row.memory_id))
    marked = session.execute(
        select(MemoryEntityRow.memory_id, MemoryEntityRow.entity)
        .join(MemoryRow, MemoryRow.memory_id == MemoryEntityRow.memory_id)
        .where(
            MemoryEntityRow.user_id == user_id,
            MemoryRow.user_id == user_id,
            MemoryRow.status == MemoryStatus.ACTIVE,
            or_(MemoryRow.expires_at.is_(None), MemoryRow.expires_at > now),
        )
        .order_by(MemoryEntityRow.memory_id, MemoryEntityRow.entity)
    )
    for memory_id, mark in marked:
        things.marked(mark).memories.add(memory_id)
    told = [each for each in things.by_key.values() if each.memories or each.key == USER]
    told.sort(key=lambda each: -len(each.memories))
    return Relations(told, found)


class _Things:
    """The things that are known: by the roots of the graph, and each once by its key."""

    def __init__(self, user_name: str, rows: Sequence[Row[Any]]) -> None:
        user = Entity(USER, [user_name])
        own = {*SELVES, key_of(user_name)}
        self.by_key = {USER: user}
        self._by_name = dict.fromkeys(own, user)
        self.by_root = {row.root: user for row in rows if row.kind == USER_KIND or row.key in own}
        for row in rows:
            thing = self.by_root.get(row.root)
            if thing is None:
                thing = self.by_root[row.root] = Entity(_named(row.kind, row.key), [])
                self.by_key[thing.key] = thing
            if thing is not user:
                thing.names = list(dict.fromkeys([*thing.names, row.name]))
                thing.kind = thing.kind or row.kind
            for name in (_named(row.kind, row.key), row.key):
                self._by_name.setdefault(name, thing)

    def marked(self, mark: str) -> Entity:
        """The thing that a memory is marked with. Of the same name is the same, unless both
        have a kind and these are two."""
        kind, _, key = mark.rpartition(":")
        of_name = self._by_name.get(key)
        found = self._by_name.get(mark)
        if found is None and of_name is not None and (not kind or not of_name.kind):
            found = of_name
        if found is None:
            found = self.by_key[mark] = Entity(mark, [key.replace("_", " ").title()])
            self._by_name.setdefault(key, found)
        if found.key != USER:
            found.kind = found.kind or kind
        self._by_name[mark] = found
        return found


def _named(kind: str, key: str) -> str:
    return f"{kind}:{key}" if kind else key
