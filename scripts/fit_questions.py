"""Find the plane between what asks and what tells, for `gaia.digest.question_classifier`.

Reads `questions.yaml` beside it, prints how often the plane errs on a language that it has not
seen, and writes `question_classifier.json`. With `--check` nothing is written, and it ends with
1 where what is there is another.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from gaia.memory.index.embedded import Embedded, EmbeddedConfig

HERE = Path(__file__).parent
SENTENCES = HERE / "questions.yaml"
PLANE = HERE.parent / "gaia/digest/question_classifier.json"

PENALTY = 0.05
"""Of large weights, for each sentence: chosen by the error on languages left out."""

CAUTION = 1.0
"""How far from the plane something must lie to count as asked, in log odds: what is told and
taken for a question is lost, and a question that is kept is a line to delete."""

STEPS = 30
DECIMALS = 4
TOLERANCE = 0.01

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    """Sentences with their vectors, a row each; what each is, 1 if it asks; its language."""

    texts: Sequence[str]
    vectors: Numbers
    asks: Numbers
    languages: NDArray[np.str_]


@dataclass(frozen=True)
class Plane:
    """What a vector's numbers weigh, and what is added to their sum."""

    weights: Numbers
    bias: float

    def odds(self, vectors: Numbers) -> Numbers:
        """The log odds that something is asked, of each vector."""
        return vectors @ self.weights + self.bias


def labelled(sentences: Path = SENTENCES) -> Labelled:
    """The sentences of a file."""
    told = yaml.safe_load(sentences.read_text("utf-8"))
    rows = [
        (text, kind == "asked", language)
        for language, kinds in told.items()
        for kind, texts in kinds.items()
        for text in texts
    ]
    texts, asks, languages = zip(*rows, strict=True)
    vectors = Embedded(EmbeddedConfig()).embed_batch(texts)
    return Labelled(
        texts, np.array(vectors, float), np.array(asks, float), np.array(languages, str)
    )


def fit(vectors: Numbers, asks: Numbers) -> Plane:
    """Logistic regression with an L2 penalty, by Newton's method, on standardised numbers."""
    mean, spread = vectors.mean(0), vectors.std(0)
    rows = np.c_[(vectors - mean) / spread, np.ones(len(vectors))]
    penalty = np.full(rows.shape[1], PENALTY * len(rows))
    penalty[-1] = 0.0
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-rows @ weights))
        curvature = (rows.T * (likely * (1 - likely))) @ rows + np.diag(penalty + 1e-9)
        weights -= np.linalg.solve(curvature, rows.T @ (likely - asks) + penalty * weights)
    scaled = weights[:-1] / spread
    return Plane(scaled, float(weights[-1] - mean @ scaled))


def measure(data: Labelled) -> str:
    """How the planes of all languages but one do on that one, all of them together."""
    odds = np.zeros(len(data.asks))
    for language in dict.fromkeys(data.languages):
        left_out = data.languages == language
        odds[left_out] = fit(data.vectors[~left_out], data.asks[~left_out]).odds(
            data.vectors[left_out]
        )
    counts = odds > CAUTION
    asked = data.asks == 1
    wrong = ", ".join(data.texts[number] for number in np.flatnonzero(counts & ~asked))
    return (
        f"{len(odds)} sentences; in a language left out {counts[asked].mean():.1%} of what is"
        f" asked is found, and {counts[~asked].mean():.1%} of what is told is lost: {wrong}"
    )


def main() -> int:
    data = labelled()
    print(measure(data))
    plane = fit(data.vectors, data.asks)
    weights = [round(float(each), DECIMALS) for each in plane.weights]
    if "--check" in sys.argv:
        there = json.loads(PLANE.read_text("utf-8"))["weights"]
        is_same = np.allclose(there, weights, atol=TOLERANCE * float(np.abs(plane.weights).max()))
        print(f"{PLANE.name} is {'the same' if is_same else 'another: fit it again'}")
        return 0 if is_same else 1
    found = {"bias": round(plane.bias - CAUTION, DECIMALS), "weights": weights}
    PLANE.write_text(f"{json.dumps(found)}\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
