"""Search: finds a user's memories by their words and by their meaning at once.

`candidates` names what may answer, `ranking` puts it in order, `relevance` tells what
is good enough to be given unasked. When the index does not work, full text alone
answers, and `Found.fault` says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from gaia.current import Current
from gaia.memory import ledger, text
from gaia.memory.candidates import Filter, Gatherer, Named, Question
from gaia.memory.memory import Memory
from gaia.memory.owner import owner
from gaia.memory.ranking import Candidate, Fusion, Parts, rank
from gaia.memory.relevance import E5, ENOUGH, ENOUGH_ALONE, Scale, coverage, usual_scale
from gaia.memory.seams import Nearest
from gaia.ports import Clock
from gaia.store.engine import Database


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found, and why: the parts of its score, the raw scores that they
    come from, how far it has to do with the question, and how far it has to."""

    memory: Memory
    parts: Parts
    text_score: float | None
    similarity: float | None
    coverage: float
    nearness: float
    enough: float

    @property
    def is_relevant(self) -> bool:
        """Whether it may be given to the model unasked."""
        return self.coverage + self.nearness >= self.enough


@dataclass(frozen=True, slots=True)
class Found:
    """Hits, the best first. `fault` is why meaning was not searched, empty if it was."""

    hits: Sequence[Hit]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Weighing:
    """How what is found is weighed. `scale` is that of the embedder in use, None where
    nobody knows it."""

    fusion: Fusion = "sum"
    scale: Scale | None = E5


class Search:
    """Implements `recall.Finder`."""

    def __init__(
        self,
        database: Database,
        nearest: Nearest,
        clock: Clock,
        *,
        weighing: Current[Weighing] | None = None,
    ) -> None:
        self._database = database
        self._gatherer = Gatherer(database, nearest, clock)
        self._weighing = weighing or Current(Weighing())

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
        only = only or Filter()
        weighing = self._weighing.now
        named = await self._gatherer.name(owner(user_id), asked, only)
        best, memories = await self._database.read(
            self._best, user_id, named, only, weighing, limit
        )
        scale = weighing.scale or usual_scale(named.similarities.values())
        stands_somewhere = not named.question.terms.isdisjoint(named.question.known.frequencies)
        enough = ENOUGH if stands_somewhere or weighing.scale is None else ENOUGH_ALONE
        hits = [
            _hit(memories[candidate.memory_id], candidate, parts, named.question, scale, enough)
            for candidate, parts in best
        ]
        return Found(hits, named.fault)

    def _best(
        self,
        session: Session,
        user_id: str,
        named: Named,
        only: Filter,
        weighing: Weighing,
        limit: int,
    ) -> tuple[Sequence[tuple[Candidate, Parts]], Mapping[int, Memory]]:
        candidates = self._gatherer.candidates(session, user_id, named, only)
        best = rank(candidates, weighing.fusion)[:limit]
        ids = [candidate.memory_id for candidate, _ in best]
        memories = {each.memory_id: each for each in ledger.get_many(session, user_id, ids)}
        return best, memories

    async def candidates(self, user_id: str, asked: str) -> Sequence[Candidate]:
        """What `hits` puts in order, in no order.

        Raises:
            MissingOwnerError: `user_id` is empty.
        """
        named = await self._gatherer.name(owner(user_id), asked, Filter())
        return await self._database.read(self._gatherer.candidates, user_id, named, Filter())


def _hit(
    memory: Memory,
    candidate: Candidate,
    parts: Parts,
    question: Question,
    scale: Scale,
    enough: float,
) -> Hit:
    held = {*text.terms(memory.text), *text.content_terms(memory.subject or "")}
    return Hit(
        memory=memory,
        parts=parts,
        text_score=candidate.text_score,
        similarity=candidate.similarity,
        coverage=coverage(question.terms, held, question.known),
        nearness=scale.nearness(candidate.similarity),
        enough=enough,
    )
