"""People and things as a user's memories know them: under which names, what is between them and
since when; and which of two names are the same.

That two names are one is itself a memory, said by the user or learned: it can be forgotten,
corrected and exported like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Text, bindparam, text
from sqlalchemy.orm import Session

from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.memory.owner import owner
from gaia.memory.people import graph
from gaia.memory.people.entities import key_of
from gaia.memory.people.paths import SCOPE, THINGS, Scope, counting, meant
from gaia.store.base import UtcDateTime
from gaia.store.memory_tables import MemorySource

MOST = 1000
"""Relations that are read of one user."""

SAME, APART = "same as", "not same as"

_TIES = text(
    f"""
SELECT r.memory_id, r.subject_id, r.predicate, r.object_id, r.is_same, r.is_apart,
  m.status = 'active' AS holds, m.valid_from, m.valid_to
FROM relations r JOIN memories m USING (memory_id)
WHERE r.user_id = :user_id AND m.user_id = :user_id AND m.status IN ('active', 'superseded')
  AND (m.expires_at IS NULL OR m.expires_at > :now)
  AND (:with_sensitive OR NOT m.sensitive) AND (:everywhere OR m.context IN :contexts)
ORDER BY m.status, r.memory_id DESC, r.relation_id LIMIT {MOST}
"""  # noqa: S608
).columns(valid_from=UtcDateTime(), valid_to=UtcDateTime())
_TIES = _TIES.bindparams(*SCOPE)


@dataclass(frozen=True, slots=True)
class Tie:
    """What a memory tells of somebody: what `subject` is to `object`, by their names; since
    when, and until when if it holds no longer."""

    memory_id: int
    subject: str
    predicate: str
    object: str
    since: datetime
    until: datetime | None
    holds: bool


@dataclass(slots=True)
class Known:
    """Somebody or something. `number` tells it from others of the same name."""

    number: int
    names: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    kind: str = ""
    ties: list[Tie] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Their first name in the memories."""
        return self.names[0]

    @property
    def is_user(self) -> bool:
        """Whether that is the user themselves."""
        return self.kind == graph.USER_KIND

    @property
    def holds(self) -> bool:
        """Whether anything counts that is told of them."""
        return any(each.holds for each in self.ties)


@dataclass(frozen=True, slots=True)
class People:
    """All that are known, those first of whom most is told; and pairs of names of which it is
    not sure that they are two."""

    all: Sequence[Known]
    unsure: Sequence[tuple[Known, Known]]


def people(session: Session, user_id: str, within: Scope) -> People:
    """Whom and what the user's memories tell of."""
    asked = counting(owner(user_id), within)
    found: dict[int, Known] = {}
    of: dict[int, Known] = {}
    names: dict[int, str] = {}
    for row in session.execute(THINGS, asked):
        known = of[row.entity_id] = found.setdefault(row.root, Known(row.root))
        names[row.entity_id] = row.name
        known.names = list(dict.fromkeys([*known.names, row.name]))
        known.keys.add(row.key)
        known.kind = known.kind or row.kind
    apart: set[frozenset[int]] = set()
    for row in session.execute(_TIES, asked):
        ends = [of[each] for each in (row.subject_id, row.object_id) if each in of]
        if row.is_apart:
            if row.holds:
                apart.add(frozenset(each.number for each in ends))
            continue
        tie = Tie(
            row.memory_id,
            names.get(row.subject_id, ""),
            row.predicate,
            names.get(row.object_id, ""),
            row.valid_from,
            row.valid_to,
            row.holds,
        )
        for known in {each.number: each for each in ends}.values():
            _add(known, tie)
    told = [each for each in found.values() if each.ties and not each.is_user]
    told.sort(key=lambda each: (-sum(tie.holds for tie in each.ties), each.name))
    return People(told, _unsure(told, apart))


