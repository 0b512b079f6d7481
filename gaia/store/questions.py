"""Questions that gaia asked, and that plain words answer: the last message of a conversation,
whose buttons tell what each answer does. Nobody answers what has not reached them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, func, select, union_all
from sqlalchemy.orm import Session

from gaia.messages import Answer
from gaia.store.outbox import TABLE
from gaia.store.tables import OutboxState

_LAST_IN_EACH_STATE = union_all(
    *(
        select(func.max(TABLE.c.outbox_id).label("outbox_id")).where(
            TABLE.c.conversation_id == bindparam("in_conversation"), TABLE.c.state == state
        )
        for state in OutboxState
    )
).subquery()
"""By the index of conversations and states, each is found however many went before."""

_CHUNK = select(TABLE.c.buttons, TABLE.c.state, TABLE.c.sent_at, TABLE.c.turn_id)
_LAST = _CHUNK.where(
    TABLE.c.outbox_id == select(func.max(_LAST_IN_EACH_STATE.c.outbox_id)).scalar_subquery()
)
_SENT_AS = _CHUNK.where(
    TABLE.c.conversation_id == bindparam("in_conversation"), TABLE.c.provider_id == bindparam("as_")
)

_SEEN = frozenset(OutboxState) - {OutboxState.PENDING, OutboxState.UNKNOWN, OutboxState.DEAD}
"""The states of what may have been seen: a quick answer comes before the provider's own."""


@dataclass(frozen=True, slots=True)
class Question:
    """What waits for an answer since `sent_at`, and the command that each answer stands for."""

    commands: Mapping[Answer, str]
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class HiddenQuestion:
    """The command that each answer stands for to a question of an incognito turn, of which the
    outbox keeps no button once it is sent."""

    turn_id: str
    commands: Mapping[Answer, str]


def waiting(
    session: Session,
    conversation_id: int,
    since: datetime,
    until: datetime,
    hidden: HiddenQuestion | None = None,
) -> Question | None:
    """The question that was sent last in a conversation, after `since`, to somebody who wrote at
    `until`; None where they may not have seen it, or something else was said since. It may be
    `hidden`.

    Providers tell times in whole seconds.
    """
    last = session.execute(_LAST, {"in_conversation": conversation_id}).one_or_none()
    question = None if last is None else _question(last, since, hidden)
    if question is None or question.sent_at.replace(microsecond=0) > until:
        return None
    return question


def sent_as(
    session: Session, conversation_id: int, provider_id: str, since: datetime
) -> Question | None:
    """The question that a message of gaia's asked, which the provider calls `provider_id`; None
    where it asked nothing, or before `since`."""
    which = {"in_conversation": conversation_id, "as_": provider_id}
    chunk = session.execute(_SENT_AS, which).one_or_none()
    return None if chunk is None else _question(chunk, since)


def _question(
    chunk: Row[Any, Any, Any, Any], since: datetime, hidden: HiddenQuestion | None = None
) -> Question | None:
    if chunk.state not in _SEEN or chunk.sent_at is None or chunk.sent_at < since:
        return None
    commands: Mapping[Answer, str] = {
        each["answer"]: each["command"] for each in chunk.buttons if each.get("answer")
    }
    if not commands and hidden is not None and hidden.turn_id == chunk.turn_id:
        commands = hidden.commands
    return Question(commands, chunk.sent_at) if commands else None
