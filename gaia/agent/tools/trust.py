"""Whether what somebody else wrote may lead the model in a turn: then no tool changes memory
by itself."""

from __future__ import annotations

from google.adk.events import Event
from google.adk.tools.tool_context import ToolContext
from sqlalchemy.orm import Session

from gaia.sessions.service import TURN_ID
from gaia.store import others

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


def others_may_lead(session: Session, tool_context: ToolContext, turn_id: str) -> bool:
    """Whether this turn, or one of the three before it, has what others wrote: in a message,
    or in what a tool found."""
    return _tools_told_others(tool_context, turn_id) or others.are_near(session, turn_id)


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
