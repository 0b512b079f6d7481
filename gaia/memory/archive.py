"""The archive of what was said: kept by the terms that it is found by, searched by words
and time, and pruned.

Each function works within the caller's transaction. How it is forgotten is told in
`gaia.memory.redaction`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from gaia.memory import text
from gaia.memory.excerpts import around
from gaia.memory.needles import Needles
from gaia.memory.owner import owner
from gaia.memory.redaction import archive_terms, is_going
from gaia.store import archive, forgets, redaction
from gaia.store.archive import ArchivedTurn, Ended
from gaia.store.memory_tables import ForgetState

MOST_WORDS = 50
"""Terms of a question that are looked for, the rarest of those that stand anywhere."""

SPARE = 20
"""How many more turns are looked at than shown, where some are being forgotten."""

EXCERPT = 400
"""Characters of what was said, and of what was answered, in a hit; unless told."""


PRUNED_AT_ONCE = 50
"""Turns that one transaction prunes, at most: a turn has hundreds of terms, each of which
is overwritten."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A turn that was found: when it was, and the parts of it that have the words."""

    turn: ArchivedTurn
    asked: str
    answer: str

    @property
    def said_at(self) -> datetime:
        return self.turn.said_at


def keep(session: Session, turn: Ended) -> None:
    """Keep a turn that came to its end, to be found by what was asked and answered.
    Idempotent.

    Raises:
        MissingOwnerError: It names no user.
    """
    owner(turn.user_id)
    archive.add(session, turn, archive_terms(turn))


def search(
    session: Session,
    user_id: str,
    *,
    words: str,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int,
    excerpt: int = EXCERPT,
) -> Sequence[Hit]:
    """The user's turns in which any of the words stands, the best first, or, without words,
    the latest; of those said from `since` to before `until`. No text is an error.

    Raises:
        MissingOwnerError: `user_id` is empty.
    """
    owner(user_id)
    conditions = archive.said_between(since, until)
    wanted = text.query_terms(words)
    if wanted:
        known = archive.FULL_TEXT.corpus(session, user_id, wanted)
        rarest = known.rarest(wanted, MOST_WORDS)
        query = archive.FULL_TEXT.query(conditions)
        found = archive.FULL_TEXT.search(session, user_id, rarest, known, limit + SPARE, query)
        numbers: Sequence[int] = list(found)
    else:
        numbers = archive.latest(session, user_id, limit + SPARE, conditions)
    turns = {each.archive_id: each for each in archive.get_many(session, user_id, numbers)}
    standing = _standing(session, user_id, [turns[number] for number in numbers])
    return [
        Hit(turn, around(turn.asked, wanted, excerpt), around(turn.answer, wanted, excerpt))
        for turn in standing[:limit]
    ]


def prune(session: Session, now: datetime, days: int) -> int:
    """Delete turns older than so many days, of all users; returns how many. There may be
    more as long as it is not 0: the transactions stay short.

    What has still to be digested, or may have to be, is never pruned.
    """
    return archive.prune(session, now - timedelta(days=days), PRUNED_AT_ONCE)


def _standing(
    session: Session, user_id: str, turns: Sequence[ArchivedTurn]
) -> Sequence[ArchivedTurn]:
    """Those of the user's turns in which nothing is that is being forgotten: its words may
    still be in the file."""
    for wish in forgets.under_way(session, user_id):
        if wish.state is ForgetState.WIPING:
            what = wish.redaction(Needles(wish.needles).match)
            spared = redaction.spared_turns(session, what, what.since)
            turns = [turn for turn in turns if turn.turn_id in spared or not is_going(turn, what)]
    return turns
