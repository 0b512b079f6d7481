"""The context in which the tools of a turn see and keep things."""

from __future__ import annotations

from sqlalchemy.orm import Session

from gaia.errors import UnfitMemoryError
from gaia.memory.contexts import GLOBAL
from gaia.store import turn_contexts

INCOGNITO = "the user is incognito: nothing of this conversation is kept"


def context_of(session: Session, turn_id: str, *, writes: bool = False) -> str:
    """The context of a turn.

    Raises:
        UnfitMemoryError: It is incognito, and the tool `writes`.
    """
    conversation = turn_contexts.of_turn(session, turn_id)
    if conversation is None:
        return GLOBAL
    if conversation.is_incognito and writes:
        raise UnfitMemoryError(INCOGNITO)
    return conversation.context
