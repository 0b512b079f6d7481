"""What a vector is called and carries in a store, and what a store's scores mean.

It carries its user's id and no text, so that nothing forgotten can linger in an index.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from gaia.memory.index.factories import Hit
from gaia.memory.protocols import Neighbour

USER = "user_id"
"""The one field of a vector's payload, by which mem0's stores filter."""


def vector_id(memory_id: int) -> str:
    """The id of a memory's vector: a UUID, since several stores take nothing else."""
    return str(UUID(int=memory_id))


def memory_id(vector_id: str) -> int:
    """The memory whose vector it is."""
    return UUID(vector_id).int


def neighbour(hit: Hit, similarity: Callable[[float], float]) -> Neighbour:
    """What a store found, as gaia sees it."""
    return Neighbour(memory_id(str(hit.id)), similarity(hit.score or 0.0))


def cosine(score: float) -> float:
    """The cosine of two unit vectors from mem0's score over Chroma, which is 1 / (1 + d)."""
    return cosine_at(1.0 / score - 1.0) if score > 0.0 else -1.0


def cosine_at(distance: float) -> float:
    """The cosine of two unit vectors from Chroma's distance, its square: 2 - 2 cos."""
    return max(-1.0, min(1.0, 1.0 - distance / 2.0))


def as_it_is(score: float) -> float:
    """The cosine from mem0's score over stores that compare by cosine."""
    return score
