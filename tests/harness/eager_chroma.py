"""A Chroma that writes its vectors to files of their own after a few, not after a thousand."""

from __future__ import annotations

from gaia.memory.index.chroma import ChromaStorage
from gaia.memory.index.chroma_engine import WHERE, ChromaCollection

FEW = '{"hnsw": {"batch_size": 4, "sync_threshold": 8}}'

SEGMENT_FILES = (
    "data_level0.bin",
    "header.bin",
    "index_metadata.pickle",
    "length.bin",
    "link_lists.bin",
)
"""What it writes for each collection."""


class EagerChroma(ChromaStorage):
    """Also for who opens it later with another `ChromaStorage`."""

    def collection(self, name: str) -> ChromaCollection:
        self._connected().bindings.create_collection(name, FEW, None, None, True, *WHERE)
        return super().collection(name)
