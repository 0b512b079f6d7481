"""Takes words out of the events of a session, and leaves their structure.

An event is ADK's JSON: texts, and the arguments and results of tools, are replaced
where they say what goes, and thoughts dropped; a call keeps its result, and each event its turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence

from google.adk.sessions.schemas.v1 import StorageEvent
from pydantic import JsonValue
from sqlalchemy import ColumnElement, delete, select, update

from gaia.store.engine import Database
from gaia.store.redaction import REPLACEMENT, ROWS_AT_A_TIME, Redaction

EventData = Mapping[str, JsonValue]
Says = Callable[[str], bool]

TEXTS = frozenset({"text", "error_message", "code", "output"})
"""Keys of an event whose values somebody, or something, said."""

PAYLOADS = frozenset({"args", "response", "state_delta"})
"""Keys under which a tool's own structure begins, where every key can be a word."""

SOURCES = frozenset({"grounding_metadata", "citation_metadata"})
"""Keys of what an answer was taken from, which nothing else depends on."""

REDACTED: dict[str, JsonValue] = {"result": REPLACEMENT}


async def redact_events(
    database: Database,
    condition: ColumnElement[bool],
    redaction: Redaction,
    *,
    turn_of: Callable[[EventData], str | None],
    spared: frozenset[str],
) -> None:
    """Redact the events that meet the condition, but for those of the turns `spared`."""
    async with database.read() as session:
        event_ids = (await session.scalars(select(StorageEvent.id).where(condition))).all()
    for start in range(0, len(event_ids), ROWS_AT_A_TIME):
        page = condition & StorageEvent.id.in_(event_ids[start : start + ROWS_AT_A_TIME])
        async with database.read() as session:
            query = select(StorageEvent.id, StorageEvent.event_data).where(page)
            events = [
                (event_id, data)
                for event_id, data in await session.execute(query)
                if data and turn_of(data) not in spared
            ]
        if redaction.everything:
            gone = StorageEvent.id.in_([event_id for event_id, _ in events])
            async with database.write() as session:
                await session.execute(delete(StorageEvent).where(condition & gone))
            continue
        changed = await asyncio.to_thread(_changed, events, redaction, turn_of)
        async with database.write() as session:
            for event_id, data in changed.items():
                theirs = condition & (StorageEvent.id == event_id)
                await session.execute(
                    update(StorageEvent).where(theirs).values(event_data=dict(data))
                )


def redacted(data: EventData, says: Says, *, wholly: bool = False) -> EventData:
    """The event without what `says` finds, or without any text; equal when there is none."""
    if wholly:
        data = {key: _redacted(key, value, _is_left) for key, value in data.items()}
    return {key: _redacted(key, value, says) for key, value in data.items()}


def _changed(
    events: Sequence[tuple[str, EventData]],
    redaction: Redaction,
    turn_of: Callable[[EventData], str | None],
) -> Mapping[str, EventData]:
    changed = {}
    for event_id, data in events:
        without = redacted(data, redaction.says, wholly=turn_of(data) in redaction.sources)
        if without != data:
            changed[event_id] = without
    return changed


def _is_left(text: str) -> bool:
    return text != REPLACEMENT


def _redacted(key: str, value: JsonValue, says: Says) -> JsonValue:
    if key in SOURCES:
        return None if any(map(says, _words(value))) else value
    match value:
        case str():
            return REPLACEMENT if key in TEXTS and says(value) else value
        case list():
            return [_redacted(key, each, says) for each in value if not _is_thought(each, says)]
        case dict():
            if key in PAYLOADS:
                return _payload(value, says)
            return {inner: _redacted(inner, each, says) for inner, each in value.items()}
        case _:
            return value


def _is_thought(part: JsonValue, says: Says) -> bool:
    """Whether it is a model's thought that says it, which goes as a whole: its provider has
    signed it, and refuses one that was changed, but misses none of an earlier turn."""
    if not isinstance(part, dict) or not part.get("thought"):
        return False
    text = part.get("text")
    return isinstance(text, str) and says(text)


def _payload(value: dict[str, JsonValue], says: Says) -> JsonValue:
    """The arguments or the result of a tool, where every key and every text counts; and
    all of it goes where it says it only as a whole."""
    without = _leaves_redacted(value, says)
    left = "\n".join(word for word in _words(without) if word != REPLACEMENT)
    return REDACTED if says is not _is_left and says(left) else without


def _leaves_redacted(value: JsonValue, says: Says) -> JsonValue:
    match value:
        case str():
            return REPLACEMENT if says(value) else value
        case list():
            return [_leaves_redacted(each, says) for each in value]
        case dict():
            return {key: _leaves_redacted(each, says) for key, each in value.items()}
        case _:
            return value


def _words(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _words(each)
        case dict():
            for key, each in value.items():
                yield key
                yield from _words(each)
        case None | bool():
            return
        case _:
            yield str(value)
