"""The turn in which a tool is called, and the context in which it sees and keeps things."""

from __future__ import annotations

from google.adk.tools.tool_context import ToolContext
from sqlalchemy.orm import Session

from gaia.errors import UnfitMemoryError
from gaia.memory.contexts import GLOBAL
from gaia.sessions.service import TURN_ID
from gaia.store import turn_contexts

INCOGNITO = "the user is incognito: nothing of this conversation is kept"


def turn_of(tool_context: ToolContext) -> str:
    """The turn in which a tool is called; empty outside one."""
    return str(tool_context.custom_metadata.get(TURN_ID, ""))


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
