"""A holder of what a change of the settings replaces while gaia runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class Swappable(Generic[T]):
    """Holds a value that may be replaced. Whoever keeps the holder sees the next value;
    whoever needs the same one for the whole of a step reads `value` once, or takes a
    `lease` where a replaced value is closed."""

    def __init__(self, value: T) -> None:
        self._value = value
        self._lease = Lease()

    @property
    def value(self) -> T:
        """The present value."""
        return self._value

    @contextmanager
    def lease(self) -> Iterator[T]:
        """The present value, which stays open for as long as the block lasts."""
        with self._lease:
            yield self._value

    def replace(self, value: T) -> Lease:
        """Replace the value; returns the lease of the one before."""
        lease, self._lease = self._lease, Lease()
        self._value = value
        return lease


class Lease:
    """Counts who uses a value at the moment: each `with` block of it is one user."""

    def __init__(self) -> None:
        self._users = 0
        self._returned = asyncio.Event()
        self._returned.set()

    def __enter__(self) -> None:
        self._users += 1
        self._returned.clear()

    def __exit__(self, *exc_info: object) -> None:
        self._users -= 1
        if not self._users:
            self._returned.set()

    async def returned(self) -> None:
        """Return when nobody uses the value."""
        while self._users:
            await self._returned.wait()
