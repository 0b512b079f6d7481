"""Writes what a digest found to the ledger, in the caller's transaction.

Proposals were checked when they were read; what may have changed since is looked at
again here: a memory that one is to replace may be gone, or may have been said again. One
that cannot be written is left out, and the others are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.errors import UnfitMemoryError, UnknownMemoryError
from gaia.memory import holding, ledger
from gaia.memory.digest import journal, replacing
from gaia.memory.digest.findings import Checked, Operation, Proposal
from gaia.memory.digest.journal import Deed, Entry
from gaia.memory.digest.replacing import Verdict
from gaia.memory.digest.statements import Authorship, episode_of
from gaia.memory.digest.undoing import take_back
from gaia.memory.memory import Added, Memory, Statement
from gaia.memory.owner import owner
from gaia.store.memory_tables import MemoryStatus


@dataclass(frozen=True, slots=True)
class Digested:
    """The digest that is written. `session_id` is the session that it has read. What a
    `is_fallback` found, which asked no model, is held as a whole."""

    digest_id: int
    user_id: str
    session_id: str
    is_fallback: bool = False


@dataclass(frozen=True, slots=True)
class Committed:
    """What a digest made of the ledger: what counts now and did not before; what counts
    no more, with what took its place, if anything did; how many are held; how many
    proposals were left out."""

    learned: Sequence[Memory]
    replaced: Sequence[tuple[Memory, Memory | None]]
    episode: Memory | None
    held: int = 0
    left_out: int = 0


def commit(
    session: Session, digest: Digested, checked: Sequence[Checked], now: datetime
) -> Committed:
    """Write what was found in the windows of a digest, in their order.

    What the same digest wrote before, as when it was done without a model, is taken back
    first: nothing is learned twice.

    Raises:
        MissingOwnerError: The digest has no user.
    """
    owner(digest.user_id)
    before = journal.read(session, digest.digest_id)
    take_back(session, digest.user_id, before, now, for_good=True)
    authorship = Authorship.of(session, digest.user_id, digest.digest_id, digest.session_id)
    writing = _Writing(session, digest, authorship, now)
    for number, window in enumerate(checked, start=1):
        for position, proposal in enumerate(window.proposals):
            writing.write((number, position), proposal)
    episode = writing.tell(checked[-1].summary if checked else "")
    journal.write(session, digest.digest_id, writing.done)
    return writing.outcome(episode)


class _Writing:
    """One digest on its way into the ledger. `done` is what it did so far."""

    def __init__(
        self, session: Session, digest: Digested, authorship: Authorship, now: datetime
    ) -> None:
        self.done: list[Entry] = []
        self._session = session
        self._digest = digest
        self._user_id = digest.user_id
        self._authorship = authorship
        self._now = now
        self._became: dict[tuple[int, int], int] = {}
        self._heirs: dict[int, int | None] = {}
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
            held=sum(each.status is MemoryStatus.HELD for each in written),
            left_out=self._left_out,
        )

    def _apply(self, proposal: Proposal) -> Memory | None:
        """The memory that a proposal became; None when there is nothing to write."""
        if proposal.held or self._digest.is_fallback:
            return self._hold(proposal)
        old = replacing.target(self._session, self._user_id, proposal, became=self._became)
        verdict = replacing.verdict(self._session, self._user_id, proposal, old)
        if verdict is Verdict.LEAVE:
            return old
        if verdict is Verdict.ADD or old is None:
            return self._add(proposal)
        if proposal.operation is Operation.RETRACT:
            ended = ledger.retract(self._session, self._user_id, old.memory_id, self._now)
            self._note_end(old, None)
            return ended
        said = self._statement(proposal)
        added = ledger.supersede(self._session, self._user_id, old.memory_id, said, self._now)
        if added.memory.memory_id != old.memory_id:
            self._note_end(old, added.memory)
        self._note(added)
        return added.memory

    def _add(self, proposal: Proposal) -> Memory:
        said = self._statement(proposal)
        added = ledger.add(self._session, self._user_id, said, self._now)
        self._note(added)
        return added.memory

    def _hold(self, proposal: Proposal) -> Memory | None:
        """What is not sure neither replaces nor ends anything."""
        if proposal.operation is Operation.RETRACT:
            return None
        said = self._statement(proposal)
        added = holding.hold(self._session, self._user_id, said, self._now)
        self._note(added)
        return added.memory

    def _statement(self, proposal: Proposal) -> Statement:
        return self._authorship.statement(self._session, proposal)

    def _note(self, added: Added) -> None:
        if added.is_new:
            own = added.memory.digest_id == self._digest.digest_id
            deed = Deed.WROTE if own else Deed.SUPPORTED
            self.done.append(Entry(deed, added.memory.memory_id))

    def _note_end(self, old: Memory, heir: Memory | None) -> None:
        self.done.append(Entry(Deed.ENDED, old.memory_id))
        self._heirs[old.memory_id] = None if heir is None else heir.memory_id

    def _heir(self, old: Memory) -> Memory | None:
        """What stands in the place of `old` now: what replaced it may have been replaced."""
        heir_id = self._heirs[old.memory_id]
        while heir_id in self._heirs:
            heir_id = self._heirs[heir_id]
        if heir_id is None:
            return None
        try:
            return ledger.get(self._session, self._user_id, heir_id)
        except UnknownMemoryError:
            return None
