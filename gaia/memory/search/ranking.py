"""How candidates are put in order, and whether a hit may be given unasked: pure arithmetic on
what the two searches found.

Full text and vectors are each scaled to 0..1 and added, so that a clear winner of one
counts more than a place in a list would tell. Then things that neither knows:

* what was said next to a good candidate is likely part of the same matter, a question
  and its answer above all: a candidate gets a share of its neighbours' scores;
* a question that names somebody asks for what they said or what is about them, one that
  names a month for what was said then;
* a memory that is itself a question answers nothing.

Of memories that are about as good, the one that was of use lately comes first, see
`confidence`.

The weights were chosen on conversations other than those that they were measured on;
docs/recall.md has the figures.

An order says only which memory is the best, not whether it is any good. Two measures
do not depend on what else was found:

* coverage: the share of the question's terms, by their weight, that stand in the memory
  or in its subject. A term that the user's memories do not know weighs the most;
* nearness: where the similarity lies between that of unrelated texts and 1.

Their sum has to reach `ENOUGH`, or `ENOUGH_ALONE`. Measured with the embedded embedder on five
long conversations, questions of the one asked of another: 9 % of the five best hits for what
nobody ever talked about pass, 0.5 a question, and 91 % of the right ones among the five
best for questions of the conversation itself. At 0.5 it would be 3 % and 83 %.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gaia.memory.confidence import NEW
from gaia.store.full_text import Corpus

Fusion = Literal["sum", "rank"]

REACH = 4
"""How far neighbours matter, in positions of their session."""

LEAST_SPREAD = 0.05
"""Similarities that lie closer together than this are not spread over 0..1: of two or
three memories the farthest may be nearly as near as the nearest."""

RANK_CONSTANT = 60
"""k of reciprocal rank fusion, as its authors have it."""

ENOUGH = 0.4

ENOUGH_ALONE = 0.25
"""What nearness has to reach where no word of the question stands in any memory, as when
it is asked in another language. Of 15 questions in German about memories in English, 14
found theirs first, and no wrong one came nearer than 0.23."""

FEWEST_MEMORIES = 100
"""Weights are those of so many memories at least. Among the three of somebody new, each
term of the right one would seem common, and any word beside it in the question rare."""

SPREAD_NEEDS = 30
"""Similarities from which the usual one is told, at least."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each thing counts, where a perfect match by words and meaning is 1.

    `vector` is the share of the meaning. `neighbour` is the share of a score that goes to
    what was said just before and after; of that the same share goes one further. `named`
    is added when the question names the subject, and when it names the month; `question`
    is taken from a memory that ends in a question mark, and `rerank` is what the best by a
    reranker's scores gets. `confidence` is too little to let a worse memory come first.
    """

    vector: float = 0.5
    neighbour: float = 0.45
    named: float = 0.5
    question: float = 0.15
    rerank: float = 0.1
    confidence: float = 0.05


WEIGHTS = Weights()
NO_SCORES: Mapping[int, float] = {}


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the order of a memory depends on. `text_score` is BM25, `similarity` the
    cosine; each is None where its search did not find the memory. One that `is_linked` tells of
    somebody whom the question means by what they are to somebody. `confidence` is that of a
    memory that is new, or see `gaia.memory.confidence`."""

    memory_id: int
    text_score: float | None = None
    similarity: float | None = None
    session_id: str | None = None
    position: int | None = None
    is_named: bool = False
    is_linked: bool = False
    is_dated: bool = False
    is_question: bool = False
    confidence: float = NEW


@dataclass(frozen=True, slots=True)
class Parts:
    """What a score is the sum of."""

    text: float
    vector: float
    neighbours: float
    named: float
    dated: float
    question: float
    reranked: float = 0.0
    confidence: float = 0.0

    @property
    def total(self) -> float:
        added = self.text + self.vector + self.neighbours + self.named + self.dated
        return added + self.reranked - self.question + self.confidence


