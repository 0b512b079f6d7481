"""The archive of what was said: kept by the terms that it is found by, searched by words
and time, pruned, and forgotten: words are taken out turn by turn, and the turns left.

Each function works within the caller's transaction but `redact_archive`, which reads and
judges outside of any, and changes what goes in short ones. It may be repeated: what was
replaced is not touched again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from gaia.memory import text
from gaia.memory.contexts import ONLY_GLOBAL
from gaia.memory.excerpts import around
from gaia.memory.forget_matcher import ForgetMatcher
from gaia.memory.owner import owner
from gaia.store import archive, forgets, redaction
from gaia.store.archive import ArchivedTurn, Ended
from gaia.store.engine import Database
from gaia.store.memory_tables import ForgetState
from gaia.store.redaction import REPLACEMENT, Redaction

MOST_WORDS = 50
"""Terms of a question that are looked for, the rarest of those that stand anywhere."""

SPARE = 20
"""How many more turns are looked at than shown, where some are being forgotten."""

EXCERPT = 400
"""Characters of what was said, and of what was answered, in a hit; unless told."""

TURNS_AT_A_TIME = 50
"""Turns that one transaction changes or prunes, at most: a turn has hundreds of terms, each of
which is overwritten."""


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
    contexts: Collection[str] | None = ONLY_GLOBAL,
    limit: int,
    excerpt: int = EXCERPT,
) -> Sequence[Hit]:
    """The user's turns in which any of the words stands, the best first, or, without words,
    the latest; of those said from `since` to before `until` in one of the contexts, or in any
    where that is None. No text is an error."""
    owner(user_id)
    conditions = archive.said_within(since, until, contexts)
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
    return archive.prune(session, now - timedelta(days=days), TURNS_AT_A_TIME)


def _standing(
    session: Session, user_id: str, turns: Sequence[ArchivedTurn]
) -> Sequence[ArchivedTurn]:
    """Those of the user's turns in which nothing is that is being forgotten: its words may
    still be in the file."""
    for request in forgets.under_way(session, user_id):
        if request.state is ForgetState.WIPING:
            what = request.redaction(ForgetMatcher(request.phrases).match)
            spared = redaction.spared_turns(session, what, what.since)
            turns = [turn for turn in turns if turn.turn_id in spared or not is_going(turn, what)]
    return turns


async def redact_archive(database: Database, what: Redaction, spared: Collection[str]) -> None:
    """Redact the turns of the user, or delete them where everything goes; but for the
    turns `spared`."""
    numbers = await database.read(candidates, what)
    for start in range(0, len(numbers), TURNS_AT_A_TIME):
        page = numbers[start : start + TURNS_AT_A_TIME]
        turns = await database.read(archive.get_many, what.user_id, page)
        judged = [turn for turn in turns if turn.turn_id not in spared]
        if what.everything:
            await database.write(_remove, judged, what)
            continue
        changed = await asyncio.to_thread(_changed, judged, what)
        await database.write(_rewrite, changed)


def turns(session: Session, user_id: str, numbers: Sequence[int]) -> Sequence[ArchivedTurn]:
    """The turns of these numbers, some at a time."""
    pages = range(0, len(numbers), TURNS_AT_A_TIME)
    return [
        turn
        for start in pages
        for turn in archive.get_many(session, user_id, numbers[start : start + TURNS_AT_A_TIME])
    ]


def is_going(turn: ArchivedTurn, what: Redaction) -> bool:
    """Whether a turn, unless it is spared, tells what goes."""
    return what.everything or redacted(turn, what) != turn


def redacted(turn: ArchivedTurn, what: Redaction) -> ArchivedTurn:
    """The turn without what goes; equal when there is none of it. Words that were
    replaced are nobody's own: nothing is learned of them."""
    is_source = turn.turn_id in what.sources
    asked, words, answer = turn.asked, turn.words, turn.answer
    if is_source or _says(asked, what) or (words != asked and _says(words, what)):
        asked, words = REPLACEMENT, ""
    if is_source or _says(answer, what):
        answer = REPLACEMENT
    return replace(turn, asked=asked, words=words, answer=answer)


def archive_terms(turn: archive.Ended) -> Mapping[str, int]:
    """The terms by which a turn of the archive is found. The user's own words are part of
    what was asked, but for those that notes left no room for."""
    said = Counter(_terms(turn.asked)) | Counter(_terms(turn.words))
    return said + Counter(_terms(turn.answer))


def candidates(session: Session, what: Redaction) -> Sequence[int]:
    """The numbers of the turns that may go: full text knows most of those that cannot."""
    if what.everything or what.terms is None:
        return archive.numbers(session, what.user_id)
    return archive.numbers_with(
        session, what.user_id, what.terms, turn_ids=what.sources, length=text.MOST_TERMS
    )


def _terms(words: str) -> Mapping[str, int]:
    return {} if words == REPLACEMENT else text.terms(words)


def _says(words: str, what: Redaction) -> bool:
    """Whether the words, which may be those of several messages, or one of their lines do."""
    lines = words.splitlines()
    return what.says(words) or (len(lines) > 1 and any(map(what.says, lines)))


def _changed(turns: Sequence[ArchivedTurn], what: Redaction) -> Sequence[ArchivedTurn]:
    return [without for turn in turns if (without := redacted(turn, what)) != turn]


def _remove(session: Session, judged: Sequence[ArchivedTurn], what: Redaction) -> None:
    gone = [turn.archive_id for turn in judged]
    archive.remove(session, what.user_id, gone)


def _rewrite(session: Session, changed: Sequence[ArchivedTurn]) -> None:
    for turn in changed:
        archive.rewrite(session, turn, archive_terms(turn))
