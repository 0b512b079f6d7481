"""Any embedder of mem0 as an `Embedder`: unit vectors of one size, and errors in words; what is
asked again is not embedded again."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Sequence
from typing import Literal

from gaia.errors import IndexUnavailableError
from gaia.lru import LruCache
from gaia.memory import text as texts
from gaia.memory.index.factories import Embedding
from gaia.memory.protocols import Embedder, Vector

LONGEST_TEXT = 2000
"""Characters of a text that are read; a memory has no more."""

REFUSED = (401, 403)

LARGEST = 2048
"""Vectors kept, 3 MB of them at 384 numbers."""

Kind = Literal["query", "passage"]


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
        self._dimensions = len(self._numbers(self._one("size", "add")))
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
                made = self._embedding.embed_batch(passages, "add")
                if len(made) == len(passages):
                    return made
            except (TypeError, ValueError):
                # mem0's way to say that there were fewer vectors than texts, or none.
                pass
            except Exception as exc:
                raise self._translated(exc) from exc
            self._takes_batches = False
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

    def _unit(self, vector: Sequence[float]) -> Vector:
        numbers = self._numbers(vector)
        # In double precision, in which no length of single ones overflows.
        length = math.hypot(*numbers)
        if len(numbers) != self._dimensions or not math.isfinite(length) or not length:
            raise IndexUnavailableError(
                f"the embedder {self._provider!r} gave {len(numbers)} numbers of length "
                f"{length:.3g} where {self._dimensions} were due: look at memory.embedder"
            )
        return array("f", [number / length for number in numbers])

    def _numbers(self, vector: Sequence[float]) -> Sequence[float]:
        try:
            numbers = array("d", vector)
        except (TypeError, ValueError) as exc:
            raise self._senseless() from exc
        if not numbers:
            raise self._senseless()
        return numbers

    def _senseless(self) -> IndexUnavailableError:
        return IndexUnavailableError(
            f"the embedder {self._provider!r} gave no vector: look at memory.embedder"
        )


class CachedEmbedder:
    """Implements `Embedder` before another one. Keeps hashes of texts, not the texts."""

    def __init__(self, embedder: Embedder, *, largest: int = LARGEST) -> None:
        self._embedder = embedder
        self._known = LruCache[bytes, Vector](largest)

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def query(self, text: str) -> Vector:
        key = _key("query", text)
        known = self._known.get(key)
        if known is None:
            known = self._embedder.query(text)
            self._known.put(key, known)
        return known

    def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        keys = [_key("passage", text) for text in texts]
        found = {key: known for key in keys if (known := self._known.get(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        made = self._embedder.passages(list(missing.values())) if missing else []
        for key, vector in zip(missing, made, strict=True):
            self._known.put(key, vector)
            found[key] = vector
        return [found[key] for key in keys]


def _readable(text: str) -> str:
    return texts.storable(text[:LONGEST_TEXT])


def _key(kind: Kind, text: str) -> bytes:
    return hashlib.sha256(f"{kind} {text}".encode(errors="surrogatepass")).digest()
