"""Vectors that were made lately: what is asked again is not embedded again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal

from gaia.lru import LruCache
from gaia.memory.seams import Embedder, Vector

LARGEST = 2048
"""Vectors kept, 3 MB of them at 384 numbers."""

Kind = Literal["query", "passage"]


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


def _key(kind: Kind, text: str) -> bytes:
    return hashlib.sha256(f"{kind} {text}".encode(errors="surrogatepass")).digest()
