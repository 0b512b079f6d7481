"""Full text: which term stands in which text of a user, and how often.

Each function works within the caller's transaction, and reads and writes the rows of
one user alone: what is rare or frequent is so among that user's texts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Float,
    Integer,
    Select,
    Table,
    bindparam,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    true,
    union_all,
)
from sqlalchemy.orm import Session

from gaia.store.base import pairs, table_of
from gaia.store.memory_tables import MemoryRow, MemoryStatus, MemoryTermRow

SATURATION = 1.2
"""k1 of BM25: how soon more of the same term stops to count. The usual value."""

LENGTH_SHARE = 0.75
"""b of BM25: how far a long text has to mention a term more often. The usual value."""

Query = Select[int, Any]
"""Which texts have the terms, with their scores."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What BM25 knows of a user's texts as a whole."""

    size: int
    average_length: float
    frequencies: Mapping[str, int]
    """In how many texts each term stands; a term that stands in none is left out."""

    def weight(self, term: str, *, of_at_least: int = 0) -> float:
        """The inverse document frequency of a term, which is never negative; `of_at_least`
        so many texts, where few tell nothing of how common a term is."""
        frequency = self.frequencies.get(term, 0)
        size = max(self.size, frequency, of_at_least)
        return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))

    def rarest(self, terms: Collection[str], most: int) -> Sequence[str]:
        """Those of the terms that stand anywhere, the rarest first, and so many at most."""
        known = self.frequencies.keys() & terms
        return sorted(known, key=lambda term: (-self.weight(term), term))[:most]


class FullText:
    """The table of terms of a table of texts, both of which have the texts' number in a
    column `key`. Of the texts those count that meet the condition `counts`."""

    def __init__(
        self, terms: Table, texts: Table, key: str, counts: ColumnElement[bool] | None = None
    ) -> None:
        self._terms, self._texts, self._key = terms, texts, key
        self._number_of_term: Column[int] = terms.c[key]
        is_theirs = terms.c.user_id == bindparam("whose")
        self._insert = insert(terms)
        self._remove = delete(terms).where(
            is_theirs, self._number_of_term.in_(bindparam("numbers", expanding=True))
        )
        of_all = select(literal(""), func.count(), func.sum(texts.c.length)).where(
            texts.c.user_id == bindparam("whose"), true() if counts is None else counts
        )
        of_each = (
            select(terms.c.term, func.count(), literal(0))
            .where(is_theirs, terms.c.term.in_(bindparam("terms", expanding=True)))
            .group_by(terms.c.term)
        )
        self._corpus = union_all(of_all, of_each)

    def write(self, session: Session, user_id: str, number: int, terms: Mapping[str, int]) -> None:
        """Store the terms of a text that has none yet."""
        if terms:
            session.execute(
                self._insert,
                [
                    {"user_id": user_id, "term": term, self._key: number, "count": count}
                    for term, count in terms.items()
                ],
            )

    def remove(self, session: Session, user_id: str, numbers: Sequence[int]) -> None:
        """Remove the terms of these texts."""
        session.execute(self._remove, {"whose": user_id, "numbers": numbers})

    def corpus(self, session: Session, user_id: str, terms: Collection[str]) -> Corpus:
        """The user's texts as a whole, with the frequencies of these terms."""
        found = session.execute(self._corpus, {"whose": user_id, "terms": list(terms)}).all()
        # No term is empty: that row is of all texts.
        (size, length), *_ = ((row[1], row[2] or 0) for row in found if not row[0])
        frequencies = {row[0]: row[1] for row in found if row[0]}
        return Corpus(size, length / size if size else 0.0, frequencies)

    def query(self, conditions: Sequence[ColumnElement[bool]] = ()) -> Query:
        """What `search` asks, of the texts that meet the conditions."""
        weights = pairs(bindparam("weights")).table_valued("key", "value", name="weights")
        count, number = self._terms.c.count, self._number_of_term
        relative_length = self._texts.c.length / bindparam("average_length", type_=Float())
        damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relative_length)
        weighed = cast(weights.c.value, Float) * count * (SATURATION + 1) / (count + damping)
        score = func.sum(weighed)
        return (
            select(number, score)
            .select_from(weights)
            .join(self._terms, self._terms.c.term == weights.c.key)
            .join(self._texts, self._texts.c[self._key] == number)
            .where(self._terms.c.user_id == bindparam("whose"), *conditions)
            .group_by(number)
            .order_by(score.desc(), number.desc())
            .limit(bindparam("most", type_=Integer()))
        )

    def search(
        self,
        session: Session,
        user_id: str,
        terms: Collection[str],
        known: Corpus,
        limit: int,
        query: Query,
        parameters: Mapping[str, object] = MappingProxyType({}),
    ) -> Mapping[int, float]:
        """The texts in which any of the terms stands, with their BM25 scores: the `limit`
        best of those that `query` is about, whose own conditions get the parameters."""
        weights = {term: known.weight(term) for term in terms if term in known.frequencies}
        if not weights:
            return {}
        asked = {
            "whose": user_id,
            "weights": json.dumps(weights),
            "average_length": max(known.average_length, 1.0),
            "most": limit,
        }
        rows = session.execute(query, asked | dict(parameters))
        return {found: float(scored) for found, scored in rows}


MEMORIES = FullText(
    terms=table_of(MemoryTermRow),
    texts=table_of(MemoryRow),
    key="memory_id",
    counts=MemoryRow.status == MemoryStatus.ACTIVE,
)
"""Which term stands in which memory."""
