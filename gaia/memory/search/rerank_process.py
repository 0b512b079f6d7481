"""The process of the reranker: reads a question and texts a line, and writes a score for each.

It ends with its input, and so with gaia.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any


def main() -> None:
    """Load the model, say so with a line, and answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What a library prints is no answer.
    os.dup2(2, 1)
    model = _Model()
    model.scores("ready", ["ready"])
    print("{}", file=answers, flush=True)
    for line in sys.stdin:
        question, *texts = json.loads(line)
        print(json.dumps(model.scores(question, texts)), file=answers, flush=True)


class _Model:
    """nanoranker's two networks: one embeds a text, the other reads a pair of such."""

    def __init__(self) -> None:
        import nanoranker
        import numpy as np

        self._np: Any = np
        self._package: Any = nanoranker

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for each text."""
        np, package = self._np, self._package
        asked = package.embed(question)
        told = np.array([package.embed(text) for text in texts])
        pairs = np.concatenate([np.tile(asked, (len(told), 1)), told], axis=1)
        found = package.reranker_model.run(["output"], {"input": pairs.astype(np.float32)})[0]
        return [float(each) for each in found.reshape(-1)]


if __name__ == "__main__":
    main()
