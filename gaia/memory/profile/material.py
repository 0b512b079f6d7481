"""What a profile is made of: which memories, the most important first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from gaia.memory import credentials
from gaia.memory.memory import Memory, memory_of
from gaia.memory.owner import owner
from gaia.memory.recall import excerpt
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemorySource, MemoryStatus
from gaia.store.profiles import Bullet, Profile

KINDS = (MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.NOTE)
"""Rules and the last episode stand beside the profile; a reminder has its time."""

MOST_MEMORIES = 150
"""Memories that a profile is made of, at most."""


def material(session: Session, user_id: str, now: datetime) -> Sequence[Memory]:
    """The user's memories that may go into their profile: those that they wrote themselves
    first, then those that were told most often, then the newest."""
    found = session.scalars(
        select(MemoryRow)
        .where(
            MemoryRow.user_id == owner(user_id),
            MemoryRow.status == MemoryStatus.ACTIVE,
            MemoryRow.kind.in_(KINDS),
            MemoryRow.sensitive.is_(False),
            or_(MemoryRow.expires_at.is_(None), MemoryRow.expires_at > now),
        )
        .order_by(
            (MemoryRow.source == MemorySource.USER).desc(),
            MemoryRow.support.desc(),
            MemoryRow.memory_id.desc(),
        )
        .limit(MOST_MEMORIES)
    )
    return [memory_of(row) for row in found if credentials.find(row.text) is None]


def input_hash(memories: Sequence[Memory], limit: int) -> str:
    """The same for as long as the same profile would be made of them, of `limit` bullets."""
    told = [limit, *sorted((each.memory_id, each.text) for each in memories)]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def plain(memories: Sequence[Memory], limit: int) -> Profile:
    """The profile that is made without a model: the most important memories as they are."""
    bullets = [Bullet(excerpt(each.text), (each.memory_id,)) for each in memories[:limit]]
    return Profile(bullets, distilled=False, input_hash=input_hash(memories, limit))
