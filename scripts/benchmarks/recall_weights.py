"""How the weights of gaia's ranking are chosen: leave one conversation out.

For each conversation the weights that are best on all others are measured on it alone,
so that the average tells what to expect of conversations that nobody has seen.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gaia.memory.search.ranking import Candidate, Weights, rank

GRID = [
    Weights(neighbour=neighbour, named=named, question=question)
    for neighbour, named, question in itertools.product(
        (0.0, 0.25, 0.35, 0.45, 0.55), (0.0, 0.3, 0.5, 0.8), (0.0, 0.15, 0.3)
    )
]
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's candidates, and which of them are its evidence."""

    conversation: str
    candidates: Sequence[Candidate]
    evidence: Collection[int]


def choose(questions: Sequence[Asked]) -> None:
    """Print what is chosen without each conversation, and how it does on that."""
    names = sorted({asked.conversation for asked in questions})
    recalls = {
        weights: {
            name: [recall(each, weights) for each in questions if each.conversation == name]
            for name in names
        }
        for weights in GRID
    }

    def mean(weights: Weights, among: Collection[str]) -> float:
        return 100 * statistics.fmean(value for name in among for value in recalls[weights][name])

    unseen: list[float] = []
    for name in names:
        others = [other for other in names if other != name]
        best = max(GRID, key=lambda weights: mean(weights, others))
        unseen += recalls[best][name]
        print(f"without {name}: {shown(best)}; recall@{DEPTH} on it {mean(best, [name]):.1f}")
    print(f"on conversations left out, all together: {100 * statistics.fmean(unseen):.1f}")
    best = max(GRID, key=lambda weights: mean(weights, names))
    print(f"best on all: {shown(best)}, {mean(best, names):.1f}")
    print(f"in use: {shown(Weights())}, {mean(Weights(), names):.1f}")
    for plain in (Weights(neighbour=0.0), Weights(named=0.0), Weights(question=0.0)):
        print(f"one of them at nothing: {shown(plain)}, {mean(plain, names):.1f}")


def recall(asked: Asked, weights: Weights) -> float:
    best = {each.memory_id for each, _ in rank(asked.candidates, "sum", weights)[:DEPTH]}
    return len(best & set(asked.evidence)) / len(asked.evidence)


def shown(weights: Weights) -> str:
    return f"neighbour {weights.neighbour}, named {weights.named}, question {weights.question}"
