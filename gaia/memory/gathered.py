"""What gaia gathered by itself and shows to nobody unasked: episodes, and what it holds.

A summary tells many things at once, so that it goes with any of them that is forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from gaia.memory.needles import Needles
from gaia.memory.owner import owner
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemorySource, MemoryStatus


def telling(session: Session, user_id: str, needles: Needles) -> Sequence[int]:
    """The numbers of the user's episodes and held memories, whatever became of them, in
    which one of the needles is found."""
    rows = session.execute(
        select(MemoryRow.memory_id, MemoryRow.text, MemoryRow.quote).where(
            MemoryRow.user_id == owner(user_id),
            MemoryRow.source == MemorySource.DIGEST,
            or_(MemoryRow.kind == MemoryKind.EPISODE, MemoryRow.status == MemoryStatus.HELD),
        )
    )
    return [number for number, *texts in rows if any(map(needles.match, filter(None, texts)))]
