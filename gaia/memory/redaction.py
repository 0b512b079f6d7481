"""Takes words out of what gaia keeps of conversations by itself: the archive of turns, the
episodes and what is held of them, and the profile.

Reads and judges outside of any transaction, then changes what goes in short ones. Each
step may be repeated: what was replaced is not touched again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import delete, or_, select

from gaia.memory import ledger, text
from gaia.store import archive
from gaia.store.archive import ArchivedTurn
from gaia.store.digest_tables import ProfileRow
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemorySource, MemoryStatus
from gaia.store.redaction import REPLACEMENT, ROWS_AT_A_TIME, Redaction


async def redact_archive(database: Database, what: Redaction, spared: Collection[str]) -> None:
    """Redact the turns of the user, or delete them where everything goes; but for the
    turns `spared`."""
    async with database.read() as session:
        numbers = await archive.numbers(session, what.user_id)
    for start in range(0, len(numbers), ROWS_AT_A_TIME):
        page = numbers[start : start + ROWS_AT_A_TIME]
        async with database.read() as session:
            turns = await archive.get_many(session, what.user_id, page)
        judged = [turn for turn in turns if turn.turn_id not in spared]
        if what.everything:
            async with database.write() as session:
                gone = [turn.archive_id for turn in judged]
                await archive.remove(session, what.user_id, gone)
            continue
        changed = await asyncio.to_thread(_changed, judged, what)
        async with database.write() as session:
            for turn in changed:
                await archive.rewrite(session, turn, archive_terms(turn))


async def redact_gathered(database: Database, what: Redaction, now: datetime) -> None:
    """Remove episodes, and what is held, that tell what goes, and the profile that does.

    Other memories are the user's to see and to name: of those the quotes alone go.
    """
    async with database.read() as session:
        rows = await session.execute(
            select(MemoryRow.memory_id, MemoryRow.text, MemoryRow.quote).where(
                MemoryRow.user_id == what.user_id,
                MemoryRow.source == MemorySource.DIGEST,
                or_(MemoryRow.kind == MemoryKind.EPISODE, MemoryRow.status == MemoryStatus.HELD),
            )
        )
        gathered = [(number, [*filter(None, texts)]) for number, *texts in rows]
        profile = await session.get(ProfileRow, what.user_id)
    bullets = [] if profile is None else profile.bullets
    going = await asyncio.to_thread(_going, gathered, what)
    is_told = any(what.says(word) for each in bullets for word in _words(each))
    if not going and not is_told:
        return
    async with database.write() as session:
        await ledger.remove(session, what.user_id, going, now)
        await session.execute(delete(ProfileRow).where(ProfileRow.user_id == what.user_id))


def is_going(turn: ArchivedTurn, what: Redaction) -> bool:
    """Whether a turn, unless it is spared, tells what goes."""
    return what.everything or redacted(turn, what) != turn


def redacted(turn: ArchivedTurn, what: Redaction) -> ArchivedTurn:
    """The turn without what goes; equal when there is none of it."""
    is_source = turn.turn_id in what.sources
    asked, words, answer = turn.asked, turn.words, turn.answer
    if is_source or _says(asked, what) or _says(words, what):
        asked = words = REPLACEMENT
    if is_source or _says(answer, what):
        answer = REPLACEMENT
    return replace(turn, asked=asked, words=words, answer=answer)


def archive_terms(turn: archive.Ended) -> Mapping[str, int]:
    """The terms by which a turn of the archive is found."""
    told = [each for each in (turn.asked, turn.answer) if each != REPLACEMENT]
    return text.terms("\n".join(told))


def _says(words: str, what: Redaction) -> bool:
    """Whether the words, which may be those of several messages, or one of their lines do."""
    return what.says(words) or any(map(what.says, words.splitlines()))


def _changed(turns: Sequence[ArchivedTurn], what: Redaction) -> Sequence[ArchivedTurn]:
    return [without for turn in turns if (without := redacted(turn, what)) != turn]


def _going(gathered: Sequence[tuple[int, Sequence[str]]], what: Redaction) -> Sequence[int]:
    return [number for number, texts in gathered if any(map(what.says, texts))]


def _words(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _words(each)
        case dict():
            yield from _words(list(value.values()))
        case _:
            return
