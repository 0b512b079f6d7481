"""A cache that keeps what was used last, up to a bound."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Keeps values up to `limit`, in all, by what `size` says of each. Several threads may
    use it."""

    def __init__(self, limit: int, size: Callable[[V], int] = lambda value: 1) -> None:
        self._limit = limit
        self._size = size
        self._values: OrderedDict[K, V] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """The value, if it is here still."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Keep a value, at the cost of what was not used for longest."""
        with self._lock:
            self._drop(key)
            self._values[key] = value
            self._held += self._size(value)
            while self._held > self._limit:
                self._drop(next(iter(self._values)))

    def drop(self, key: K) -> None:
        """Keep a value no longer."""
        with self._lock:
            self._drop(key)

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._values.clear()
            self._held = 0

    def _drop(self, key: K) -> None:
        if key in self._values:
            self._held -= self._size(self._values.pop(key))
