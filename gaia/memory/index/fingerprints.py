"""What an index was made with: read back from its fingerprint, without loading any of it.

`Mem0Embedder` and `Keeper` write them: provider, model and size of the embedder, and where
the vectors are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gaia.settings.schema import MemorySettings

SHAPE = re.compile(r"(?P<provider>[^/]+)/(?P<model>.*)/(?P<dimensions>\d+) in (?P<storage>.+)")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The parts of a fingerprint."""

    provider: str
    model: str
    dimensions: int
    storage: str

    def fits(self, memory: MemorySettings) -> bool:
        """Whether these settings may have made it. What they leave to the embedder is not
        known here: its model and its size, as a rule."""
        config = memory.embedder.config
        return (
            self.provider == memory.embedder.provider
            and self.storage == memory.vector_store.provider
            and config.get("model") in (None, self.model)
            and config.get("embedding_dims") in (None, self.dimensions)
        )

    def __str__(self) -> str:
        return f"{self.provider} {self.model}, {self.dimensions} numbers, in {self.storage}"


def read_fingerprint(text: str) -> Fingerprint | None:
    """Its parts; None for one of another gaia, or of an index that was given up."""
    found = SHAPE.fullmatch(text)
    if found is None:
        return None
    return Fingerprint(
        found["provider"], found["model"], int(found["dimensions"]), found["storage"]
    )
