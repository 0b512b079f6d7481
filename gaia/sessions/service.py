"""Sessions in sessions.db, through ADK's `DatabaseSessionService`.

A session holds the recent events of one generation of a conversation. ADK
writes the events of a turn one by one; what a crash or a stop leaves of an
unfinished turn is found by the turn's id and removed here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from google.adk.events import Event
from google.adk.sessions import BaseSessionService, DatabaseSessionService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.schemas.v1 import StorageEvent, StorageSession, StorageUserState
from google.genai import types
from sqlalchemy import delete, exists, func, select

from gaia.sessions.redaction import EventData, redact_events
from gaia.store.engine import Database
from gaia.store.redaction import Redaction

APP_NAME = "gaia"
AGENT_NAME = "gaia"
TURN_ID = "turn_id"
"""The key under which a turn's id stands in `custom_metadata` of its events."""

EVENTS_A_TURN = 12
"""Events that a turn has on average, at most: generous for turns with tool calls."""

EVENTS_OF_A_TURN = 256
"""More events than one turn can write: two a model call, of at most 100, and the user's."""


@dataclass(frozen=True, slots=True)
class SessionKey:
    """Names one generation of one conversation."""

    user_id: str
    channel: str
    chat: str
    generation: int

    @property
    def session_id(self) -> str:
        """The id that ADK knows the session by."""
        return f"{self.user_id}:{self.channel}:{self.chat}#{self.generation}"


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session, as a list shows it."""

    session_id: str
    user_id: str
    events: int
    updated_at: datetime


class SessionStore:
    """The sessions of all users. One turn at a time may write to a session."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._service = DatabaseSessionService(db_engine=database.engine)

    @property
    def service(self) -> BaseSessionService:
        """ADK's own service, for its Runner."""
        return self._service

    async def prepare(self) -> None:
        """Create ADK's tables in a new file. Idempotent."""
        await self._service.prepare_tables()

    async def ensure(self, key: SessionKey) -> None:
        """Create the session if there is none."""
        present = await self._service.get_session(
            app_name=APP_NAME,
            user_id=key.user_id,
            session_id=key.session_id,
            config=GetSessionConfig(num_recent_events=0),
        )
        if present is None:
            await self._service.create_session(
                app_name=APP_NAME, user_id=key.user_id, session_id=key.session_id
            )

    async def answer_of(self, key: SessionKey, turn_id: str) -> str | None:
        """The answer that the session holds for a turn, or None when it is unfinished."""
        events = await self._events_of_turn(key, turn_id)
        return answer_text(events)

    async def remove_turn(self, key: SessionKey, turn_id: str) -> None:
        """Remove what a turn has written so far. Idempotent."""
        events = await self._events_of_turn(key, turn_id)
        if not events:
            return
        async with self._database.write() as session:
            await session.execute(
                delete(StorageEvent).where(
                    StorageEvent.app_name == APP_NAME,
                    StorageEvent.user_id == key.user_id,
                    StorageEvent.session_id == key.session_id,
                    StorageEvent.id.in_([event.id for event in events]),
                )
            )

    async def record_turn(self, key: SessionKey, turn_id: str, text: str, answer: str) -> None:
        """Write a turn that the model did not finish: what was asked, and what came of it."""
        session = await self._service.get_session(
            app_name=APP_NAME,
            user_id=key.user_id,
            session_id=key.session_id,
            config=GetSessionConfig(num_recent_events=0),
        )
        if session is None:
            return
        for author, role, said in (("user", "user", text), (AGENT_NAME, "model", answer)):
            await self._service.append_event(
                session,
                Event(
                    author=author,
                    invocation_id=f"e-{turn_id}",
                    content=types.Content(role=role, parts=[types.Part(text=said)]),
                    custom_metadata={TURN_ID: turn_id},
                ),
            )

    async def list(self, user_id: str | None = None) -> Sequence[SessionSummary]:
        """Sessions, the most recently used first; all users' when `user_id` is None."""
        counted = (
            select(StorageEvent.session_id, func.count().label("events"))
            .where(StorageEvent.app_name == APP_NAME)
            .group_by(StorageEvent.session_id)
            .subquery()
        )
        query = (
            select(StorageSession, func.coalesce(counted.c.events, 0))
            .outerjoin(counted, counted.c.session_id == StorageSession.id)
            .where(StorageSession.app_name == APP_NAME)
            .order_by(StorageSession.update_time.desc())
        )
        if user_id is not None:
            query = query.where(StorageSession.user_id == user_id)
        async with self._database.read() as session:
            rows = (await session.execute(query)).all()
        return [
            SessionSummary(
                session_id=row.id,
                user_id=row.user_id,
                events=events,
                updated_at=datetime.fromtimestamp(row.get_update_timestamp(), UTC),
            )
            for row, events in rows
        ]

    async def events(
        self, user_id: str, session_id: str, *, limit: int | None = None
    ) -> Sequence[Event] | None:
        """The last `limit` events of a session, oldest first; None when there is none."""
        session = await self._service.get_session(
            app_name=APP_NAME,
            user_id=user_id,
            session_id=session_id,
            config=None if limit is None else GetSessionConfig(num_recent_events=limit),
        )
        return None if session is None else session.events

    async def events_in_last_turns(self, key: SessionKey, turns: int) -> int:
        """How many events the last `turns` turns of the session have.

        Of turns with very many events, no more than `EVENTS_A_TURN` on average count.
        """
        query = (
            select(StorageEvent.invocation_id)
            .where(
                StorageEvent.app_name == APP_NAME,
                StorageEvent.user_id == key.user_id,
                StorageEvent.session_id == key.session_id,
            )
            .order_by(StorageEvent.timestamp.desc(), StorageEvent.id.desc())
            .limit(turns * EVENTS_A_TURN)
        )
        async with self._database.read() as session:
            invocations = (await session.scalars(query)).all()
        seen: set[str] = set()
        for position, invocation in enumerate(invocations):
            seen.add(invocation)
            if len(seen) > turns:
                return position
        return len(invocations)

    async def redact(
        self, redaction: Redaction, *, spared: frozenset[str], key: SessionKey | None = None
    ) -> None:
        """Take out of a session, or out of all of the user's, what goes; not of the turns
        `spared`. Safe beside a turn, whose later events the next call finds. Idempotent."""
        theirs = (StorageEvent.app_name == APP_NAME) & (StorageEvent.user_id == redaction.user_id)
        if key is not None:
            theirs &= StorageEvent.session_id == key.session_id
        await redact_events(self._database, theirs, redaction, turn_of=turn_of, spared=spared)

    async def delete_empty(self, user_id: str, *, keep: Collection[str]) -> None:
        """Delete the sessions of a user that have no events, but for those to keep. Idempotent."""
        filled = exists().where(
            StorageEvent.app_name == StorageSession.app_name,
            StorageEvent.user_id == StorageSession.user_id,
            StorageEvent.session_id == StorageSession.id,
        )
        async with self._database.write() as session:
            await session.execute(
                delete(StorageSession).where(
                    StorageSession.app_name == APP_NAME,
                    StorageSession.user_id == user_id,
                    StorageSession.id.not_in(keep),
                    ~filled,
                )
            )

    async def rewrite(self) -> None:
        """Write the file anew: see `Database.rewrite`."""
        await self._database.rewrite()

    async def checkpoint(self) -> bool:
        """Empty the write-ahead log; returns whether that was possible."""
        return await self._database.checkpoint()

    async def turn_ids(self, user_id: str, session_id: str) -> frozenset[str]:
        """The turns that a session has events of."""
        theirs = select(StorageEvent.event_data).where(
            StorageEvent.app_name == APP_NAME,
            StorageEvent.user_id == user_id,
            StorageEvent.session_id == session_id,
        )
        async with self._database.read() as session:
            events = await session.scalars(theirs)
            return frozenset(turn_id for data in events if data and (turn_id := turn_of(data)))

    async def delete_session(self, user_id: str, session_id: str) -> None:
        """Delete a session with its events, for good. Idempotent."""
        async with self._database.write() as session:
            await session.execute(
                delete(StorageEvent).where(
                    StorageEvent.app_name == APP_NAME,
                    StorageEvent.user_id == user_id,
                    StorageEvent.session_id == session_id,
                )
            )
            await session.execute(
                delete(StorageSession).where(
                    StorageSession.app_name == APP_NAME,
                    StorageSession.user_id == user_id,
                    StorageSession.id == session_id,
                )
            )

    async def delete_user(self, user_id: str) -> None:
        """Delete every session of a user, events and state with it, for good. Idempotent."""
        async with self._database.write() as session:
            for table in (StorageEvent, StorageSession, StorageUserState):
                await session.execute(
                    delete(table).where(table.app_name == APP_NAME, table.user_id == user_id)
                )
        await self._database.checkpoint()

    async def close(self) -> None:
        """Close the file."""
        await self._database.close()

    async def _events_of_turn(self, key: SessionKey, turn_id: str) -> Sequence[Event]:
        events = await self.events(key.user_id, key.session_id, limit=EVENTS_OF_A_TURN)
        return [e for e in events or [] if (e.custom_metadata or {}).get(TURN_ID) == turn_id]


def turn_of(data: EventData) -> str | None:
    """The turn that an event belongs to, from its JSON."""
    metadata = data.get("custom_metadata")
    turn_id = metadata.get(TURN_ID) if isinstance(metadata, dict) else None
    return turn_id if isinstance(turn_id, str) else None


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
