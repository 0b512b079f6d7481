"""Matching: which memories hold given words, all of them. What a command deletes is
found by this, not by likeness: nobody expects to lose what only resembles their words.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from gaia.memory.owner import owner
from gaia.memory.text import query_terms, terms
from gaia.store.memory_tables import MemoryRow, MemoryStatus, MemoryTermRow

MOST_WORDS = 200
"""Terms that are looked for, at most, far below SQLite's parameters in a statement."""


ROWS_AT_A_TIME = 200


def holding(session: Session, user_id: str, words: str) -> Sequence[int]:
    """The user's memories with each of these words in it, in any form and order, the
    newest first; none without a word. Those that do not count as well: what is held, what
    something took the place of, but for the earlier versions of one that is found."""
    owner(user_id)
    sought = sorted(query_terms(words))[:MOST_WORDS]
    if not sought:
        return []
    found = session.scalars(
        select(MemoryTermRow.memory_id)
        .where(MemoryTermRow.user_id == user_id, MemoryTermRow.term.in_(sought))
        .group_by(MemoryTermRow.memory_id)
        .having(func.count() == len(sought))
    )
    counting = found.all()
    others = _apart_from_full_text(session, user_id, sought)
    heirs = {*counting, *others}
    apart = [number for number, heir in others.items() if heir not in heirs]
    return sorted([*counting, *apart], reverse=True)


def _apart_from_full_text(
    session: Session, user_id: str, sought: Collection[str]
) -> dict[int, int | None]:
    """The memories without full text that hold the terms, and what took their place."""
    found: dict[int, int | None] = {}
    last = 0
    while True:
        rows = session.execute(
            select(MemoryRow.memory_id, MemoryRow.text, MemoryRow.superseded_by)
            .where(
                MemoryRow.user_id == user_id,
                MemoryRow.status != MemoryStatus.ACTIVE,
                MemoryRow.memory_id > last,
            )
            .order_by(MemoryRow.memory_id)
            .limit(ROWS_AT_A_TIME)
        )
        page = rows.all()
        for number, text, heir in page:
            if terms(text).keys() >= set(sought):
                found[number] = heir
        if len(page) < ROWS_AT_A_TIME:
            return found
        last = page[-1].memory_id
