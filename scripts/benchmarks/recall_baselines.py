"""What gaia's search is measured against: the usual ways to find a memory.

Each is given the same text of a turn, with its date and speaker, and the question as it
is, and returns the numbers of turns, the best first.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from gaia.memory.index.factories import EMBEDDED
from gaia.memory.protocols import Vector
from gaia.memory.text import STOP_WORDS

Ranker = Callable[[str], Sequence[int]]

MOST = 20
WORD = re.compile(r"[^\W_]+")


class Vectors:
    """The embedder that comes with gaia; each text is embedded once."""

    def __init__(self, folder: Path) -> None:
        from gaia.memory.index.factories import Factories

        self._embedding = Factories(folder).embedding(EMBEDDED, {})
        self._known: dict[tuple[str, str], Vector] = {}
        self.config = self._embedding.config

    def embed(self, text: str, memory_action: str | None = None) -> Sequence[float]:
        """What mem0 calls."""
        return self.vector(text, memory_action or "add").tolist()

    def vector(self, text: str, action: str) -> Vector:
        key = (action, text)
        if key not in self._known:
            self._known[key] = np.asarray(self._embedding.embed(text, action), dtype=np.float32)
        return self._known[key]


def bm25(texts: Sequence[str]) -> Ranker:
    """BM25 over words as they are, k1 = 1.5 and b = 0.75."""
    counts = [Counter(words(text)) for text in texts]
    average = sum(map(Counter.total, counts)) / len(counts)
    frequency = Counter(word for count in counts for word in count)

    def score(count: Counter[str], asked: Sequence[str]) -> float:
        damping = 1.5 * (0.25 + 0.75 * count.total() / average)
        return sum(
            math.log(1 + (len(counts) - frequency[word] + 0.5) / (frequency[word] + 0.5))
            * (count[word] * 2.5 / (count[word] + damping))
            for word in asked
        )

    def rank(question: str) -> Sequence[int]:
        asked = words(question)
        scores = [score(count, asked) for count in counts]
        return sorted(range(len(texts)), key=lambda turn: -scores[turn])[:MOST]

    return rank


def fts5(texts: Sequence[str]) -> Ranker:
    """SQLite's FTS5 with its Porter stemmer; stop words of the question are left out."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE turns USING fts5(text, tokenize='porter unicode61')")
    database.executemany("INSERT INTO turns(rowid, text) VALUES (?, ?)", enumerate(texts))

    def rank(question: str) -> Sequence[int]:
        asked = [word for word in words(question) if word not in STOP_WORDS]
        query = " OR ".join(f'"{word}"' for word in asked) or '""'
        rows = database.execute(
            "SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY bm25(turns) LIMIT ?",
            (query, MOST),
        )
        return [row for (row,) in rows]

    return rank


def vectors_alone(texts: Sequence[str], vectors: Vectors) -> Ranker:
    """The exact cosine."""
    matrix = np.stack([vectors.vector(text, "add") for text in texts])

    def rank(question: str) -> Sequence[int]:
        scores = matrix @ vectors.vector(question, "search")
        return [int(turn) for turn in np.argsort(-scores, kind="stable")[:MOST]]

    return rank


def fused(rankers: Sequence[Ranker]) -> Ranker:
    """Reciprocal rank fusion, k = 60."""

    def rank(question: str) -> Sequence[int]:
        scores: defaultdict[int, float] = defaultdict(float)
        for ranker in rankers:
            for place, turn in enumerate(ranker(question), 1):
                scores[turn] += 1 / (60 + place)
        return sorted(scores, key=lambda turn: -scores[turn])[:MOST]

    return rank


def mem0_search(texts: Sequence[str], vectors: Vectors, folder: Path) -> Ranker:
    """mem0's own `search` over its Chroma store, the texts added as they are."""
    from mem0 import Memory
    from mem0.configs.base import MemoryConfig

    config = MemoryConfig(
        vector_store={"provider": "chroma", "config": {"path": str(folder)}},
        llm={"provider": "openai", "config": {"api_key": "never called"}},
        embedder={"provider": "openai", "config": {"api_key": "never called"}},
        history_db_path=":memory:",
    )
    memory = Memory(config)
    memory.embedding_model = vectors
    for turn, text in enumerate(texts):
        memory.add(
            [{"role": "user", "content": text}],
            user_id="one",
            metadata={"turn": turn},
            infer=False,
        )

    def rank(question: str) -> Sequence[int]:
        found = memory.search(question, top_k=MOST, filters={"user_id": "one"})
        return [hit["metadata"]["turn"] for hit in found["results"]]

    return rank


def words(text: str) -> Sequence[str]:
    return WORD.findall(text.casefold())