def find(session: Session, user_id: str, words: str, within: Scope) -> Sequence[Known]:
    """Whom a name, a number such as `#3`, or words such as `my sister` mean; all that may be
    meant."""
    everybody = people(session, user_id, within).all
    number = words.strip().removeprefix("#")
    if number.isdecimal():
        return [each for each in everybody if str(each.number) == number]
    key = key_of(words)
    named = [each for each in everybody if key and key in each.keys]
    if named:
        return named
    roots = {each.root for each in meant(session, user_id, words, within)}
    parts = set(filter(None, key.split("_")))
    return [each for each in everybody if each.number in roots] or [
        each for each in everybody if parts and any(parts <= set(k.split("_")) for k in each.keys)
    ]


def merge(
    session: Session,
    user_id: str,
    one: Known,
    other: Known,
    now: datetime,
    context: str,
    *,
    turn_id: str | None,
) -> None:
    """Keep that two names are the same."""
    _keep(session, user_id, one, SAME, other, now, context, turn_id)


def split(
    session: Session,
    user_id: str,
    one: str,
    other: str,
    now: datetime,
    context: str,
    *,
    turn_id: str | None,
) -> None:
    """Keep that two names are not the same."""
    first, second = (Known(0, [name], {key_of(name)}) for name in (one, other))
    _keep(session, user_id, first, APART, second, now, context, turn_id)


_NAMED = (
    bindparam("ones", expanding=True, type_=Text()),
    bindparam("others", expanding=True, type_=Text()),
)

_OPPOSITE = {
    predicate: text(
        f"""
SELECT DISTINCT r.memory_id FROM relations r JOIN memories m USING (memory_id)
JOIN entities s ON s.entity_id = r.subject_id JOIN entities o ON o.entity_id = r.object_id
WHERE r.user_id = :user_id AND m.status = 'active' AND r.{column}
  AND ((s.key IN :ones AND o.key IN :others) OR (s.key IN :others AND o.key IN :ones))
"""  # noqa: S608 - constants alone
    ).bindparams(*_NAMED)
    for predicate, column in ((SAME, "is_apart"), (APART, "is_same"))
}


def _keep(
    session: Session,
    user_id: str,
    one: Known,
    predicate: str,
    other: Known,
    now: datetime,
    context: str,
    turn_id: str | None,
) -> None:
    """Keep that two are the same, or not, and end what says the opposite."""
    asked = {"user_id": owner(user_id), "ones": list(one.keys), "others": list(other.keys)}
    for memory_id in session.scalars(_OPPOSITE[predicate], asked).all():
        ledger.retract(session, user_id, memory_id, now)
    are = "the same" if predicate == SAME else "not the same"
    said = Statement(
        text=f"{one.name} and {other.name} are {are}.",
        source=MemorySource.USER,
        subject=one.name,
        predicate=predicate,
        object=other.name,
        context=context,
        turn_id=turn_id,
        said_again_at=now,
    )
    ledger.add(session, user_id, said, now)


def _add(known: Known, tie: Tie) -> None:
    """Add what is told, unless what still holds says the same."""
    says = (tie.subject, tie.predicate, tie.object)
    if tie.holds or all(says != (each.subject, each.predicate, each.object) for each in known.ties):
        known.ties.append(tie)


def _unsure(
    told: Sequence[Known], apart: Collection[frozenset[int]]
) -> Sequence[tuple[Known, Known]]:
    """Pairs in which one name is a part of the other: `Tom` and `Tom Baker`."""
    words = {each.number: [set(key.split("_")) for key in each.keys] for each in told}
    holders: dict[str, list[Known]] = {}
    for each in told:
        for part in {part for parts in words[each.number] for part in parts}:
            holders.setdefault(part, []).append(each)
    found: dict[frozenset[int], tuple[Known, Known]] = {}
    for one in told:
        for other in {
            o.number: o for p in words[one.number] for w in p for o in holders[w]
        }.values():
            pair = frozenset((one.number, other.number))
            if one is not other and pair not in apart and _may_be_one(one, other, words):
                found.setdefault(pair, (one, other))
    return list(found.values())


def _may_be_one(one: Known, other: Known, words: Mapping[int, Sequence[set[str]]]) -> bool:
    if graph.PERSON not in (one.kind, other.kind) or (
        one.kind and other.kind and one.kind != other.kind
    ):
        return False
    return any(a < b or b < a for a in words[one.number] for b in words[other.number])
