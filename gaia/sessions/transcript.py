"""A session as something to read: ADK's events without ADK's types."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from google.adk.events import Event
from pydantic import JsonValue

from gaia.sessions.service import TURN_ID, event_text


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool's call, or its result: its name, and the arguments or what came back."""

    tool: str
    content: Mapping[str, JsonValue]

    def __str__(self) -> str:
        return f"{self.tool} {json.dumps(self.content, ensure_ascii=False)}"


@dataclass(frozen=True, slots=True)
class Entry:
    """What one event adds to the transcript. `author` is `user` or the agent's name."""

    at: datetime
    author: str
    text: str
    calls: tuple[ToolUse, ...]
    results: tuple[ToolUse, ...]
    turn_id: str | None


def transcript(events: Sequence[Event]) -> tuple[Entry, ...]:
    """The entries of a session, in the order of its events."""
    return tuple(_entry(event) for event in events)


def _entry(event: Event) -> Entry:
    turn_id = (event.custom_metadata or {}).get(TURN_ID)
    return Entry(
        at=datetime.fromtimestamp(event.timestamp, UTC),
        author=event.author,
        text=event_text(event),
        calls=tuple(
            ToolUse(call.name or "", call.args or {}) for call in event.get_function_calls()
        ),
        results=tuple(
            ToolUse(result.name or "", result.response or {})
            for result in event.get_function_responses()
        ),
        turn_id=turn_id if isinstance(turn_id, str) else None,
    )
