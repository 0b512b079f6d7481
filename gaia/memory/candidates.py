"""Candidates: what a question is about, and which of a user's memories may answer it.

Full text and vector index are asked at once; each names its best. Nothing is put in
order here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from gaia.errors import IndexUnavailableError
from gaia.memory import text
from gaia.memory.dates import named_time
from gaia.memory.ranking import Candidate
from gaia.memory.seams import Nearest
from gaia.ports import Clock
from gaia.store import terms
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemoryStatus
from gaia.store.terms import Corpus

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
class Named:
    """The memories that the two searches named for a question, with their scores: BM25 and
    cosine. `fault` is why meaning was not searched, empty if it was."""

    question: Question
    scores: Mapping[int, float]
    similarities: Mapping[int, float]
    fault: str


class Gatherer:
    """Finds the candidates for a question."""

    def __init__(self, database: Database, nearest: Nearest, clock: Clock) -> None:
        self._database = database
        self._nearest = nearest
        self._clock = clock

    async def name(self, user_id: str, asked: str, only: Filter) -> Named:
        """Ask both searches at once. `user_id` is somebody's, see `owner`."""
        question = await self._database.read(_understand, user_id, asked)
        try:
            async with asyncio.TaskGroup() as group:
                by_meaning = group.create_task(self._by_meaning(user_id, question))
                scores = await self._database.read(self._by_words, user_id, question, only)
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return Named(question, scores, *by_meaning.result())

    def _by_words(
        self, session: Session, user_id: str, question: Question, only: Filter
    ) -> Mapping[int, float]:
        return terms.search(
            session,
            user_id,
            question.known.rarest(question.terms, MOST_WORDS),
            question.known,
            CANDIDATES,
            self._conditions(user_id, only),
        )

    def candidates(
        self, session: Session, user_id: str, named: Named, only: Filter
    ) -> Sequence[Candidate]:
        """Those that count of what was named, with what their order depends on."""
        result = session.execute(
            select(
                MemoryRow.memory_id,
                MemoryRow.text,
                MemoryRow.subject,
                MemoryRow.session_id,
                MemoryRow.position,
                MemoryRow.valid_from,
            ).where(
                MemoryRow.memory_id.in_({*named.scores, *named.similarities}),
                *self._conditions(user_id, only),
            )
        )
        rows = result.all()
        subjects = _subjects({row.subject for row in rows}, named.question.names)
        when = named_time(named.question.text)
        return [
            Candidate(
                memory_id=row.memory_id,
                text_score=named.scores.get(row.memory_id),
                similarity=named.similarities.get(row.memory_id),
                session_id=row.session_id,
                position=row.position,
                is_named=row.subject in subjects,
                is_dated=when.covers(row.valid_from),
                is_question=row.text.rstrip().endswith(QUESTION_MARKS),
            )
            for row in rows
        ]

    def _conditions(self, user_id: str, only: Filter) -> Sequence[ColumnElement[bool]]:
        conditions = [
            MemoryRow.user_id == user_id,
            MemoryRow.status == MemoryStatus.ACTIVE,
            or_(MemoryRow.expires_at.is_(None), MemoryRow.expires_at > self._clock.now()),
        ]
        if only.kinds is not None:
            conditions.append(MemoryRow.kind.in_(only.kinds))
        if only.contexts is not None:
            conditions.append(MemoryRow.context.in_(only.contexts))
        if not only.with_sensitive:
            conditions.append(MemoryRow.sensitive.is_(False))
        return conditions

    async def _by_meaning(
        self, user_id: str, question: Question
    ) -> tuple[Mapping[int, float], str]:
        """A name pulls a vector towards every mention of it; whom the question is about is
        what `ranking` cares for, so subjects are left out."""
        asked = text.without(question.text[:LONGEST_QUESTION], question.names)
        if not question.known.size or not text.normalise(asked):
            return {}, ""
        try:
            found = await self._nearest.nearest(user_id, asked, CANDIDATES)
        except IndexUnavailableError as exc:
            return {}, str(exc)
        return {each.memory_id: each.similarity for each in found}, ""


def _understand(session: Session, user_id: str, asked: str) -> Question:
    wanted = text.query_terms(asked)
    fields = {text.as_subject(term): term for term in wanted}
    known = terms.corpus(session, user_id, [*wanted, *fields])
    names = frozenset(term for field, term in fields.items() if field in known.frequencies)
    return Question(asked, wanted, names, known)


def _subjects(subjects: Collection[str | None], names: Collection[str]) -> Collection[str | None]:
    """Those of the subjects that are named."""
    return {each for each in subjects if not text.content_terms(each or "").isdisjoint(names)}
