"""Paths: whom a text means that calls somebody by what they are to somebody else, such as `my
sister's husband`.

One recursive query follows the relations that count, two of them at most, from the user or
from whoever the text names. Each goes by another word of the text.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import regex
from sqlalchemy import Integer, Text, TextClause, bindparam, text
from sqlalchemy.orm import Session

from gaia.memory.owner import owner
from gaia.memory.text import bare_words, content_terms
from gaia.store.base import UtcDateTime

MOST_WORDS = 40
"""Terms of a text that are followed."""

MOST_ENDS = 200

POSSESSIVE = regex.compile(r"['’]s?\s")  # noqa: RUF001 - as people write it

COUNTING = """
counting AS (
  SELECT memory_id FROM memories
  WHERE user_id = :user_id AND status = 'active'
    AND (expires_at IS NULL OR expires_at > :now)
    AND (:with_sensitive OR NOT sensitive)
    AND (:everywhere OR context IN :contexts)
    AND memory_id IN (SELECT memory_id FROM relations WHERE user_id = :user_id)
),
same(one, other) AS (
  SELECT subject_id, object_id FROM relations JOIN counting USING (memory_id) WHERE is_same
  UNION
  SELECT object_id, subject_id FROM relations JOIN counting USING (memory_id) WHERE is_same
  UNION
  SELECT a.entity_id, b.entity_id FROM entities a
  JOIN entities b ON b.user_id = a.user_id AND b.key = a.key AND b.kind = a.kind
  WHERE a.user_id = :user_id AND a.entity_id != b.entity_id
),
class(entity_id, root) AS (
  SELECT entity_id, entity_id FROM entities WHERE user_id = :user_id
  UNION
  SELECT same.one, class.root FROM class JOIN same ON same.other = class.entity_id
),
thing(entity_id, root) AS (SELECT entity_id, min(root) FROM class GROUP BY entity_id)
"""
"""What counts of the graph, and under which of its names each of its things goes: `root`."""

SCOPE = (
    bindparam("contexts", expanding=True, type_=Text()),
    bindparam("now", type_=UtcDateTime()),
)
"""What `COUNTING` is asked with, beside whose."""

THINGS = text(
    f"""
WITH RECURSIVE {COUNTING}
SELECT entity_id, root, key, name, kind FROM thing JOIN entities USING (entity_id)
ORDER BY entity_id
"""  # noqa: S608 - constants alone
).bindparams(*SCOPE)
"""The names of each thing of the graph, the first ones first."""

_ROOTS = bindparam("roots", expanding=True, type_=Integer())

_PATHS = f"""
WITH RECURSIVE {COUNTING},
step(start, goal, words, memory_id) AS (
  SELECT o.root, s.root, r.forth, r.memory_id
  FROM relations r JOIN counting USING (memory_id)
  JOIN thing s ON s.entity_id = r.subject_id JOIN thing o ON o.entity_id = r.object_id
  WHERE r.forth != ''
  UNION ALL
  SELECT s.root, o.root, r.back, r.memory_id
  FROM relations r JOIN counting USING (memory_id)
  JOIN thing s ON s.entity_id = r.subject_id JOIN thing o ON o.entity_id = r.object_id
  WHERE r.back != ''
),
asked(place, word) AS (
  SELECT CAST(key AS INTEGER), ' ' || value || ' ' FROM {{pairs}}(CAST(:words AS {{json}})) AS w
),
path(begin, named, goal, depth, first, last, memories) AS (
  SELECT root, CASE WHEN kind = 'user' THEN '' ELSE key END, root, 0, -1, -1, ''
  FROM thing JOIN entities USING (entity_id)
  WHERE kind = 'user' OR {{place}}(:bare, ' ' || replace(key, '_', ' ') || ' ') > 0
  UNION
  SELECT path.begin, path.named, step.goal, path.depth + 1,
    CASE WHEN path.depth = 0 THEN asked.place ELSE path.first END, asked.place,
    path.memories || ',' || step.memory_id
  FROM path JOIN step ON step.start = path.goal
  JOIN asked ON {{place}}(step.words, asked.word) > 0
  WHERE path.depth < 2 AND asked.place != path.first
    AND step.goal NOT IN (path.begin, path.goal)
)
SELECT DISTINCT named, goal, depth, first, last, memories FROM path
WHERE depth > 0 OR named != '' ORDER BY depth DESC LIMIT {MOST_ENDS}
"""  # noqa: S608 - constants alone

PATHS: Mapping[str, TextClause] = {
    dialect: text(_PATHS.format(pairs=pairs, json=json_type, place=place)).bindparams(*SCOPE)
    for dialect, pairs, json_type, place in (
        ("sqlite", "json_each", "TEXT", "instr"),
        ("postgresql", "json_each_text", "JSON", "strpos"),
    )
}
"""What is followed, in the words of each database."""

_NAMES = text(
    f"""
