"""The seams of long-term memory: what makes texts comparable, and what finds the nearest.

The ledger is the truth; whatever stands behind these protocols can be rebuilt from it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

Vector: TypeAlias = "array[float]"
"""A unit vector, of the embedder's `dimensions`, each of four bytes. Nothing is reckoned with
it but by a store, so that no daemon needs numpy."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory near to what was asked. `similarity` is the cosine, 1 for the same."""

    memory_id: int
    similarity: float


class Embedder(Protocol):
    """Makes unit vectors of texts. Its methods may be called from any thread, and block.

    Both raise `IndexUnavailableError` when it does not work.
    """

    @property
    def fingerprint(self) -> str:
        """What its vectors can be compared with: the provider, the model and the size."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    def query(self, text: str) -> Vector:
        """The vector of what is asked for."""
        ...

    def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of what is stored, in the order of the texts."""
        ...


class Nearest(Protocol):
    """Finds memories by meaning: an embedder and a vector store at work."""

    async def nearest(self, user_id: str, text: str, limit: int) -> Sequence[Neighbour]:
        """The user's memories nearest in meaning to `text`, the nearest first.

        Raises:
            IndexUnavailableError: It does not work at the moment; full text still does.
        """
        ...
