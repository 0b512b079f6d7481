"""What was learned before its user corrected it by an edit gives way to what they say instead.

That holds where there is no doubt: one sentence of the message went, and one came.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.digest.bounds import spans
from gaia.memory.extraction import Change, Checked, Proposal, Target
from gaia.memory.text import normalise
from gaia.store import edits
from gaia.store.edits import Correction
from gaia.store.memory_tables import MemoryRow, MemorySource, MemoryStatus


def corrected(session: Session, user_id: str, read: Sequence[Checked]) -> Sequence[Checked]:
    """What was read in the windows of a digest, in which a sentence also replaces what was
    learned of the one that its user edited."""
    turn_ids = {proposal.turn_id for each in read for proposal in each.proposals}
    found = list(edits.corrections(session, turn_ids))
    if not found:
        return read
    return [
        replace(
            each, proposals=[_corrected(session, user_id, told, found) for told in each.proposals]
        )
        for each in read
    ]


def _corrected(
    session: Session, user_id: str, proposal: Proposal, found: Sequence[Correction]
) -> Proposal:
    targets = [
        Target(memory_id)
        for correction in found
        if correction.turn_id == proposal.turn_id
        for memory_id in _learned_before(session, user_id, proposal, correction)
    ]
    replaces = [(target, Change.REPLACES) for target in targets]
    return replace(proposal, changes=[*replaces, *proposal.changes]) if replaces else proposal


def _learned_before(
    session: Session, user_id: str, proposal: Proposal, correction: Correction
) -> Iterator[int]:
    """The memories of the sentence in whose place a proposal's own stands."""
    old, new = _sentences(correction.earlier_text), _sentences(correction.text)
    went, came = old - new, new - old
    if len(went) != 1 or len(came) != 1 or not came <= _sentences(proposal.quote):
        return
    memories = session.execute(
        select(MemoryRow.memory_id, MemoryRow.quote).where(
            MemoryRow.user_id == user_id,
            MemoryRow.turn_id == correction.earlier_turn_id,
            MemoryRow.source == MemorySource.DIGEST,
            MemoryRow.status.in_((MemoryStatus.ACTIVE, MemoryStatus.PENDING)),
        )
    )
    for memory_id, quote in memories:
        if went <= _sentences(quote or ""):
            yield memory_id


def _sentences(text: str) -> set[str]:
    return {normalise(sentence) for _, sentence in spans(text)}
