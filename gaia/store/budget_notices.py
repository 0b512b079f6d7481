"""Budget notices: who was told on a day how much of a day's tokens is used.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from sqlalchemy.orm import Session

from gaia.store.ops_tables import BudgetNoticeRow


class Budget(StrEnum):
    """Whose tokens: a user's own, or those of all users together."""

    USER = "user"
    ALL = "all"


class Stage(StrEnum):
    """How much of them: most, or all."""

    NEAR = "near"
    USED_UP = "used_up"


def note_told(session: Session, user_id: str, day: date, budget: Budget, stage: Stage) -> bool:
    """Note that a user is told now; False when they were told that before, or more."""
    for known in (stage, Stage.USED_UP):
        if session.get(BudgetNoticeRow, (user_id, day.isoformat(), budget, known)):
            return False
    session.add(BudgetNoticeRow(user_id=user_id, day=day.isoformat(), budget=budget, stage=stage))
    return True
