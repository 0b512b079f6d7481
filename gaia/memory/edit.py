"""Editing: a memory gives way to what its user writes in its place."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from gaia.memory import ledger
from gaia.memory.memory import Memory, Statement
from gaia.memory.people import entities
from gaia.store.memory_tables import MemoryKind, MemorySource


def edit(
    session: Session, user_id: str, memory_id: int, text: str, kind: MemoryKind, now: datetime
) -> Memory:
    """Supersede a memory by other words of its user: it applies where and as long as that did,
    and is about what it still names. A shared note stays one, and may tell a password.

    Raises:
        As `ledger.supersede`.
    """
    old = ledger.get(session, user_id, memory_id)
    about = entities.of_memory(session, user_id, memory_id)
    newer = Statement(
        text,
        MemorySource.USER,
        kind=kind,
        subject=old.subject,
        context=old.context,
        is_shared=old.is_shared,
        may_tell_credentials=old.is_shared,
        entities=tuple(entities.still_named(about, text)),
        expires_at=old.expires_at,
        due_at=old.due_at,
        recurrence=old.recurrence,
        zone=old.zone,
        said_again_at=now,
    )
    return ledger.supersede(session, user_id, memory_id, newer, now).memory
