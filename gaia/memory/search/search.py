"""Search: finds a user's memories by their words and by their meaning at once.

`candidates` names what may answer, `ranking` puts it in order and tells what
is good enough to be given unasked. When the index does not work, full text alone
answers, and `Found.fault` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from gaia.memory import text
from gaia.memory.confidence import DECAY, Decay
from gaia.memory.contexts import GLOBAL, visible
from gaia.memory.memory import Memory
from gaia.memory.owner import owner
from gaia.memory.protocols import Nearest
from gaia.memory.rows import searched
from gaia.memory.search import candidates, ranking
from gaia.memory.search.candidates import Candidates, Filter, Meaning, Question
from gaia.memory.search.ranking import E5, ENOUGH, ENOUGH_ALONE, Candidate, Fusion, Parts, Scale
from gaia.memory.search.rerank import Reranker
from gaia.ports import Clock
from gaia.store.engine import Database
from gaia.swappable import Swappable


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found, and why: the parts of its score, the raw scores that they
    come from, how far it has to do with the question, and how far it has to. `told_of` are
    those whom the question means by what they are to somebody, if it tells of them."""

    memory: Memory
    parts: Parts
    text_score: float | None
    similarity: float | None
    coverage: float
    nearness: float
    enough: float
    told_of: str = ""

    @property
    def is_relevant(self) -> bool:
        """Whether it may be given to the model unasked."""
        return bool(self.told_of) or self.coverage + self.nearness >= self.enough


@dataclass(frozen=True, slots=True)
class Found:
    """Hits, the best first. `fault` is why meaning was not searched, empty if it was."""

    hits: Sequence[Hit]
    fault: str = ""

    @property
    def relevant(self) -> Sequence[Memory]:
        """Those that may be given to the model unasked."""
        return [hit.memory for hit in self.hits if hit.is_relevant]


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """How what is found is weighed. `scale` is that of the embedder in use, None where
    nobody knows it, `rerank` whether a model reads the best once more, `decay` how confidence
    comes and goes."""

    fusion: Fusion = "sum"
    scale: Scale | None = E5
    rerank: bool = False
    decay: Decay = DECAY


RERANKED = 20
"""Memories that a reranker reads, the best without it."""


def offered_in(context: str) -> Filter:
    """What may be given to the model unasked, in a context."""
    return Filter(contexts=visible(context), with_sensitive=False)


class Search:
    """Implements `recall.Finder`. A search has three steps: two transactions, with the index
    asked in between. Whoever has transactions of their own takes the steps in those."""

    def __init__(
        self,
        database: Database,
        nearest: Nearest,
        clock: Clock,
        *,
        ranking_options: Swappable[RankingOptions] | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._reranker = reranker
        self._database = database
        self._nearest = nearest
        self._clock = clock
        self._ranking_options = ranking_options or Swappable(RankingOptions())

    async def relevant(
        self, user_id: str, asked: str, *, limit: int, context: str = GLOBAL
    ) -> Sequence[Memory]:
        """Those of the best memories that have to do with the text, the best first: none that
        is sensitive, or of another context."""
        return (await self.hits(user_id, asked, limit=limit, only=offered_in(context))).relevant

    async def find(
        self, user_id: str, asked: str, *, limit: int, context: str = GLOBAL
    ) -> Sequence[Memory]:
        """The best memories of the user for the text, the best first, none of another context."""
        only = Filter(contexts=visible(context))
        found = await self.hits(user_id, asked, limit=limit, only=only)
        return [hit.memory for hit in found.hits]

    async def hits(
        self, user_id: str, asked: str, *, limit: int, only: Filter | None = None
    ) -> Found:
        """The best memories of the user for the text, which may be anything, and why."""
        question = await self._database.read(self.understand, user_id, asked)
        meaning = await self.meaning(user_id, question)
        return await self._database.read(
            self.found, user_id, question, meaning, limit=limit, only=only or Filter()
        )

    def understand(self, session: Session, user_id: str, asked: str) -> Question:
        """What a text asks for: the first step of a search."""
        return candidates.understand(session, owner(user_id), asked)

    async def meaning(self, user_id: str, question: Question) -> Meaning:
        """What is nearest to a question in meaning: the second step. With a reranker it also
        reads the best, in a transaction of its own."""
        meaning = await candidates.meaning(self._nearest, user_id, question)
        if self._reranker is None or not self._ranking_options.value.rerank:
            return meaning
        best = await self._database.read(
            self.found, user_id, question, meaning, limit=RERANKED, only=Filter()
        )
        texts = [hit.memory.text for hit in best.hits]
        scores = await self._reranker.scores(question.text, texts)
        if scores is None:
            return meaning
        numbers = [hit.memory.memory_id for hit in best.hits]
        return replace(meaning, pair_scores=dict(zip(numbers, scores, strict=True)))

    def found(
        self,
        session: Session,
        user_id: str,
        question: Question,
        meaning: Meaning,
        *,
        limit: int,
        only: Filter,
    ) -> Found:
        """The best memories for a question: the third step."""
        ranking_options = self._ranking_options.value
        now, decay = self._clock.now(), ranking_options.decay
        gathered = candidates.gather(session, user_id, question, meaning, only, decay, now)
        ranked = ranking.rank(gathered.all, ranking_options.fusion, pair_scores=meaning.pair_scores)
        best = ranked[:limit]
        scale = ranking_options.scale or ranking.usual_scale(meaning.similarities.values())
        stands_somewhere = not question.terms.isdisjoint(question.known.frequencies)
        enough = ENOUGH if stands_somewhere or ranking_options.scale is None else ENOUGH_ALONE
        hits = [
            _hit(gathered, candidate, parts, question, scale, enough) for candidate, parts in best
        ]
        return Found(hits, meaning.fault)

    def relevant_to(
        self,
        session: Session,
        user_id: str,
        question: Question,
        meaning: Meaning,
        *,
        limit: int,
        context: str = GLOBAL,
    ) -> Sequence[Memory]:
        """The third step of `relevant`."""
        only = offered_in(context)
        return self.found(session, user_id, question, meaning, limit=limit, only=only).relevant


def _hit(
    gathered: Candidates,
    candidate: Candidate,
    parts: Parts,
    question: Question,
    scale: Scale,
    enough: float,
) -> Hit:
    memory = gathered.memories[candidate.memory_id]
    told = text.terms(searched(memory.text, memory.label))
    held = {*told, *text.content_terms(memory.subject or "")}
    return Hit(
        memory=memory,
        parts=parts,
        text_score=candidate.text_score,
        similarity=candidate.similarity,
        coverage=ranking.coverage(question.terms, held, question.known),
        nearness=scale.nearness(candidate.similarity),
        enough=enough,
        told_of=gathered.told_of if candidate.is_linked else "",
    )
