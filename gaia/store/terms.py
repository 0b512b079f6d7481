"""The full text of memories: which term stands in which, and how often."""

from __future__ import annotations

from gaia.store.base import Base
from gaia.store.full_text import Corpus, FullText, Query
from gaia.store.memory_tables import MemoryRow, MemoryStatus, MemoryTermRow

__all__ = ["Corpus", "Query", "corpus", "query", "remove", "search", "write"]

_MEMORIES = FullText(
    terms=Base.metadata.tables[MemoryTermRow.__tablename__],
    texts=Base.metadata.tables[MemoryRow.__tablename__],
    key="memory_id",
    counts=MemoryRow.status == MemoryStatus.ACTIVE,
)

write = _MEMORIES.write
remove = _MEMORIES.remove
corpus = _MEMORIES.corpus
query = _MEMORIES.query
search = _MEMORIES.search
