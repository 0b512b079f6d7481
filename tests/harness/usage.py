"""What users used on a day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlalchemy.orm import Session

from gaia.store import usage
from gaia.store.usage import Usage


def of_day(
    session: Session, day: date, *, user_id: str | None = None
) -> Sequence[tuple[str, Usage]]:
    """Each user's usage on a day, as `(user_id, usage)`; of one user if named."""
    used = usage.since(session, day, user_id=user_id)
    return [(each.user_id, each.usage) for each in used if each.day == day]
