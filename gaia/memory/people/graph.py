"""The graph: people and things, and what each memory tells of what is between them.

It is made from the memories, in the transaction that writes them, and gone with them. Whether
a relation counts, since when and in which context, its memory tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, FromClause, case, exists, insert, or_, select
from sqlalchemy.orm import Session

from gaia.memory.extraction import Relation
from gaia.memory.owner import owner
from gaia.memory.people.entities import LONGEST_ENTITY, entity, key_of
from gaia.memory.people.kinship import Kinship, kinship
from gaia.memory.text import normalise, storable
from gaia.store.base import table_of
from gaia.store.memory_tables import EntityRow, MemoryRow, RelationRow
from gaia.store.tables import UserRow

USER_KIND = "user"
PERSON = "person"

SELVES = frozenset({"user", "the_user", "i", "me", "myself", "you"})
"""How statements name the user, beside their name."""

MOST_RELATIONS = 20
"""Relations of one memory, at most."""

ENTITIES, RELATIONS = table_of(EntityRow), table_of(RelationRow)


def relation_of(row: MemoryRow) -> Relation:
    """The relation that a row itself tells."""
    return Relation(row.subject, row.predicate, row.object)


def note(session: Session, row: MemoryRow, told: Sequence[Relation]) -> None:
    """Note what a memory tells of people and things, in addition to what is noted."""
    told = [each for each in dict.fromkeys(told) if each.subject or each.object][:MOST_RELATIONS]
    if not told:
        return
    noted = session.execute(
        select(RelationRow.subject_id, RelationRow.predicate, RelationRow.object_id).where(
            RelationRow.memory_id == row.memory_id
        )
    )
    known = {(subject, predicate, thing) for subject, predicate, thing in noted}
    writer = _Writer(session, row)
    for relation in told:
        predicate = storable(relation.predicate or "")
        says = kinship(predicate, from_user=writer.is_user(relation.subject))
        kind = PERSON if says.is_between_people else ""
        subject_id = writer.find(relation.subject, kind)
        object_id = writer.find(relation.object, kind)
        ends = (subject_id, predicate, object_id)
        alone = (writer.user_id, None)
        if ends not in known and subject_id != object_id and ends[::2] not in (alone, alone[::-1]):
            known.add(ends)
            session.execute(insert(RELATIONS), writer.relation(*ends, says))


def by_memory(session: Session, user_id: str) -> Mapping[int, Sequence[Relation]]:
    """What each of the user's memories tells, where it tells anything; they themselves are
    `user`, whatever their name."""
    subjects, objects = ENTITIES.alias(), ENTITIES.alias()
    rows = session.execute(
        select(RELATIONS.c.memory_id, _told_of(subjects), RELATIONS.c.predicate, _told_of(objects))
        .outerjoin(subjects, subjects.c.entity_id == RELATIONS.c.subject_id)
        .outerjoin(objects, objects.c.entity_id == RELATIONS.c.object_id)
        .where(RELATIONS.c.user_id == owner(user_id))
        .order_by(RELATIONS.c.relation_id)
    )
    found: dict[int, list[Relation]] = {}
    for memory_id, subject, predicate, thing in rows:
        found.setdefault(memory_id, []).append(Relation(subject, predicate or None, thing))
    return found


def _told_of(ends: FromClause) -> ColumnElement[str | None]:
    return case((ends.c.kind == USER_KIND, USER_KIND), else_=ends.c.name)


def catch_up(session: Session, user_id: str) -> None:
    """Note what memories tell that were kept before there was a graph."""
    rows = session.scalars(
        select(MemoryRow)
        .where(
            MemoryRow.user_id == owner(user_id),
            or_(MemoryRow.subject.is_not(None), MemoryRow.object.is_not(None)),
            ~exists().where(RelationRow.memory_id == MemoryRow.memory_id),
        )
        .order_by(MemoryRow.memory_id)
    ).all()
    for row in rows:
        note(session, row, [relation_of(row)])


class _Writer:
    """Writes what one memory tells."""

    def __init__(self, session: Session, row: MemoryRow) -> None:
        self._session = session
        self._row = row
        self.user_id: int | None = None
        name = session.scalar(
            select(UserRow.name).where(UserRow.user_id == row.user_id, UserRow.is_group.is_(False))
        )
        self._name = name or ""
        self._selves = SELVES | ({key_of(self._name)} - {""})

    def is_user(self, told: str | None) -> bool:
        """Whether the words name the user themselves."""
        return key_of(told or "") in self._selves

    def find(self, told: str | None, kind: str) -> int | None:
        """The entity of that name, which may be new; None where there is no name. One whose
        kind nobody said is taken for the one of that name that has a kind."""
        if self.is_user(told):
            self.user_id = self._one_of("", USER_KIND) or self._add(
                "", self._name or "user", USER_KIND
            )
            return self.user_id
        named, _, key = entity(told or "").rpartition(":")
        if not key:
            return None
        kind = named or kind
        same = self._one_of(key, kind) if kind else None
        if same is not None:
            return same
        others = self._session.execute(
            select(ENTITIES.c.entity_id, ENTITIES.c.kind).where(
                ENTITIES.c.user_id == self._row.user_id, ENTITIES.c.key == key
            )
        ).all()
        if not kind and len(others) == 1:
            return int(others[0].entity_id)
        unsaid = next((each.entity_id for each in others if not each.kind), None)
        if unsaid is None:
            return self._add(key, _written(told or "", key), kind)
        if kind:
            self._session.execute(
                ENTITIES.update().where(ENTITIES.c.entity_id == unsaid).values(kind=kind)
            )
        return int(unsaid)

    def relation(
        self, subject_id: int | None, predicate: str, object_id: int | None, says: Kinship
    ) -> dict[str, object]:
        """A relation as it is stored."""
        return {
            "user_id": self._row.user_id,
            "memory_id": self._row.memory_id,
            "subject_id": subject_id,
            "predicate": predicate,
            "object_id": object_id,
            "forth": _spaced(says.forth),
            "back": _spaced(says.back),
            "is_same": says.is_same,
            "is_apart": says.is_apart,
        }

    def _one_of(self, key: str, kind: str) -> int | None:
        return self._session.scalar(
            select(ENTITIES.c.entity_id).where(
                ENTITIES.c.user_id == self._row.user_id,
                ENTITIES.c.key == key,
                ENTITIES.c.kind == kind,
            )
        )

    def _add(self, key: str, name: str, kind: str) -> int:
        row = EntityRow(
            user_id=self._row.user_id,
            key=key,
            name=name,
            kind=kind,
            created_at=self._row.created_at,
        )
        self._session.add(row)
        self._session.flush()
        return row.entity_id


def _written(told: str, key: str) -> str:
    """The name as people write it."""
    name = storable(told).rpartition(":")[2].strip()[: 2 * LONGEST_ENTITY]
    return name if normalise(name) else key.replace("_", " ").title()


def _spaced(terms: frozenset[str]) -> str:
    return f" {' '.join(sorted(terms))} " if terms else ""
