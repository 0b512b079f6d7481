"""Candidates: what a question is about, and which of a user's memories may answer it.

Full text and vector index each name their best. Nothing is put in order here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import BindParameter, Select, bindparam, select
from sqlalchemy.orm import Session

from gaia.errors import IndexUnavailableError
from gaia.memory import text
from gaia.memory.confidence import Decay
from gaia.memory.dates import named_time
from gaia.memory.memory import COLUMNS, Memory, memory_of
from gaia.memory.people import paths
from gaia.memory.people.paths import Scope
from gaia.memory.protocols import Nearest
from gaia.memory.search.ranking import Candidate
from gaia.store import full_text
from gaia.store.base import table_of
from gaia.store.full_text import Corpus
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemoryStatus
from gaia.store.upkeep_tables import MemoryUseRow

CANDIDATES = 150
"""Memories that each of the two searches may name."""

LONGEST_QUESTION = 600
"""Characters of a question that its meaning is taken from: an embedder reads slowly."""

MOST_WORDS = 50
"""Terms of a question that are looked for, the rarest of those that stand anywhere."""

QUESTION_MARKS = ("?", "？", "؟")  # noqa: RUF001 - those of other scripts


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories count. What is None is left open; what has run out never counts."""

    kinds: frozenset[MemoryKind] | None = None
    contexts: frozenset[str] | None = None
    with_sensitive: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for. `names` are those of its terms that name a subject."""

    text: str
    terms: frozenset[str]
    names: frozenset[str]
    known: Corpus


@dataclass(frozen=True, slots=True)
class Meaning:
    """The memories nearest to a question in meaning, with their cosines. `fault` is why
    meaning was not searched, empty if it was, and `pair_scores` what a reranker made of the
    best memories."""

    similarities: Mapping[int, float]
    fault: str = ""
    pair_scores: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What may answer, in no order, and the memory of each number. `told_of` are the names of
    those whom the question means by what they are to somebody, such as `my sister`."""

    all: Sequence[Candidate]
    memories: Mapping[int, Memory]
    told_of: str = ""


NO_MEANING = Meaning({})


def understand(session: Session, user_id: str, asked: str) -> Question:
    """What a text asks for, by what stands in the user's memories."""
    wanted = text.query_terms(asked)
    fields = {text.as_subject(term): term for term in wanted}
    known = full_text.MEMORIES.corpus(session, user_id, [*wanted, *fields])
    names = frozenset(term for field, term in fields.items() if field in known.frequencies)
    return Question(asked, wanted, names, known)


async def meaning(nearest: Nearest, user_id: str, question: Question) -> Meaning:
    """Ask the index. `user_id` is somebody's, see `owner`.

    A name pulls a vector towards every mention of it; whom the question is about is
    what `ranking` cares for, so subjects are left out."""
    asked = text.without(question.text[:LONGEST_QUESTION], question.names)
    if not question.known.size or not text.normalise(asked):
        return NO_MEANING
    try:
        found = await nearest.nearest(user_id, asked, CANDIDATES)
    except IndexUnavailableError as exc:
        return Meaning({}, str(exc))
    return Meaning({each.memory_id: each.similarity for each in found})


def gather(
    session: Session,
    user_id: str,
    question: Question,
    meaning: Meaning,
    only: Filter,
    decay: Decay,
    now: datetime,
) -> Candidates:
    """Those that either search names and that count, with what their order depends on."""
    by_words, by_number = _queries(only)
    counting = {"whose": user_id, "now": now}
    scores = full_text.MEMORIES.search(
        session,
        user_id,
        question.known.rarest(question.terms, MOST_WORDS),
        question.known,
        CANDIDATES,
        by_words,
        counting,
    )
    within = Scope(now, only.contexts, only.with_sensitive)
    asked = question.text[:LONGEST_QUESTION] if question.known.size else ""
    whom = paths.meant(session, user_id, asked, within)
    linked = set(paths.memories_about(session, user_id, whom, within))
    linked.update(number for each in whom for number in each.memory_ids)
    numbers = {*scores, *meaning.similarities, *linked}
    if not numbers:
        return Candidates((), {})
    found = session.execute(by_number, {"numbers": list(numbers), **counting})
    rows = found.all()
    subjects = _subjects({row.subject for row in rows}, question.names)
    when = named_time(question.text)
    return Candidates(
        [
            Candidate(
                memory_id=row.memory_id,
                text_score=scores.get(row.memory_id),
                similarity=meaning.similarities.get(row.memory_id),
                session_id=row.session_id,
                position=row.position,
                is_named=row.subject in subjects or row.memory_id in linked,
                is_linked=row.memory_id in linked,
                is_dated=when.covers(row.valid_from),
                is_question=row.text.rstrip().endswith(QUESTION_MARKS),
                confidence=decay.confidence(row, now),
            )
            for row in rows
        ],
        {row.memory_id: memory_of(row) for row in rows},
        ", ".join(" or ".join(each.names) for each in whom),
    )


@lru_cache(maxsize=64)
def _queries(only: Filter) -> tuple[full_text.Query, Select[Any]]:
    """What is asked of the memories that count: by words, and by number."""
    memories, uses = table_of(MemoryRow), table_of(MemoryUseRow)
    conditions = [
        memories.c.status == MemoryStatus.ACTIVE,
        memories.c.expires_at.is_(None) | (memories.c.expires_at > bindparam("now")),
    ]
    if only.kinds is not None:
        conditions.append(memories.c.kind.in_(only.kinds))
    if only.contexts is not None:
        conditions.append(memories.c.context.in_(only.contexts))
    if not only.with_sensitive:
        conditions.append(memories.c.sensitive.is_(False))
    is_named = memories.c.memory_id.in_(bindparam("numbers", expanding=True))
    whose: BindParameter[str] = bindparam("whose")
    # No index has this: SQLite would begin with all memories of the user, where it can begin
    # with the few that have the words.
    is_theirs = memories.c.user_id.concat("") == whose
    with_uses = memories.outerjoin(uses, uses.c.memory_id == memories.c.memory_id)
    return full_text.MEMORIES.query([is_theirs, *conditions]), select(
        *COLUMNS, uses.c.uses, uses.c.last_used_at
    ).select_from(with_uses).where(is_named, memories.c.user_id == whose, *conditions)


def _subjects(subjects: Collection[str | None], names: Collection[str]) -> Collection[str | None]:
    """Those of the subjects that are named."""
    return {each for each in subjects if not text.content_terms(each or "").isdisjoint(names)}
