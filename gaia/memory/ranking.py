"""How candidates are put in order: pure arithmetic on what the two searches found.

Full text and vectors are each scaled to 0..1 and added, so that a clear winner of one
counts more than a place in a list would tell. Then three things that neither knows:

* what was said next to a good candidate is likely part of the same matter, a question
  and its answer above all: a candidate gets a share of its neighbours' scores;
* a question that names somebody asks for what they said or what is about them, one that
  names a month for what was said then;
* a memory that is itself a question answers nothing.

The weights were chosen on conversations other than those that they were measured on;
docs/recall.md has the figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Fusion = Literal["sum", "rank"]

REACH = 4
"""How far neighbours matter, in positions of their session."""

LEAST_SPREAD = 0.05
"""Similarities that lie closer together than this are not spread over 0..1: of two or
three memories the farthest may be nearly as near as the nearest."""

RANK_CONSTANT = 60
"""k of reciprocal rank fusion, as its authors have it."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each thing counts, where a perfect match by words and meaning is 1.

    `vector` is the share of the meaning. `neighbour` is the share of a score that goes to
    what was said just before and after; of that the same share goes one further. `named`
    is added when the question names the subject, and when it names the month; `question`
    is taken from a memory that ends in a question mark.
    """

    vector: float = 0.5
    neighbour: float = 0.45
    named: float = 0.5
    question: float = 0.15


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the order of a memory depends on. `text_score` is BM25, `similarity` the
    cosine; each is None where its search did not find the memory."""

    memory_id: int
    text_score: float | None = None
    similarity: float | None = None
    session_id: str | None = None
    position: int | None = None
    is_named: bool = False
    is_dated: bool = False
    is_question: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """What a score is the sum of."""

    text: float
    vector: float
    neighbours: float
    named: float
    dated: float
    question: float

    @property
    def total(self) -> float:
        return self.text + self.vector + self.neighbours + self.named + self.dated - self.question


def rank(
    candidates: Sequence[Candidate], fusion: Fusion, weights: Weights = WEIGHTS
) -> Sequence[tuple[Candidate, Parts]]:
    """The candidates with the parts of their scores, the best first."""
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
            ),
        )
        for c in candidates
    ]
    return sorted(ranked, key=lambda each: (-each[1].total, -each[0].memory_id))


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
