"""Whether a hit has to do with what was asked, and so may be given unasked.

An order says only which memory is the best, not whether it is any good. Two measures
do not depend on what else was found:

* coverage: the share of the question's terms, by their weight, that stand in the memory
  or in its subject. A term that the user's memories do not know weighs the most;
* nearness: where the similarity lies between that of unrelated texts and 1.

Their sum has to reach `ENOUGH`, or `ENOUGH_ALONE`. Measured with the embedded embedder on five long
conversations, questions of the one asked of another: 9 % of the five best hits for what
nobody ever talked about pass, 0.5 a question, and 91 % of the right ones among the five
best for questions of the conversation itself. At 0.5 it would be 3 % and 83 %.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gaia.store.full_text import Corpus

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
