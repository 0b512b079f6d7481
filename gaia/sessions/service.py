"""The agent kit's view of a session, for as long as one turn lasts; and what there is to read
of it without the kit's types.

A turn is read once and written once: what it adds waits here, in memory, for the transaction
that ends it. Where it is kept is told by `gaia.store.sessions`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from google.adk.events import Event
from google.adk.sessions import BaseSessionService, Session
from google.adk.sessions.base_session_service import GetSessionConfig, ListSessionsResponse
from google.genai import types
from pydantic import JsonValue

from gaia.store.sessions import SessionKey, StoredEvent

APP_NAME = "gaia"
AGENT_NAME = "gaia"
TURN_ID = "turn_id"
"""The key under which a turn's id stands in `custom_metadata` of its events."""

MOST_HELD = 800
"""Events that are held in memory, about six kilobytes each: what ten conversations replay. One
that is read again costs 30 microseconds."""


class TurnSession(BaseSessionService):
    """The one session of a turn: what was said in it, and what the turn adds.

    Gaia keeps no state beside the events, so that a session has none but the turn's own.
    """

    def __init__(self, key: SessionKey, earlier: Iterable[Event]) -> None:
        self._session = Session(
            id=key.session_id, app_name=APP_NAME, user_id=key.user_id, events=list(earlier)
        )
        self._added: list[Event] = []

    @property
    def whole(self) -> Session:
        """The session as the kit has it."""
        return self._session

    @property
    def added(self) -> Sequence[Event]:
        """What the turn has added so far."""
        return tuple(self._added)

    async def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Session:
        return self._session

    async def get_session(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str,
        config: GetSessionConfig | None = None,
    ) -> Session | None:
        return self._session if session_id == self._session.id else None

    async def list_sessions(
        self, *, app_name: str, user_id: str | None = None
    ) -> ListSessionsResponse:
        return ListSessionsResponse(sessions=[self._session])

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        self._session.events.clear()
        self._added.clear()

    async def append_event(self, session: Session, event: Event) -> Event:
        event = await super().append_event(session, event)
        if not event.partial:
            self._added.append(event)
        return event


def read_events(stored: Sequence[str]) -> Sequence[Event]:
    """Events from their JSON."""
    return [Event.model_validate_json(each) for each in stored]


class EventReader:
    """Reads events from their JSON, and holds those read last: a conversation reads most of
    its own again in the next turn. Nobody may change them."""

    def __init__(self) -> None:
        self._read = lru_cache(MOST_HELD)(Event.model_validate_json)

    def read(self, stored: Sequence[str]) -> Sequence[Event]:
        """The events of some JSON."""
        return [self._read(each) for each in stored]

    def clear(self) -> None:
        """Hold none: some of them may have been forgotten."""
        self._read.cache_clear()


def stored_events(events: Sequence[Event]) -> Sequence[StoredEvent]:
    """Events as they are kept."""
    return [
        StoredEvent(
            turn_id=str((event.custom_metadata or {}).get(TURN_ID, "")),
            said_at=datetime.fromtimestamp(event.timestamp, UTC),
            json=event.model_dump_json(exclude_none=True),
        )
        for event in events
    ]


def stopped_turn(turn_id: str, text: str, answer: str) -> Sequence[Event]:
    """The events of a turn that the model did not finish: what was asked, and what came of it."""
    return [
        Event(
            author=author,
            invocation_id=f"e-{turn_id}",
            content=types.Content(role=role, parts=[types.Part(text=said)]),
            custom_metadata={TURN_ID: turn_id},
        )
        for author, role, said in (("user", "user", text), (AGENT_NAME, "model", answer))
    ]


def answer_text(events: Sequence[Event]) -> str | None:
    """The answer among the events of one turn: the text of its last event when that is final.

    None when there is none: the turn is unfinished, or the model failed, which
    ADK records as a final event without text.
    """
    if not events:
        return None
    last = events[-1]
    if last.author == "user" or last.partial or not last.is_final_response():
        return None
    text = event_text(last)
    return text if text.strip() else None


def event_text(event: Event) -> str:
    """What an event says, without thoughts, calls and results."""
    parts = event.content.parts if event.content and event.content.parts else []
    return "".join(part.text for part in parts if part.text and not part.thought)


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
