"""Takes words out of the archive, turn by turn, and leaves the turns.

Reads and judges outside of any transaction, then changes what goes in short ones. It
may be repeated: what was replaced is not touched again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from gaia.memory import text
from gaia.store import archive
from gaia.store.archive import ArchivedTurn
from gaia.store.engine import Database
from gaia.store.redaction import REPLACEMENT, Redaction

TURNS_AT_A_TIME = 50
"""Turns that one transaction changes: each has hundreds of terms, which are overwritten."""


async def redact_archive(database: Database, what: Redaction, spared: Collection[str]) -> None:
    """Redact the turns of the user, or delete them where everything goes; but for the
    turns `spared`."""
    numbers = await database.read(_candidates, what)
    for start in range(0, len(numbers), TURNS_AT_A_TIME):
        page = numbers[start : start + TURNS_AT_A_TIME]
        turns = await database.read(archive.get_many, what.user_id, page)
        judged = [turn for turn in turns if turn.turn_id not in spared]
        if what.everything:
            await database.write(_remove, judged, what)
            continue
        changed = await asyncio.to_thread(_changed, judged, what)
        await database.write(_rewrite, changed)


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


def _candidates(session: Session, what: Redaction) -> Sequence[int]:
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
