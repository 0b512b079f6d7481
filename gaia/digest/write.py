"""Writes what a digest found to the ledger, in the caller's transaction.

Proposals were checked when they were read; what may have changed since is looked at
again here: a memory that one is to replace may be gone, or may have been said again. One
that cannot be written is left out, and the others are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from gaia.digest.denial import denies
from gaia.digest.statements import Authorship, episode_of
from gaia.digest.undo import Deed, Entry, read_journal, take_back, write_journal
from gaia.errors import UnfitMemoryError
from gaia.memory import ledger, pending
from gaia.memory.extraction import Change, Checked, Proposal, Target
from gaia.memory.memory import Added, Memory
from gaia.memory.owner import owner
from gaia.memory.people import graph
from gaia.memory.rows import text_hash
from gaia.memory.text import content_terms
from gaia.store.digests import Digest
from gaia.store.memory_tables import MemoryRow, MemoryStatus

SHARED = 1 / 3
"""The part of the letters of what is ended, in words that say something, that are said again
by what is about it: words that stand in any sentence are short."""


@dataclass(frozen=True, slots=True)
class Committed:
    """What a digest made of the ledger: what counts now and did not before; what counts
    no more, with what took its place; how many are pending; how many
    proposals were left out."""

    learned: Sequence[Memory]
    replaced: Sequence[tuple[Memory, Memory]]
    episode: Memory | None
    pending: int = 0
    left_out: int = 0


def commit(
    session: Session,
    digest: Digest,
    checked: Sequence[Checked],
    now: datetime,
    *,
    is_fallback: bool = False,
) -> Committed:
    """Write what was found in the windows of a digest, in their order. All of it is pending when
    it `is_fallback`, for which no model was asked.

    What the same digest wrote before, as when it was done without a model, is taken back
    first: nothing is learned twice.

    Raises:
        MissingOwnerError: The digest has no user.
    """
    graph.catch_up(session, owner(digest.user_id))
    before = read_journal(session, digest.digest_id)
    take_back(session, digest.user_id, before, now, for_good=True)
    writing = _DigestWriter(session, Authorship.of(session, digest), now, is_fallback=is_fallback)
    for number, window in enumerate(checked, start=1):
        for position, proposal in enumerate(window.proposals):
            writing.write((number, position), proposal)
    episode = writing.tell(checked[-1].summary if checked else "")
    write_journal(session, digest.digest_id, writing.done)
    return writing.outcome(episode)


class _DigestWriter:
    """One digest on its way into the ledger. `done` is what it did so far."""

    def __init__(
        self, session: Session, authorship: Authorship, now: datetime, *, is_fallback: bool
    ) -> None:
        self.done: list[Entry] = []
        self._session = session
        self._digest = authorship.digest
        self._user_id = authorship.digest.user_id
        self._authorship = authorship
        self._now = now
        self._is_fallback = is_fallback
        self._became: dict[tuple[int, int], int] = {}
        self._heirs: dict[int, int] = {}
        self._left_out = 0

    def write(self, place: tuple[int, int], proposal: Proposal) -> None:
        """Write a proposal that stands at `place`: in which window, and where in it."""
        try:
            with self._session.begin_nested():
                memory = self._apply(proposal)
        except UnfitMemoryError:
            memory = None
        if memory is None:
            self._left_out += 1
        else:
            self._became[place] = memory.memory_id

    def tell(self, summary: str) -> Memory | None:
        """Keep the episode."""
        said = episode_of(summary, self._authorship, self._now)
        if said is None:
            return None
        try:
            with self._session.begin_nested():
                added = ledger.add(self._session, self._user_id, said, self._now)
        except UnfitMemoryError:
            return None
        if added.is_new:
            self.done.append(Entry(Deed.TOLD, added.memory.memory_id))
        return added.memory

    def outcome(self, episode: Memory | None) -> Committed:
        """What became of it all in the end."""
        wrote = [each.memory_id for each in self.done if each.deed in (Deed.WROTE, Deed.SUPPORTED)]
        written = ledger.get_many(self._session, self._user_id, wrote)
        ended = [each for each in self._heirs if each not in wrote]
        old = ledger.get_many(self._session, self._user_id, ended)
        return Committed(
            learned=[each for each in written if each.status is MemoryStatus.ACTIVE],
            replaced=[(each, self._heir(each)) for each in old],
            episode=episode,
            pending=sum(each.status is MemoryStatus.PENDING for each in written),
            left_out=self._left_out,
        )

    def _apply(self, proposal: Proposal) -> Memory | None:
        """The memory that a proposal became; None when there is nothing to write."""
        if proposal.pending or self._is_fallback:
            return self._add_pending(proposal)
        replaced = self._replaced(proposal)
        ended = [old for old, _ in replaced if old.status is MemoryStatus.ACTIVE]
        if not ended and _was_given_up(self._session, self._digest, proposal):
            return None
        said = self._authorship.statement(self._session, proposal)
        added = ledger.add(self._session, self._user_id, said, self._now)
        heir_id = added.memory.memory_id
        for old, change in replaced:
            if old.memory_id == heir_id:
                continue
            if old.status is MemoryStatus.PENDING:
                pending.discard(self._session, self._user_id, old.memory_id)
                continue
            beside = not self._is_sure(proposal, old, change)
            ledger.give_way(
                self._session, self._user_id, old.memory_id, heir_id, self._now, told_by_heir=beside
            )
            self.done.append(Entry(Deed.ENDED, old.memory_id))
            self._heirs[old.memory_id] = heir_id
        self._note(added)
        return ledger.get(self._session, self._user_id, heir_id)

    def _replaced(self, proposal: Proposal) -> Sequence[tuple[Memory, Change]]:
        """What a proposal takes the place of: what was said before it, and is denied word for
        word where nobody has verified that it is over."""
        found: dict[int, tuple[Memory, Change]] = {}
        for target, change in proposal.changes:
            old = self._present(target)
            if old is None or old.valid_from > proposal.said_at:
                continue
            if change is Change.REPLACES or denies(proposal.text, old.text, self._authorship.names):
                found.setdefault(old.memory_id, (old, change))
        return list(found.values())

    def _is_sure(self, proposal: Proposal, old: Memory, change: Change) -> bool:
        """Whether a sentence speaks of what it ends: it has some of its words, or all where it
        names a time. A stay in Paris may have been taken for a move."""
        told = content_terms(old.quote or old.text) - self._authorship.names
        again = told & content_terms(proposal.text)
        if proposal.names_time:
            return change is Change.REPLACES and bool(told) and told == again
        is_about = len("".join(again)) >= SHARED * len("".join(told))
        return is_about or denies(proposal.text, old.text, self._authorship.names)

    def _present(self, target: Target) -> Memory | None:
        """What is active now, or pending, in the place of the memory that is meant; None when
        there is nothing any more."""
        number = target.memory_id
        if number is None:
            number = self._became.get((target.window, target.position))
        seen: set[int] = set()
        while number is not None and number not in seen:
            seen.add(number)
            memory = ledger.find(self._session, self._user_id, number)
            if memory is None:
                return None
            if memory.status in (MemoryStatus.ACTIVE, MemoryStatus.PENDING):
                return memory
            number = memory.superseded_by
        return None

    def _add_pending(self, proposal: Proposal) -> Memory:
        """What is not sure replaces something once its user confirms it."""
        said = self._authorship.statement(self._session, proposal)
        replaced = [old for old, _ in self._replaced(proposal) if old.status is MemoryStatus.ACTIVE]
        added = pending.add(
            self._session,
            self._user_id,
            said,
            self._now,
            in_place_of=replaced[0].memory_id if replaced else None,
        )
        self._note(added)
        return added.memory

    def _note(self, added: Added) -> None:
        if added.is_new:
            own = added.memory.digest_id == self._digest.digest_id
            deed = Deed.WROTE if own else Deed.SUPPORTED
            self.done.append(Entry(deed, added.memory.memory_id))

    def _heir(self, old: Memory) -> Memory:
        """What stands in the place of `old` now: what replaced it may have been replaced."""
        heir_id = self._heirs[old.memory_id]
        while heir_id in self._heirs:
            heir_id = self._heirs[heir_id]
        return ledger.get(self._session, self._user_id, heir_id)


def _was_given_up(session: Session, digest: Digest, proposal: Proposal) -> bool:
    """Whether the same counted once, and something that was said later took its place."""
    heir = aliased(MemoryRow)
    given_up = (
        select(MemoryRow.memory_id)
        .join(heir, heir.memory_id == MemoryRow.superseded_by)
        .where(
            MemoryRow.user_id == digest.user_id,
            MemoryRow.kind == proposal.kind,
            MemoryRow.context == digest.context,
            MemoryRow.hash == text_hash(proposal.text),
            MemoryRow.status == MemoryStatus.SUPERSEDED,
            heir.valid_from > proposal.said_at,
        )
        .limit(1)
    )
    return session.scalar(given_up) is not None
