"""What a change of the settings replaces while gaia runs."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Current(Generic[T]):
    """Holds the one that counts now. Whoever keeps this sees the next one; whoever needs
    the same one for the whole of a step takes `now` once."""

    def __init__(self, now: T) -> None:
        self.now = now
