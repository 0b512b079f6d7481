"""Questions that gaia asked, and that a plain yes or no answers: the last message of a
conversation, whose buttons tell what each answer does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from gaia.store.outbox import TABLE

Answer = Literal["yes", "no"]

_LAST = (
    select(TABLE.c.buttons, TABLE.c.created_at)
    .where(TABLE.c.conversation_id == bindparam("in_conversation"))
    .order_by(TABLE.c.outbox_id.desc())
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class Question:
    """What waits for a yes or no: the command that each of them stands for."""

    yes: str
    no: str


def waiting(session: Session, conversation_id: int, since: datetime) -> Question | None:
    """The question that was asked last in a conversation; None where something else was
    said since, or where that was before `since`."""
    last = session.execute(_LAST, {"in_conversation": conversation_id}).one_or_none()
    if last is None or last.created_at < since:
        return None
    commands = {each["answer"]: each["command"] for each in last.buttons if each.get("answer")}
    if "yes" not in commands:
        return None
    return Question(commands["yes"], commands.get("no", ""))
