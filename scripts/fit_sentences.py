"""Find the planes of `gaia.memory.sentence_classifier`: what lies on one side of each.

Reads the files in `sentences` beside it, prints how often each plane errs on a language that it
has not seen, and writes `sentence_classifier.json`. With `--check` nothing is written, and it
ends with 1 where what is there is another.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from gaia.memory.index.embedded import Embedded, EmbeddedConfig

HERE = Path(__file__).parent
PLANES = HERE.parent / "gaia/memory/sentence_classifier.json"


@dataclass(frozen=True)
class Task:
    """A plane to find: that between one kind of the sentences of a file and all others.

    `caution` is how far from it something must lie to count, in log odds.
    """

    file: str
    kind: str
    caution: float


TASKS = {
    # What is told and taken for a question is lost; a question that is kept is a line to delete.
    "asks": Task("questions.yaml", "asked", caution=1.0),
    # What lasts and is taken for what passes is lost; what is kept of that is a line to delete.
    "lasts": Task("statements.yaml", "lasting", caution=-0.3),
    # Words of the language have to agree (see `gaia.memory.when.meaning`).
    "ahead": Task("days.yaml", "ahead", caution=0.0),
    "behind": Task("days.yaml", "behind", caution=0.0),
}

PENALTY = 0.05
"""Of large weights, for each sentence: chosen by the error on languages left out."""

SMALLEST_STEP = 1e-6
DECIMALS = 4
TOLERANCE = 0.5
"""Of a weight or a bias; the largest are some 20."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    """Sentences with their vectors, a row each; the kind and the language of each."""

    texts: Sequence[str]
    vectors: Numbers
    kinds: NDArray[np.str_]
    languages: NDArray[np.str_]


@dataclass(frozen=True)
class Plane:
    """What a vector's numbers weigh, and what is added to their sum."""

    weights: Numbers
    bias: float

    def odds(self, vectors: Numbers) -> Numbers:
        """The log odds that something lies on its side, of each vector."""
        return vectors @ self.weights + self.bias


@cache
def labelled(file: str) -> Labelled:
    """The sentences of a file; several tasks may share it."""
    told = yaml.safe_load((HERE / "sentences" / file).read_text("utf-8"))
    rows = [
        (text, kind, language)
        for language, kinds in told.items()
        for kind, texts in kinds.items()
        for text in texts
    ]
    texts, kinds, languages = zip(*rows, strict=True)
    vectors = Embedded(EmbeddedConfig()).embed_batch(texts)
    return Labelled(texts, np.array(vectors, float), np.array(kinds), np.array(languages))


def fit(vectors: Numbers, wanted: NDArray[np.bool_]) -> Plane:
    """Logistic regression with an L2 penalty, by Newton's method, on standardised numbers."""
    mean, spread = vectors.mean(0), vectors.std(0)
    rows = np.c_[(vectors - mean) / spread, np.ones(len(vectors))]
    penalty = np.full(rows.shape[1], PENALTY * len(rows))
    penalty[-1] = 0.0
    weights = np.zeros(rows.shape[1])
    step = np.ones(rows.shape[1])
    while np.abs(step).max() > SMALLEST_STEP:
        likely = 1 / (1 + np.exp(-rows @ weights))
        curvature = (rows.T * (likely * (1 - likely))) @ rows + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curvature, rows.T @ (likely - wanted) + penalty * weights)
        weights -= step
    scaled = weights[:-1] / spread
    return Plane(scaled, float(weights[-1] - mean @ scaled))


def measured(data: Labelled, task: Task) -> str:
    """How the planes of all languages but one do on that one, all of them together."""
    wanted = data.kinds == task.kind
    odds = np.zeros(len(wanted))
    for language in dict.fromkeys(data.languages):
        left_out = data.languages == language
        plane = fit(data.vectors[~left_out], wanted[~left_out])
        odds[left_out] = plane.odds(data.vectors[left_out])
    counts = odds > task.caution
    wrong = ", ".join(data.texts[number] for number in np.flatnonzero(counts & ~wanted))
    return (
        f"{len(odds)} sentences; in a language left out {counts[wanted].mean():.1%} are found,"
        f" and of others {counts[~wanted].mean():.1%}: {wrong}"
    )


def main() -> int:
    found: dict[str, dict[str, Any]] = {}
    for name, task in TASKS.items():
        data = labelled(task.file)
        print(f"{name}: {measured(data, task)}")
        plane = fit(data.vectors, data.kinds == task.kind)
        weights = [round(float(each), DECIMALS) for each in plane.weights]
        found[name] = {"weights": weights, "bias": round(plane.bias - task.caution, DECIMALS)}
    if "--check" in sys.argv:
        there = json.loads(PLANES.read_text("utf-8"))
        is_same = there.keys() == found.keys() and all(
            np.allclose(
                [*there[name]["weights"], there[name]["bias"]],
                [*plane["weights"], plane["bias"]],
                atol=TOLERANCE,
            )
            for name, plane in found.items()
        )
        print(f"{PLANES.name} is {'the same' if is_same else 'another: fit it again'}")
        return 0 if is_same else 1
    PLANES.write_text(f"{json.dumps(found)}\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
