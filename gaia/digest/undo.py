"""Takes back what gaia did by itself with memories: `/undo`, and a digest that is written once
more.

The journal of a digest, or of a run of upkeep, tells which memories it wrote and ended, by
their numbers alone. A memory that is forgotten meanwhile is gone for it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from operator import attrgetter

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from gaia.memory import kept_by_tools, ledger, pending
from gaia.memory.memory import Memory
from gaia.memory.owner import owner
from gaia.store import upkeep_runs
from gaia.store.digest_tables import DigestRow, DigestState
from gaia.store.memory_tables import MemorySource, MemoryStatus

UNDOABLE_FOR = timedelta(days=7)
"""How long what a digest wrote can be taken back."""

LOOKED_AT = 50
"""Digests in which the last one that wrote something is looked for."""


class Deed(StrEnum):
    """What a digest did with a memory: wrote a new one, active or pending; activated a
    pending one; ended one; summarised the session in an episode. What upkeep did: ended or
    archived one."""

    WROTE = "wrote"
    SUPPORTED = "supported"
    ENDED = "ended"
    TOLD = "told"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Entry:
    """What was done with one memory."""

    deed: Deed
    memory_id: int


@dataclass(frozen=True, slots=True)
class Undone:
    """What counted and does so no more, and what counts again."""

    taken_back: Sequence[Memory]
    restored: Sequence[Memory]


def last_digest(session: Session, user_id: str, now: datetime) -> int | None:
    """The number of the user's digest that can be undone: the last one that wrote more
    than an episode, unless it is undone already or too old."""
    found = session.execute(
        select(DigestRow.digest_id, DigestRow.journal, DigestRow.undone_at)
        .where(
            DigestRow.user_id == owner(user_id),
            DigestRow.state.in_((DigestState.COMMITTED, DigestState.CLEARED)),
            DigestRow.committed_at >= now - UNDOABLE_FOR,
        )
        .order_by(DigestRow.committed_at.desc(), DigestRow.digest_id.desc())
        .limit(LOOKED_AT)
    )
    for digest_id, journal, undone_at in found:
        if any(each.deed is not Deed.TOLD for each in _entries(journal)):
            return None if undone_at else digest_id
    return None


def undo_last(session: Session, user_id: str, now: datetime) -> Undone | None:
    """Take back what gaia last did by itself: a digest, what a tool kept in a turn, or a run
    of upkeep; None where there is nothing.

    Raises:
        MissingOwnerError: `user_id` is empty.
    """
    digest_id = last_digest(session, user_id, now)
    since = now - UNDOABLE_FOR
    if digest_id is not None:
        committed_at = select(DigestRow.committed_at).where(DigestRow.digest_id == digest_id)
        since = max(since, session.scalar(committed_at) or since)
    kept = kept_by_tools.last(session, user_id, since)
    run = upkeep_runs.last_undoable(session, user_id, since if kept is None else kept.at)
    if run is not None:
        upkeep_runs.mark_undone(session, user_id, run.run_id, now)
        return take_back(session, user_id, _entries(run.journal), now, for_good=False)
    if kept is not None:
        return Undone(*kept_by_tools.take_back(session, user_id, kept.turn_id, now))
    return None if digest_id is None else undo(session, user_id, digest_id, now)


def undo(session: Session, user_id: str, digest_id: int, now: datetime) -> Undone:
    """Take back what a digest of the user wrote, but for what was said again since.

    Raises:
        MissingOwnerError: `user_id` is empty.
    """
    done = read_journal(session, digest_id)
    undone = take_back(session, owner(user_id), done, now, for_good=False)
    session.execute(
        update(DigestRow)
        .where(DigestRow.digest_id == digest_id, DigestRow.user_id == user_id)
        .values(undone_at=now)
    )
    return undone


def read_journal(session: Session, digest_id: int) -> Sequence[Entry]:
    """What a digest did, in its order; nothing where it has done nothing yet."""
    journal = session.scalar(select(DigestRow.journal).where(DigestRow.digest_id == digest_id))
    return _entries(journal or [])


def write_journal(session: Session, digest_id: int, done: Sequence[Entry]) -> None:
    """Keep what a digest did."""
    session.execute(
        update(DigestRow).where(DigestRow.digest_id == digest_id).values(journal=stored(done))
    )


def stored(done: Sequence[Entry]) -> list[dict[str, object]]:
    """A journal as it is stored."""
    return [{"deed": each.deed, "memory_id": each.memory_id} for each in done]


def take_back(
    session: Session, user_id: str, done: Sequence[Entry], now: datetime, *, for_good: bool
) -> Undone:
    """Undo what the entries of a journal tell, the last one first. What was written is
    archived, or, `for_good`, deleted; pending ones are deleted in either case."""
    mine = {each.memory_id for each in done if each.deed not in (Deed.ENDED, Deed.ARCHIVED)}
    taken_back: dict[int, Memory] = {}
    restored: dict[int, Memory] = {}
    archived: list[int] = []
    for entry in reversed(done):
        memory = ledger.find(session, user_id, entry.memory_id)
        if memory is None:
            continue
        if entry.deed in (Deed.ENDED, Deed.ARCHIVED):
            again = _restore(session, memory, entry.deed, mine, now)
            if again is not None:
                restored[again.memory_id] = again
        elif memory.status is MemoryStatus.PENDING and entry.deed is not Deed.SUPPORTED:
            pending.discard(session, user_id, memory.memory_id)
        elif memory.status is MemoryStatus.ACTIVE and not _is_said_since(memory, entry):
            was_pending = entry.deed is Deed.SUPPORTED
            aside = MemoryStatus.PENDING if was_pending else MemoryStatus.ARCHIVED
            pending.put_aside(session, user_id, memory.memory_id, aside, now)
            archived += [] if was_pending else [memory.memory_id]
            # What was ended within the digest that wrote it did not count in between.
            is_news = restored.pop(memory.memory_id, None) is None
            if is_news and entry.deed is not Deed.TOLD:
                taken_back[memory.memory_id] = memory
    if for_good:
        ledger.remove(session, user_id, archived, now)
    number = attrgetter("memory_id")
    return Undone(sorted(taken_back.values(), key=number), sorted(restored.values(), key=number))


def _restore(
    session: Session, memory: Memory, deed: Deed, mine: set[int], now: datetime
) -> Memory | None:
    """Have a memory count again, unless what took its place still does by itself, or was
    replaced in its turn."""
    was = MemoryStatus.ARCHIVED if deed is Deed.ARCHIVED else MemoryStatus.SUPERSEDED
    if memory.status is not was:
        return None
    heir_id = memory.superseded_by
    heir = None if heir_id is None else ledger.find(session, memory.user_id, heir_id)
    if heir is not None and (
        heir.status is MemoryStatus.SUPERSEDED
        or (heir.status is MemoryStatus.ACTIVE and heir.memory_id in mine)
    ):
        return None
    return pending.reactivate(session, memory.user_id, memory.memory_id, now)


def _is_said_since(memory: Memory, entry: Entry) -> bool:
    """Whether something else supports what a digest wrote."""
    own = 2 if entry.deed is Deed.SUPPORTED else 1
    return memory.support > own or memory.source is MemorySource.USER


def _entries(journal: Sequence[dict[str, object]]) -> Sequence[Entry]:
    return [Entry(Deed(str(each["deed"])), int(str(each["memory_id"]))) for each in journal]
