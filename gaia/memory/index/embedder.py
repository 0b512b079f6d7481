"""Any embedder of mem0 as an `Embedder`: unit vectors of one size, and errors in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gaia.errors import IndexUnavailableError
from gaia.memory import text as texts
from gaia.memory.index.factories import Embedding
from gaia.memory.seams import Vector

LONGEST_TEXT = 2000
"""Characters of a text that are read; a memory has no more."""

REFUSED = (401, 403)


class Mem0Embedder:
    """Implements `Embedder`. `key` names the environment variable that its host asks for.

    Making one asks it for a vector, to learn their size.

    Raises:
        IndexUnavailableError: It does not answer, or not with what `dimensions` ask for.
    """

    def __init__(
        self, provider: str, embedding: Embedding, *, dimensions: int | None = None, key: str = ""
    ) -> None:
        self._provider = provider
        self._embedding = embedding
        self._key = key
        self._takes_batches = True
        self._dimensions = len(self._one("size", "add"))
        if dimensions not in (None, self._dimensions):
            raise IndexUnavailableError(
                f"the embedder {provider!r} gives {self._dimensions} numbers and "
                f"memory.embedder.config.embedding_dims is {dimensions}: make them the same"
            )

    @property
    def fingerprint(self) -> str:
        return f"{self._provider}/{self._embedding.config.model}/{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def query(self, text: str) -> Vector:
        return self._unit(self._one(_readable(text), "search"))

    def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [self._unit(each) for each in self._many([_readable(text) for text in texts])]

    def _many(self, passages: Sequence[str]) -> Sequence[Sequence[float]]:
        """Some models make one vector of a whole batch: those are asked text by text."""
        if self._takes_batches and len(passages) > 1:
            try:
                return self._embedding.embed_batch(passages, "add")
            except ValueError:
                # mem0's way to say that there were fewer vectors than texts.
                self._takes_batches = False
            except Exception as exc:
                raise self._translated(exc) from exc
        return [self._one(passage, "add") for passage in passages]

    def _one(self, text: str, action: Literal["add", "search"]) -> Sequence[float]:
        try:
            return self._embedding.embed(text, action)
        except Exception as exc:
            raise self._translated(exc) from exc

    def _translated(self, exc: Exception) -> IndexUnavailableError:
        """What went wrong, in words without the text or the key, which clients quote."""
        name = f"the embedder {self._provider!r}"
        status = getattr(exc, "status_code", None) or getattr(exc, "code", None)
        if status in REFUSED and self._key:
            return IndexUnavailableError(f"{name} refused the key: check {self._key}")
        if isinstance(status, int):
            return IndexUnavailableError(f"{name} answered {status}")
        return IndexUnavailableError(f"{name} cannot be asked ({type(exc).__name__})")

    def _unit(self, numbers: Sequence[float]) -> Vector:
        import numpy as np

        vector = np.asarray(numbers, dtype=np.float32)
        length = float(np.linalg.norm(vector))
        if vector.shape != (self._dimensions,) or not np.isfinite(length) or not length:
            raise IndexUnavailableError(
                f"the embedder {self._provider!r} gave {vector.size} numbers of length "
                f"{length:.3g} where {self._dimensions} were due: look at memory.embedder"
            )
        return vector / np.float32(length)


def _readable(text: str) -> str:
    return texts.storable(text[:LONGEST_TEXT])