WITH RECURSIVE {COUNTING}
SELECT thing.root, name, key FROM thing JOIN entities USING (entity_id)
WHERE thing.root IN :roots ORDER BY entity_id
"""  # noqa: S608
).bindparams(*SCOPE, _ROOTS)

_ABOUT = text(
    f"""
WITH RECURSIVE {COUNTING}
SELECT r.memory_id, thing.root
FROM relations r JOIN counting USING (memory_id)
JOIN thing ON thing.entity_id IN (r.subject_id, r.object_id)
WHERE thing.root IN :roots ORDER BY r.memory_id DESC LIMIT {MOST_ENDS}
"""  # noqa: S608
).bindparams(*SCOPE, _ROOTS)

_TOLD = text(
    """
SELECT memory_id FROM memory_terms WHERE user_id = :user_id AND term IN :terms
GROUP BY memory_id HAVING count(DISTINCT ltrim(term, '@')) = :number
ORDER BY memory_id DESC LIMIT 50
"""
).bindparams(bindparam("terms", expanding=True, type_=Text()))


@dataclass(frozen=True, slots=True)
class Scope:
    """Which memories count: those of some contexts, of all where none is named; and whether
    sensitive ones do."""

    now: datetime
    contexts: Collection[str] | None = None
    with_sensitive: bool = True


@dataclass(frozen=True, slots=True)
class Meant:
    """Somebody or something that a text means: their names, what was followed, and the memories
    that it was followed by. `terms` are those of the text that were needed."""

    names: Sequence[str]
    root: int
    depth: int
    terms: frozenset[str]
    memory_ids: frozenset[int]


def meant(session: Session, user_id: str, words: str, within: Scope) -> Sequence[Meant]:
    """Whom a text means by what they are to its sender, or to whoever it names: those who take
    the most steps. A name alone means nobody here, unless the text is nothing else."""
    terms = _in_order(words)
    if not terms:
        return ()
    asked = {
        **counting(owner(user_id), within),
        "words": json.dumps(dict(enumerate(terms))),
        "bare": f" {bare_words(words)} ",
    }
    found = session.execute(PATHS[session.get_bind().dialect.name], asked).all()
    steps = [each for each in found if each.depth] or [
        each for each in found if content_terms(each.named.replace("_", " ")) >= set(terms)
    ]
    deepest = max((each.depth for each in steps), default=0)
    best = [each for each in steps if each.depth == deepest]
    if deepest > 1 and POSSESSIVE.search(f"{words} "):
        best = [each for each in best if each.first < each.last] or best
    names = _names(session, user_id, {each.goal for each in best}, within)
    made: dict[int, Meant] = {}
    for each in best:
        places = {place for place in (each.first, each.last) if place >= 0}
        used = {terms[place] for place in places} | content_terms(each.named.replace("_", " "))
        followed = frozenset(int(number) for number in each.memories.split(",") if number)
        earlier = made.get(each.goal)
        if earlier is None or len(used) > len(earlier.terms):
            made[each.goal] = Meant(
                names.get(each.goal, ()), each.goal, deepest, frozenset(used), followed
            )
    return list(made.values())


def memories_about(
    session: Session, user_id: str, whom: Collection[Meant], within: Scope
) -> Sequence[int]:
    """The numbers of memories that tell of them: by a relation, or by their name. Whether
    those that name them count is for the caller to see."""
    roots = [each.root for each in whom]
    if not roots:
        return ()
    rows = session.execute(_ABOUT, {**counting(owner(user_id), within), "roots": roots})
    found = dict.fromkeys(row.memory_id for row in rows)
    for name in dict.fromkeys(name for each in whom for name in each.names):
        terms = content_terms(name)
        told = session.scalars(
            _TOLD,
            {
                "user_id": user_id,
                "terms": [*terms, *(f"@{term}" for term in terms)],
                "number": len(terms),
            },
        )
        found |= dict.fromkeys(told if terms else ())
    return list(found)


def _names(
    session: Session, user_id: str, roots: Collection[int], within: Scope
) -> dict[int, list[str]]:
    if not roots:
        return {}
    found: dict[int, list[str]] = {}
    for row in session.execute(_NAMES, {**counting(user_id, within), "roots": list(roots)}):
        found.setdefault(row.root, []).append(row.name)
    return found


def counting(user_id: str, within: Scope) -> dict[str, object]:
    """The parameters of `COUNTING`."""
    return {
        "user_id": user_id,
        "now": within.now,
        "with_sensitive": within.with_sensitive,
        "everywhere": within.contexts is None,
        "contexts": list(within.contexts or ()),
    }


def _in_order(words: str) -> list[str]:
    """The terms that say something, in their order."""
    found: list[str] = []
    for word in bare_words(words).split():
        found += sorted(content_terms(word))
        if len(found) > MOST_WORDS:
            break
    return found[:MOST_WORDS]
