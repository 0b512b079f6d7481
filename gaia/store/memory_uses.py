"""How often memories went to the model, and when they did last."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import bindparam, literal, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session

from gaia.store.base import UtcDateTime, table_of
from gaia.store.memory_tables import MemoryRow
from gaia.store.upkeep_tables import MemoryUseRow

_USES, _MEMORIES = table_of(MemoryUseRow), table_of(MemoryRow)
_NOW = bindparam("now", type_=UtcDateTime())
_ADD = (
    insert(_USES)
    .from_select(
        ["memory_id", "user_id", "uses", "last_used_at"],
        select(_MEMORIES.c.memory_id, _MEMORIES.c.user_id, literal(1), _NOW).where(
            _MEMORIES.c.memory_id.in_(bindparam("used", expanding=True)),
            _MEMORIES.c.user_id == bindparam("whose"),
        ),
    )
    .on_conflict_do_update(
        index_elements=[_USES.c.memory_id],
        set_={"uses": _USES.c.uses + 1, "last_used_at": _NOW},
    )
)


def add(session: Session, user_id: str, memory_ids: Collection[int], now: datetime) -> None:
    """Count one more use of each of the user's memories, in one statement. One that was
    forgotten meanwhile is passed over."""
    if memory_ids:
        session.execute(_ADD, {"used": list(memory_ids), "whose": user_id, "now": now})
