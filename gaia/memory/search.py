"""Search: finds a user's memories by their words and by their meaning at once.

Full text and vector index each name their candidates; `ranking` puts them in order,
`relevance` tells which are good enough to be given unasked. When the index does not
work, full text alone answers, and `Found.fault` says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.errors import IndexUnavailableError
from gaia.memory import ledger, relevance, text
from gaia.memory.dates import named_time
from gaia.memory.memory import Memory
from gaia.memory.owner import owner
from gaia.memory.ranking import Candidate, Fusion, Parts, rank
from gaia.memory.relevance import E5, ENOUGH, Scale
from gaia.memory.seams import Nearest
from gaia.ports import Clock
from gaia.store import terms
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemoryStatus
from gaia.store.terms import Corpus

CANDIDATES = 200
"""Memories that each of the two searches may name."""

LONGEST_QUESTION = 600
"""Characters of a question that its meaning is taken from: an embedder reads slowly."""

MOST_WORDS = 50
"""Terms of a question that are looked for, the rarest first."""

QUESTION_MARKS = ("?", "？", "؟")  # noqa: RUF001 - those of other scripts


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories count. What is None is left open; what has run out never counts."""

    kinds: frozenset[MemoryKind] | None = None
    contexts: frozenset[str] | None = None
    with_sensitive: bool = True


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found, and why: the parts of its score, the raw scores that they
    come from, and how far it has to do with the question."""

    memory: Memory
    parts: Parts
    text_score: float | None
    similarity: float | None
    coverage: float
    nearness: float

    @property
    def is_relevant(self) -> bool:
        """Whether it may be given to the model unasked."""
        return self.coverage + self.nearness >= ENOUGH


@dataclass(frozen=True, slots=True)
class Found:
    """Hits, the best first. `fault` is why meaning was not searched, empty if it was."""

    hits: Sequence[Hit]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class _Question:
    """What is looked for. `names` are those of its terms that name a subject."""

    text: str
    terms: frozenset[str]
    names: frozenset[str]
    known: Corpus


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What was found for a question, before it is put in order."""

    question: _Question
    candidates: Sequence[Candidate] = ()
    scale: Scale = relevance.UNKNOWN
    fault: str = ""


