"""The settings that processes on one PostgreSQL database have told each other: of each key that
was ever changed what was told last, so that there are never more rows than settings.

The function works within the caller's transaction. All writes wait for each other, so that no
two processes look and tell at once.
"""

from __future__ import annotations

import json

from pydantic import JsonValue
from sqlalchemy import text
from sqlalchemy.orm import Session

from gaia.settings import agreement
from gaia.settings.agreement import Exchange, Position, ToldValue
from gaia.store.processes import processes

NOTICE = "settings"
"""What a notice is about: that a process has told the others of changed settings."""

_LISTED = text("SELECT number, key, value, told_by FROM shared_settings ORDER BY number, key")
_TELL = text(
    "INSERT INTO shared_settings (number, key, value, told_by, told_at) "
    "VALUES (:number, :key, :value, :told_by, clock_timestamp() AT TIME ZONE 'UTC') "
    "ON CONFLICT (key) DO UPDATE SET number = excluded.number, value = excluded.value, "
    "told_by = excluded.told_by, told_at = excluded.told_at"
)


def exchange(
    session: Session,
    present: dict[str, JsonValue],
    position: Position | None,
    process_id: str,
    name: str,
) -> Exchange:
    """Tell the others what was changed here; returns what they have told."""
    told = [
        ToldValue(number, key, json.loads(value), told_by)
        for number, key, value, told_by in session.execute(_LISTED)
    ]
    due = agreement.exchange(present, position, told)
    for key, value in due.tell.items():
        words = json.dumps(value, ensure_ascii=False)
        row = {"number": due.position.seen, "key": key, "value": words, "told_by": name}
        session.execute(_TELL, row)
    if due.tell:
        processes.notify(session, f"{NOTICE}:{process_id}")
    return due
