"""What a change of the settings replaces while gaia runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class Current(Generic[T]):
    """Holds the one that counts now. Whoever keeps this sees the next one; whoever needs
    the same one for the whole of a step takes `now` once, or `using` where a replaced one
    is closed."""

    def __init__(self, now: T) -> None:
        self._now = now
        self._use = Use()

    @property
    def now(self) -> T:
        """The one that counts."""
        return self._now

    @contextmanager
    def using(self) -> Iterator[T]:
        """The one that counts, which stays open for as long as the block lasts."""
        with self._use:
            yield self._now

    def replace(self, now: T) -> Use:
        """Have another one count; returns the use that is made of the one before."""
        use, self._use = self._use, Use()
        self._now = now
        return use


class Use:
    """How many use something at the moment. `with` a use, one more does."""

    def __init__(self) -> None:
        self._users = 0
        self._over = asyncio.Event()
        self._over.set()

    def __enter__(self) -> None:
        self._users += 1
        self._over.clear()

    def __exit__(self, *exc_info: object) -> None:
        self._users -= 1
        if not self._users:
            self._over.set()

    async def over(self) -> None:
        """Return when nobody does."""
        while self._users:
            await self._over.wait()
