"""Whether what a digest found may take the place of what is known, at the moment of
writing. What a user said last counts; what they wrote themselves yields to that alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from gaia.errors import UnknownMemoryError
from gaia.memory import holding, ledger, rows
from gaia.memory.digest.findings import Operation, Proposal
from gaia.memory.memory import Memory
from gaia.store.memory_tables import MemoryRow, MemorySource, MemoryStatus


class Verdict(StrEnum):
    """What becomes of a proposal: it is written beside what is known, in its place, or
    not at all."""

    ADD = "add"
    REPLACE = "replace"
    LEAVE = "leave"


def target(
    session: Session,
    user_id: str,
    proposal: Proposal,
    *,
    became: Mapping[tuple[int, int], int],
) -> Memory | None:
    """The memory that counts now in the place of the one that is meant; None when there is
    none any more. `became` tells what proposals of earlier windows have become. One that
    is only held makes room."""
    if proposal.target is None:
        return None
    number = proposal.target.memory_id
    if number is None:
        number = became.get((proposal.target.window, proposal.target.position))
    seen: set[int] = set()
    while number is not None and number not in seen:
        seen.add(number)
        try:
            memory = ledger.get(session, user_id, number)
        except UnknownMemoryError:
            return None
        if memory.status is MemoryStatus.ACTIVE:
            return memory
        if memory.status is MemoryStatus.HELD:
            holding.discard(session, user_id, number)
            return None
        number = memory.superseded_by
    return None


def verdict(session: Session, user_id: str, proposal: Proposal, old: Memory | None) -> Verdict:
    """What becomes of a proposal that means `old`."""
    if old is None or proposal.operation is Operation.ADD:
        if proposal.operation is Operation.RETRACT or _was_given_up(session, user_id, proposal):
            return Verdict.LEAVE
        return Verdict.ADD
    if old.source is MemorySource.USER:
        is_newer = proposal.said_at > old.valid_from
        if proposal.operation is Operation.UPDATE or not proposal.quote.strip() or not is_newer:
            return Verdict.LEAVE
    elif old.valid_from > proposal.said_at and old.turn_id != proposal.turn_id:
        # Said before what is known was said, in a conversation that is read later.
        return Verdict.ADD if proposal.operation is Operation.UPDATE else Verdict.LEAVE
    return Verdict.REPLACE


def _was_given_up(session: Session, user_id: str, proposal: Proposal) -> bool:
    """Whether the same counted once, and something that was said later took its place."""
    heir = aliased(MemoryRow)
    until = session.scalars(
        select(heir.valid_from)
        .select_from(MemoryRow)
        .join(heir, heir.memory_id == MemoryRow.superseded_by)
        .where(
            MemoryRow.user_id == user_id,
            MemoryRow.kind == proposal.kind,
            MemoryRow.context == proposal.context,
            MemoryRow.hash == rows.text_hash(proposal.text),
            MemoryRow.status == MemoryStatus.SUPERSEDED,
        )
    )
    times: list[datetime] = list(until)
    return any(time > proposal.said_at for time in times)