def rank(
    candidates: Sequence[Candidate],
    fusion: Fusion,
    weights: Weights = WEIGHTS,
    pair_scores: Mapping[int, float] = NO_SCORES,
) -> Sequence[tuple[Candidate, Parts]]:
    """The candidates with the parts of their scores, the best first. `pair_scores` are a
    reranker's, of those that it read."""
    reranked = _spread(pair_scores)
    texts = _scaled({c.memory_id: c.text_score for c in candidates}, fusion, least=0.0)
    vectors = _scaled({c.memory_id: c.similarity for c in candidates}, fusion, least=None)
    own = {
        c.memory_id: (
            (1 - weights.vector) * texts.get(c.memory_id, 0.0),
            weights.vector * vectors.get(c.memory_id, 0.0),
        )
        for c in candidates
    }
    scores = {memory_id: sum(each) for memory_id, each in own.items()}
    shares = _neighbour_shares(candidates, scores, weights.neighbour)
    ranked = [
        (
            c,
            Parts(
                text=own[c.memory_id][0],
                vector=own[c.memory_id][1],
                neighbours=shares[c.memory_id],
                named=weights.named * c.is_named,
                dated=weights.named * c.is_dated,
                question=weights.question * c.is_question,
                reranked=weights.rerank * reranked.get(c.memory_id, 0.0),
                confidence=weights.confidence * (c.confidence - NEW),
            ),
        )
        for c in candidates
    ]
    return sorted(ranked, key=lambda each: (-each[1].total, -each[0].memory_id))


@dataclass(frozen=True, slots=True)
class Scale:
    """How near a similarity of an embedder is.

    `unrelated` is the similarity of texts that have nothing in common, `unit` what is
    above it for one point of nearness.
    """

    unrelated: float
    unit: float

    def nearness(self, similarity: float | None) -> float:
        """0 for what is not near at all, or was not found by its meaning."""
        return 0.0 if similarity is None else max(0.0, (similarity - self.unrelated) / self.unit)


E5 = Scale(unrelated=0.75, unit=0.25)
"""The embedded embedder's: its similarities lie between 0.7 and 0.9."""

UNKNOWN = Scale(unrelated=1.0, unit=1.0)
"""Nothing is near."""


def usual_scale(similarities: Iterable[float]) -> Scale:
    """The scale of an embedder that nobody measured, by what it found for a question:
    ten standard deviations are as much as all terms. Nothing is near where little
    was found."""
    found = list(similarities)
    if len(found) < SPREAD_NEEDS:
        return UNKNOWN
    spread = statistics.pstdev(found)
    return Scale(statistics.fmean(found) + spread, 10 * spread) if spread > 0 else UNKNOWN


def coverage(asked: Collection[str], held: Collection[str], known: Corpus) -> float:
    """The share of the asked terms that are held, by their weight: 0 to 1."""
    weights = {term: known.weight(term, of_at_least=FEWEST_MEMORIES) for term in asked}
    total = sum(weights.values())
    return sum(weights[term] for term in asked if term in held) / total if total else 0.0


def _scaled(
    scores: Mapping[int, float | None], fusion: Fusion, *, least: float | None
) -> Mapping[int, float]:
    """The scores between 0, which is `least` or else the least that was found, and 1."""
    found = {key: score for key, score in scores.items() if score is not None}
    if not found:
        return {}
    if fusion == "rank":
        order = sorted(found, key=lambda key: (-found[key], -key))
        return {key: (RANK_CONSTANT + 1) / (RANK_CONSTANT + at) for at, key in enumerate(order, 1)}
    best = max(found.values())
    if least is None:
        least = min(*found.values(), best - LEAST_SPREAD)
    return {key: (score - least) / (best - least) for key, score in found.items()}


def _spread(scores: Mapping[int, float]) -> Mapping[int, float]:
    """Scores between 0 for the least and 1 for the best; all 0 where there is one alone."""
    least, best = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {key: (score - least) / ((best - least) or 1.0) for key, score in scores.items()}


def _neighbour_shares(
    candidates: Sequence[Candidate], scores: Mapping[int, float], share: float
) -> Mapping[int, float]:
    placed: dict[tuple[str, int], float] = {}
    for c in candidates:
        if c.session_id is not None and c.position is not None:
            place = (c.session_id, c.position)
            placed[place] = max(placed.get(place, 0.0), scores[c.memory_id])
    shares = dict.fromkeys(scores, 0.0)
    for c in candidates:
        if c.session_id is None or c.position is None:
            continue
        for distance in range(1, REACH + 1):
            for position in (c.position - distance, c.position + distance):
                near = placed.get((c.session_id, position), 0.0)
                shares[c.memory_id] += share**distance * near
    return shares
