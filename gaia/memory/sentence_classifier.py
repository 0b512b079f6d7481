"""What a sentence is, in any language: whether it asks, whether what it tells will matter in
months, and on which side of today its day lies.

On a phone many write "whats the capital of peru" and "que hora es", "vegetarian here" and "stuck
in traffic", and "I got tickets for Friday" and "I saw Bob on Friday" have the same tense: no list
of words tells that. The embedder that comes with gaia does: the vectors of what is asked lie on
one side of a plane, those of what is told on the other. `scripts/fit_sentences.py` finds the
planes, from sentences in sixteen languages and more, writes them to `sentence_classifier.json`,
and measures how often they err.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from functools import cache, cached_property
from importlib.resources import files
from operator import mul
from typing import NamedTuple

from gaia.memory.index.embedded import Embedded, EmbeddedConfig

MOST_SENTENCES = 10
"""Sentences of a text whose sides are looked at."""


class Plane(NamedTuple):
    """What each number of a vector weighs, and what is added to their sum."""

    weights: list[float]
    bias: float


class Side(Enum):
    """On which side of the day on which something is said it lies."""

    AHEAD = "ahead"
    BEHIND = "behind"


class Nature(NamedTuple):
    """What a sentence is: whether it asks or bids, rather than tells; how likely somebody who
    cares would remember for months what it tells, in log odds: above 0 they would; and where the
    day lies that it names, `None` if that is not certain."""

    asks: bool
    worth: float
    side: Side | None


class SentenceClassifier:
    """For one thread: each sentence costs it some milliseconds. Where the embedder cannot be
    loaded, nothing is known of any."""

    def __init__(self) -> None:
        try:
            self._embedder: Embedded | None = Embedded(EmbeddedConfig())
        except ImportError:
            self._embedder = None

    def __call__(self, sentence: str) -> Nature | None:
        """What a sentence is; `None` where that is not known."""
        if self._embedder is None:
            return None
        vector = self._embedder.embed(sentence)
        odds = {
            name: sum(map(mul, plane.weights, vector)) + plane.bias
            for name, plane in _planes().items()
        }
        sides = [side for side in Side if odds[side.value] > 0]
        return Nature(odds["asks"] > 0, odds["lasts"], sides[0] if len(sides) == 1 else None)


class Sides:
    """The sides of a text's sentences, each looked at once; of the first ones alone, so that a
    long text takes no longer. The embedder is loaded when the first is asked for."""

    def __init__(self) -> None:
        self._known: dict[str, Side | None] = {}

    def __call__(self, sentence: str) -> Side | None:
        if sentence not in self._known and len(self._known) < MOST_SENTENCES:
            nature = self._classifier(sentence)
            self._known[sentence] = nature and nature.side
        return self._known.get(sentence)

    @cached_property
    def _classifier(self) -> SentenceClassifier:
        return SentenceClassifier()


@cache
def _planes() -> Mapping[str, Plane]:
    told = json.loads((files("gaia.memory") / "sentence_classifier.json").read_text("utf-8"))
    return {name: Plane(**plane) for name, plane in told.items()}