class Search:
    """Implements `recall.Finder`.

    `scale` is that of the embedder in use, None where nobody knows it.
    """

    def __init__(
        self,
        database: Database,
        nearest: Nearest,
        clock: Clock,
        *,
        fusion: Fusion = "sum",
        scale: Scale | None = E5,
    ) -> None:
        self._database = database
        self._nearest = nearest
        self._clock = clock
        self._fusion: Fusion = fusion
        self._scale = scale

    async def relevant(self, user_id: str, asked: str, *, limit: int) -> Sequence[Memory]:
        """Those of the best memories that have to do with the text, the best first, and
        none that is sensitive.

        Raises:
            MissingOwnerError: `user_id` is empty.
        """
        found = await self.hits(user_id, asked, limit=limit, only=Filter(with_sensitive=False))
        return [hit.memory for hit in found.hits if hit.is_relevant]

    async def find(self, user_id: str, asked: str, *, limit: int) -> Sequence[Memory]:
        """The best memories of the user for the text, the best first.

        Raises:
            MissingOwnerError: `user_id` is empty.
        """
        found = await self.hits(user_id, asked, limit=limit)
        return [hit.memory for hit in found.hits]

    async def hits(
        self, user_id: str, asked: str, *, limit: int, only: Filter | None = None
    ) -> Found:
        """The best memories of the user for the text, which may be anything, and why.

        Raises:
            MissingOwnerError: `user_id` is empty.
        """
        gathered = await self._gather(owner(user_id), asked, only or Filter())
        best = rank(gathered.candidates, self._fusion)[:limit]
        async with self._database.read() as session:
            ids = [candidate.memory_id for candidate, _ in best]
            found = await ledger.get_many(session, user_id, ids)
        memories = {
            memory.memory_id: memory for memory in found if memory.status is MemoryStatus.ACTIVE
        }
        hits = [
            _hit(memories[candidate.memory_id], candidate, parts, gathered)
            for candidate, parts in best
            # Whatever was forgotten a moment ago is not found any more.
            if candidate.memory_id in memories
        ]
        return Found(hits, gathered.fault)

    async def candidates(self, user_id: str, asked: str) -> Sequence[Candidate]:
        """What `hits` puts in order, in no order.

        Raises:
            MissingOwnerError: `user_id` is empty.
        """
        return (await self._gather(owner(user_id), asked, Filter())).candidates

    async def _gather(self, user_id: str, asked: str, only: Filter) -> _Gathered:
        question = await self._understand(user_id, asked)
        if not question.known.size or not text.normalise(asked):
            return _Gathered(question)
        conditions = self._conditions(user_id, only)
        scores, similarities, fault = await self._ask(user_id, question, conditions)
        async with self._database.read() as session:
            candidates = await _placed(session, question, scores, similarities, conditions)
        scale = self._scale or relevance.usual_scale(similarities.values())
        return _Gathered(question, candidates, scale, fault)

    async def _understand(self, user_id: str, asked: str) -> _Question:
        wanted = text.query_terms(asked)
        subjects = {text.as_subject(term): term for term in wanted}
        async with self._database.read() as session:
            known = await terms.corpus(session, user_id, [*wanted, *subjects])
        names = frozenset(subjects[field] for field in subjects if field in known.frequencies)
        return _Question(asked, _rarest(wanted, known), names, known)

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

    async def _ask(
        self, user_id: str, question: _Question, conditions: Sequence[ColumnElement[bool]]
    ) -> tuple[Mapping[int, float], Mapping[int, float], str]:
        """BM25 scores, similarities, and why there are none; both are asked at once."""
        try:
            async with asyncio.TaskGroup() as group:
                by_text = group.create_task(self._by_text(user_id, question, conditions))
                by_meaning = group.create_task(self._by_meaning(user_id, question))
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return by_text.result(), *by_meaning.result()

    async def _by_text(
        self, user_id: str, question: _Question, conditions: Sequence[ColumnElement[bool]]
    ) -> Mapping[int, float]:
        async with self._database.read() as session:
            return await terms.search(
                session, user_id, question.terms, question.known, CANDIDATES, conditions
            )

    async def _by_meaning(
        self, user_id: str, question: _Question
    ) -> tuple[Mapping[int, float], str]:
        """A name pulls a vector towards every mention of it; whom the question is about is
        what `ranking` cares for, so subjects are left out."""
        asked = text.without(question.text[:LONGEST_QUESTION], question.names)
        try:
            found = await self._nearest.nearest(user_id, asked, CANDIDATES)
        except IndexUnavailableError as exc:
            return {}, str(exc)
        return {each.memory_id: each.similarity for each in found}, ""


def _hit(memory: Memory, candidate: Candidate, parts: Parts, gathered: _Gathered) -> Hit:
    question = gathered.question
    held = {*text.terms(memory.text), *text.content_terms(memory.subject or "")}
    return Hit(
        memory=memory,
        parts=parts,
        text_score=candidate.text_score,
        similarity=candidate.similarity,
        coverage=relevance.coverage(question.terms, held, question.known),
        nearness=gathered.scale.nearness(candidate.similarity),
    )


async def _placed(
    session: AsyncSession,
    question: _Question,
    scores: Mapping[int, float],
    similarities: Mapping[int, float],
    conditions: Sequence[ColumnElement[bool]],
) -> Sequence[Candidate]:
    """Those of the candidates that count, with what their order depends on."""
    result = await session.execute(
        select(
            MemoryRow.memory_id,
            MemoryRow.text,
            MemoryRow.subject,
            MemoryRow.session_id,
            MemoryRow.position,
            MemoryRow.valid_from,
        ).where(MemoryRow.memory_id.in_({*scores, *similarities}), *conditions)
    )
    rows = result.all()
    named = _named({row.subject for row in rows}, question.names)
    when = named_time(question.text)
    return [
        Candidate(
            memory_id=row.memory_id,
            text_score=scores.get(row.memory_id),
            similarity=similarities.get(row.memory_id),
            session_id=row.session_id,
            position=row.position,
            is_named=row.subject in named,
            is_dated=when.covers(row.valid_from),
            is_question=row.text.rstrip().endswith(QUESTION_MARKS),
        )
        for row in rows
    ]


def _named(subjects: Collection[str | None], names: Collection[str]) -> Collection[str | None]:
    return {each for each in subjects if not text.content_terms(each or "").isdisjoint(names)}


def _rarest(wanted: Collection[str], known: Corpus) -> frozenset[str]:
    return frozenset(sorted(wanted, key=lambda term: (-known.weight(term), term))[:MOST_WORDS])
