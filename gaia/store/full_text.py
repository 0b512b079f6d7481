"""Full text: which term stands in which text of a user, and how often.

Each function works within the caller's transaction, and reads and writes the rows of
one user alone: what is rare or frequent is so among that user's texts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    Column,
    ColumnElement,
    Float,
    Table,
    case,
    delete,
    func,
    insert,
    literal,
    select,
    true,
)
from sqlalchemy.orm import Session

SATURATION = 1.2
"""k1 of BM25: how soon more of the same term stops to count. The usual value."""

LENGTH_SHARE = 0.75
"""b of BM25: how far a long text has to mention a term more often. The usual value."""


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


@dataclass(frozen=True, slots=True)
class FullText:
    """The table of terms of a table of texts, both of which have the texts' number in a
    column `key`. Of the texts those count that meet the condition `counts`."""

    terms: Table
    texts: Table
    key: str
    counts: ColumnElement[bool] | None = None

    def write(self, session: Session, user_id: str, number: int, terms: Mapping[str, int]) -> None:
        """Store the terms of a text that has none yet."""
        if terms:
            session.execute(
                insert(self.terms),
                [
                    {"user_id": user_id, "term": term, self.key: number, "count": count}
                    for term, count in terms.items()
                ],
            )

    def remove(self, session: Session, user_id: str, numbers: Sequence[int]) -> None:
        """Remove the terms of these texts."""
        session.execute(
            delete(self.terms).where(
                self.terms.c.user_id == user_id, self._number_of_term.in_(numbers)
            )
        )

    def corpus(self, session: Session, user_id: str, terms: Collection[str]) -> Corpus:
        """The user's texts as a whole, with the frequencies of these terms."""
        size, length = session.execute(
            select(func.count(), func.sum(self.texts.c.length)).where(
                self.texts.c.user_id == user_id,
                true() if self.counts is None else self.counts,
            )
        ).one()
        frequencies = session.execute(
            select(self.terms.c.term, func.count().label("texts"))
            .where(self.terms.c.user_id == user_id, self.terms.c.term.in_(terms))
            .group_by(self.terms.c.term)
        )
        average_length = (length or 0) / size if size else 0.0
        return Corpus(size, average_length, {row.term: row.texts for row in frequencies})

    def search(
        self,
        session: Session,
        user_id: str,
        terms: Collection[str],
        known: Corpus,
        limit: int,
        conditions: Sequence[ColumnElement[bool]] = (),
    ) -> Mapping[int, float]:
        """The texts in which any of the terms stands, with their BM25 scores: the `limit`
        best of those that meet the conditions, which are of the table of texts."""
        weights = {term: known.weight(term) for term in terms if term in known.frequencies}
        if not weights:
            return {}
        term, count, number = self.terms.c.term, self.terms.c.count, self._number_of_term
        weight = case(weights, value=term, else_=literal(0.0, Float))
        relative_length = self.texts.c.length / max(known.average_length, 1.0)
        damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relative_length)
        score = func.sum(weight * count * (SATURATION + 1) / (count + damping))
        rows = session.execute(
            select(number, score)
            .join(self.texts, self.texts.c[self.key] == number)
            .where(self.terms.c.user_id == user_id, term.in_(weights))
            .where(*conditions)
            .group_by(number)
            .order_by(score.desc(), number.desc())
            .limit(limit)
        )
        return {found: float(scored) for found, scored in rows}

    @property
    def _number_of_term(self) -> Column[int]:
        column: Column[int] = self.terms.c[self.key]
        return column
