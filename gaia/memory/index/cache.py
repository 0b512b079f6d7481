"""Vectors that were made lately: what is asked again is not embedded again."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal

from gaia.memory.seams import Embedder, Vector

LARGEST = 2048
"""Vectors kept, 3 MB of them at 384 numbers."""

Kind = Literal["query", "passage"]


class CachedEmbedder:
    """Implements `Embedder` before another one. Keeps hashes of texts, not the texts."""

    def __init__(self, embedder: Embedder, *, largest: int = LARGEST) -> None:
        self._embedder = embedder
        self._largest = largest
        self._known: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def query(self, text: str) -> Vector:
        key = _key("query", text)
        known = self._get(key)
        if known is None:
            known = self._embedder.query(text)
            self._put(key, known)
        return known

    def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        keys = [_key("passage", text) for text in texts]
        found = {key: known for key in keys if (known := self._get(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        made = self._embedder.passages(list(missing.values())) if missing else []
        for key, vector in zip(missing, made, strict=True):
            self._put(key, vector)
            found[key] = vector
        return [found[key] for key in keys]

    def _get(self, key: bytes) -> Vector | None:
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
            return known

    def _put(self, key: bytes, vector: Vector) -> None:
        with self._lock:
            self._known[key] = vector
            self._known.move_to_end(key)
            while len(self._known) > self._largest:
                self._known.popitem(last=False)


def _key(kind: Kind, text: str) -> bytes:
    return hashlib.sha256(f"{kind} {text}".encode(errors="surrogatepass")).digest()
