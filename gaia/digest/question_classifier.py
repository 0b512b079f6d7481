"""Whether a sentence asks or bids, where neither a mark nor its form shows it.

On a phone many write "whats the capital of peru" and "que hora es", and no list holds how all
languages ask. The embedder that comes with gaia tells it: the vectors of what is asked lie on
one side of a plane, those of what is told on the other. `scripts/fit_questions.py` finds the
plane, from sentences in sixteen languages, writes it to `question_classifier.json`, and measures
how often it errs.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from gaia.memory.index.embedded import Embedded, EmbeddedConfig


class QuestionClassifier:
    """For one thread: each sentence costs it some milliseconds. Where the embedder cannot be
    loaded, nothing is found to ask."""

    def __init__(self) -> None:
        try:
            self._embedder: Embedded | None = Embedded(EmbeddedConfig())
        except ImportError:
            self._embedder = None

    def asks(self, sentence: str) -> bool:
        """Whether the sentence asks or bids, rather than tells."""
        if self._embedder is None:
            return False
        weights, bias = _plane()
        vector = self._embedder.embed(sentence)
        return sum(weight * each for weight, each in zip(weights, vector, strict=True)) + bias > 0


@cache
def _plane() -> tuple[list[float], float]:
    """The weight of each number of a vector, and what is added to their sum."""
    told = json.loads((files("gaia.digest") / "question_classifier.json").read_text("utf-8"))
    return told["weights"], told["bias"]
