"""Pending memories: gaia is not sure of them, and waits for their user's confirmation.

A pending memory has no full text and no vector: neither a search nor a prompt finds it.
It becomes a memory like others once it is said without a doubt, see `ledger.add`, or
its user says so; else it goes. What ran out, and what is taken back, is put aside here
as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from gaia.errors import UnknownMemoryError
from gaia.memory import forgotten, ledger, rows
from gaia.memory.memory import Added, Memory, Statement, memory_of
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemorySource, MemoryStatus

ROWS_AT_A_TIME = 200


def add(
    session: Session,
    user_id: str,
    said: Statement,
    now: datetime,
    *,
    in_place_of: int | None = None,
) -> Added:
    """Keep a statement aside, until its user says that it is true, or it is said again in
    a way that leaves no doubt; perhaps `in_place_of` a memory. `is_new` says that it was not
    pending before.

    Raises:
        As `ledger.add`.
    """
    said = replace(said, text=ledger.checked(said.text, may_tell=said.may_tell_credentials))
    known = rows.same(session, user_id, said)
    if known is None:
        forgotten.check(session, user_id, said)
        row = rows.insert_pending(session, user_id, said, now)
        row.replaces = in_place_of
        return Added(memory_of(row), is_new=True)
    if known.status == MemoryStatus.PENDING:
        known.replaces = known.replaces or in_place_of
        return Added(memory_of(known), is_new=False)
    return ledger.add(session, user_id, said, now)


def propose(
    session: Session,
    user_id: str,
    said: Statement,
    now: datetime,
    *,
    in_place_of: int | None = None,
) -> Added:
    """Keep a statement aside until its user answers, perhaps `in_place_of` a memory. What says
    the same already stays as it is.

    Raises:
        As `add`.
    """
    said = replace(said, text=ledger.checked(said.text))
    known = rows.same(session, user_id, said)
    if known is None:
        forgotten.check(session, user_id, said)
        known = rows.insert_pending(session, user_id, said, now)
    elif known.status == MemoryStatus.PENDING:
        known.turn_id, known.quote = said.turn_id, said.quote
    if known.status == MemoryStatus.PENDING:
        known.replaces = in_place_of
        session.flush()
    return Added(memory_of(known), is_new=known.status == MemoryStatus.PENDING)


def of_turn(session: Session, user_id: str, turn_id: str) -> Sequence[Memory]:
    """What tools proposed in a turn and is pending still, in order."""
    found = session.scalars(
        rows.of(user_id)
        .where(
            MemoryRow.turn_id == turn_id,
            MemoryRow.status == MemoryStatus.PENDING,
            MemoryRow.source == MemorySource.TOOL,
        )
        .order_by(MemoryRow.memory_id)
    )
    return [memory_of(row) for row in found]


page = partial(ledger.page, status=MemoryStatus.PENDING)
"""A page of the user's pending memories, the newest first."""


def confirm(session: Session, user_id: str, memory_id: int, now: datetime) -> Memory:
    """Activate a pending memory, since its user confirmed it; the one that it `replaces`
    gives way, unless that is a rule.

    Raises:
        UnknownMemoryError: The user has no pending memory of that number.
    """
    row = _pending_row(session, user_id, memory_id)
    replaces = row.replaces
    twin = _active_twin(session, row)
    if twin is not None:
        twin.support += 1
        rows.delete_pending(session, row)
        kept = twin
    else:
        row.support += 1
        rows.activate(session, row, now)
        kept = row
    if replaces is not None and replaces != kept.memory_id:
        old = session.scalar(rows.one_of(user_id, replaces, MemoryStatus.ACTIVE))
        if old is not None and old.kind != MemoryKind.RULE:
            ledger.give_way(session, user_id, replaces, kept.memory_id, now)
    return memory_of(kept)


def discard(session: Session, user_id: str, memory_id: int) -> Memory:
    """Delete a pending memory; returns what it was.

    Raises:
        UnknownMemoryError: The user has no pending memory of that number.
    """
    row = _pending_row(session, user_id, memory_id)
    gone = memory_of(row)
    rows.delete_pending(session, row)
    return gone


def put_aside(
    session: Session, user_id: str, memory_id: int, status: MemoryStatus, now: datetime
) -> Memory | None:
    """Make an active memory pending or archived; None if it is not active."""
    row = session.scalar(rows.one_of(user_id, memory_id, MemoryStatus.ACTIVE))
    if row is None:
        return None
    rows.retire(session, row, status, now)
    return memory_of(row)


def reactivate(session: Session, user_id: str, memory_id: int, now: datetime) -> Memory | None:
    """Activate a superseded or archived memory again; None when there is none, or an
    active one says the same."""
    ended = (MemoryStatus.SUPERSEDED, MemoryStatus.ARCHIVED)
    row = session.scalar(rows.one_of(user_id, memory_id, *ended))
    if row is None or _active_twin(session, row) is not None:
        return None
    rows.activate(session, row, now)
    return memory_of(row)


def expire(session: Session, now: datetime) -> int:
    """Archive what has run out, of all users; returns how many. Some at a time: to be
    called until there are none."""
    found = session.scalars(
        select(MemoryRow)
        .where(MemoryRow.status == MemoryStatus.ACTIVE, MemoryRow.expires_at <= now)
        .order_by(MemoryRow.memory_id)
        .limit(ROWS_AT_A_TIME)
    )
    run_out = found.all()
    for row in run_out:
        row.valid_to = row.expires_at
        rows.retire(session, row, MemoryStatus.ARCHIVED, now)
    return len(run_out)


def drop_old(session: Session, before: datetime) -> int:
    """Delete memories of all users that have been pending since before then; returns how
    many."""
    gone = session.scalars(
        delete(MemoryRow)
        .where(MemoryRow.status == MemoryStatus.PENDING, MemoryRow.created_at < before)
        .returning(MemoryRow.memory_id)
    )
    return len(gone.all())


def _pending_row(session: Session, user_id: str, memory_id: int) -> MemoryRow:
    row = session.scalar(rows.one_of(user_id, memory_id, MemoryStatus.PENDING))
    if row is None:
        raise UnknownMemoryError(
            f"there is no pending memory {memory_id}: 'gaia memory list --pending' lists them"
        )
    return row


def _active_twin(session: Session, row: MemoryRow) -> MemoryRow | None:
    """The active memory that says the same as `row`, if there is one."""
    return session.scalar(
        rows.of(row.user_id).where(
            MemoryRow.memory_id != row.memory_id,
            MemoryRow.kind == row.kind,
            MemoryRow.context == row.context,
            MemoryRow.hash == row.hash,
            MemoryRow.status == MemoryStatus.ACTIVE,
        )
    )
