"""Offers: what is known already and goes to the model with a window, so that it can say
what replaces what, and does not tell it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain, zip_longest

from sqlalchemy import or_
from sqlalchemy.orm import Session

from gaia.memory import credentials, rows
from gaia.memory.contexts import GLOBAL, visible
from gaia.memory.extraction import Checked, Offer, Target, Window
from gaia.memory.memory import Memory, memory_of
from gaia.memory.owner import owner
from gaia.memory.search.pleasantries import is_pleasantry
from gaia.memory.search.recall import Finder
from gaia.ports import Clock
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemoryStatus

MOST_OFFERS = 30
MOST_SMALL_OFFERS = 10
MOST_SEARCHES = 40
"""Turns of a window that are searched with, the longest ones."""

BEST = 3
"""Memories that one of them is searched for."""

LONGEST_SEARCH = 600
"""Characters of a turn that are searched with: as many as an embedder reads."""

OFFERED = frozenset(
    {MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.RULE, MemoryKind.REMINDER, MemoryKind.NOTE}
)


class Known:
    """Finds what is known of a window. A small model reads slowly: it gets fewer."""

    def __init__(
        self, database: Database, finder: Finder, clock: Clock, *, small: Callable[[], bool]
    ) -> None:
        self._database = database
        self._finder = finder
        self._clock = clock
        self._small = small

    async def __call__(
        self, user_id: str, window: Window, read: Sequence[Checked], context: str = GLOBAL
    ) -> Sequence[Offer]:
        """What may be offered with a window: the user's rules, what was found in the
        windows `read` before, and the memories nearest to what is said in it. Sensitive
        ones too: they are of the same user. Credentials never.

        Raises:
            MissingOwnerError: `user_id` is empty.
        """
        owner(user_id)
        rules = await self._database.read(_rules_of, user_id, self._clock.now(), context)
        found = [
            await self._finder.find(user_id, words, limit=BEST, context=context)
            for words in _searches(window)
        ]
        most = MOST_SMALL_OFFERS if self._small() else MOST_OFFERS
        return chosen(rules, read, found, most=most)


def chosen(
    rules: Sequence[Memory],
    read: Sequence[Checked],
    found: Sequence[Sequence[Memory]],
    *,
    most: int,
) -> Sequence[Offer]:
    """At most so many offers, numbered from 1. Rules and earlier findings have a third each
    where there are more, and the room that is left goes to whatever there is."""
    changed = {target for window in read for each in window.proposals for target, _ in each.changes}
    groups = [
        [_of_memory(each) for each in rules],
        list(_of_windows(read)),
        # The best of each search, then the second best of each, and so on.
        [_of_memory(each) for rank in zip_longest(*found) for each in rank if each is not None],
    ]
    third = most // 3
    ordered = chain(
        *(group[:third] for group in groups[:2]),
        groups[2],
        *(group[third:] for group in groups[:2]),
    )
    offers: dict[Target, Offer] = {}
    for each in ordered:
        if len(offers) < most and each.target not in changed and _may_be_offered(each):
            offers.setdefault(each.target, each)
    return [replace(each, number=number) for number, each in enumerate(offers.values(), 1)]


def _searches(window: Window) -> Sequence[str]:
    said = [turn.words for turn in window.turns if not is_pleasantry(turn.words)]
    longest = sorted(dict.fromkeys(said), key=len, reverse=True)[:MOST_SEARCHES]
    return [words[:LONGEST_SEARCH] for words in longest]


def _of_windows(read: Sequence[Checked]) -> Iterable[Offer]:
    """What was found before, the last first."""
    for window in range(len(read), 0, -1):
        proposals = read[window - 1].proposals
        for position in range(len(proposals) - 1, -1, -1):
            each = proposals[position]
            yield Offer(0, Target(None, window, position), each.kind, each.text)


def _of_memory(memory: Memory) -> Offer:
    return Offer(0, Target(memory.memory_id), memory.kind, memory.text)


def _may_be_offered(offer: Offer) -> bool:
    return offer.kind in OFFERED and credentials.find(offer.text) is None


def _rules_of(session: Session, user_id: str, now: datetime, context: str) -> list[Memory]:
    """The rules that count, the newest first."""
    found = session.scalars(
        rows.of(user_id)
        .where(
            MemoryRow.status == MemoryStatus.ACTIVE,
            MemoryRow.kind == MemoryKind.RULE,
            MemoryRow.context.in_(visible(context)),
            or_(MemoryRow.expires_at.is_(None), MemoryRow.expires_at > now),
        )
        .order_by(MemoryRow.memory_id.desc())
        .limit(MOST_OFFERS)
    )
    return [memory_of(row) for row in found]
