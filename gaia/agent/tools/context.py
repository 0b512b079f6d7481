"""The turn in which a tool is called: what it sees and keeps there, whether what somebody else
wrote may lead the model, and what that one reads of a tool that fails."""

from __future__ import annotations

import logging
from datetime import tzinfo

from google.adk.events import Event
from google.adk.tools.tool_context import ToolContext
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from gaia.errors import GaiaError, StoreError, UnfitMemoryError, UnknownUserError
from gaia.memory.contexts import GLOBAL
from gaia.sessions.service import TURN_ID
from gaia.store import others, turn_contexts
from gaia.store.people import identities
from gaia.zones import zone_of

logger = logging.getLogger(__name__)

Told = dict[str, str]
"""What a tool answers: a `result`, or an `error`."""

FAULTS = (GaiaError, SQLAlchemyError)
"""What a tool tells instead of ending the turn."""

INCOGNITO = "the user is incognito: nothing of this conversation is kept"

OWN_RESULTS = frozenset(
    {
        "remember",
        "remind",
        "load_memory",
        "update_memory",
        "forget_memory",
        "send_message",
        "current_time",
        "calculate",
    }
)
"""The tools whose results hold nothing that somebody else wrote. Those of any other may."""


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


def context_and_zone(session: Session, user_id: str, turn_id: str) -> tuple[str, tzinfo]:
    """The context of a turn, and the time zone in which its user is told of times."""
    zone = zone_of(identities.find(session, user_id).zone)
    return context_of(session, turn_id), zone


def others_may_lead(session: Session, tool_context: ToolContext, turn_id: str) -> bool:
    """Whether this turn, or one of the three before it, has what others wrote: in a message,
    or in what a tool found. Then no tool changes memory by itself."""
    return _tools_told_others(tool_context, turn_id) or others.are_near(session, turn_id)


def failed(exc: Exception, what: str) -> Told:
    """What is told of one of the `FAULTS`; `what` does not work where the store is at fault."""
    if isinstance(exc, StoreError | SQLAlchemyError):
        logger.warning("a tool failed", exc_info=exc)
        return {"error": f"{what} at the moment"}
    if isinstance(exc, UnknownUserError):
        return {"error": "the user was removed meanwhile"}
    return {"error": str(exc)}


def _tools_told_others(tool_context: ToolContext, turn_id: str) -> bool:
    near = {turn_id}
    for event in reversed(tool_context.session.events):
        near.add(_turn_id(event))
        if len(near) > others.TURNS_AFTER + 1:
            return False
        if any(each.name not in OWN_RESULTS for each in event.get_function_responses()):
            return True
    return False


def _turn_id(event: Event) -> str:
    return str((event.custom_metadata or {}).get(TURN_ID, ""))
