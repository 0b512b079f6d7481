"""Takes words out of the events of a session, and leaves their structure.

An event is ADK's JSON: texts, and the arguments and results of tools, are replaced
where they say what goes, and thoughts dropped; a call keeps its result, and each event its turn.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from pydantic import JsonValue
from sqlalchemy.orm import Session

from gaia.store import sessions
from gaia.store.engine import Database
from gaia.store.redaction import REPLACEMENT, ROWS_AT_A_TIME, Redaction
from gaia.store.sessions import SessionKey
from gaia.store.tables import EventRow

EventData = Mapping[str, JsonValue]
Says = Callable[[str], bool]

TEXTS = frozenset({"text", "error_message", "code", "output"})
"""Keys of an event whose values somebody, or something, said."""

PAYLOADS = frozenset({"args", "response", "state_delta"})
"""Keys under which a tool's own structure begins, where every key can be a word."""

SOURCES = frozenset({"grounding_metadata", "citation_metadata"})
"""Keys of what an answer was taken from, which nothing else depends on."""

REDACTED: dict[str, JsonValue] = {"result": REPLACEMENT}


async def redact_sessions(
    database: Database,
    redaction: Redaction,
    *,
    spared: frozenset[str],
    key: SessionKey | None = None,
) -> None:
    """Take out of a session, or out of all of the user's, what goes; not of the turns
    `spared`. Safe beside a turn, whose events the next call finds. Idempotent."""
    user_id, last = redaction.user_id, 0
    session_id = None if key is None else key.session_id
    while page := await database.read(
        sessions.page, user_id, after=last, limit=ROWS_AT_A_TIME, session_id=session_id
    ):
        last = page[-1].event_id
        judged = [row for row in page if row.turn_id not in spared]
        if redaction.everything:
            gone = [row.event_id for row in judged]
            await database.write(sessions.remove, user_id, gone)
            continue
        changed = await asyncio.to_thread(_changed, judged, redaction)
        await database.write(_rewrite, user_id, changed)


def redacted(data: EventData, says: Says, *, wholly: bool = False) -> EventData:
    """The event without what `says` finds, or without any text; equal when there is none."""
    if wholly:
        data = {key: _redacted(key, value, _is_left) for key, value in data.items()}
    return {key: _redacted(key, value, says) for key, value in data.items()}


def _changed(rows: Sequence[EventRow], redaction: Redaction) -> Mapping[int, str]:
    changed = {}
    for row in rows:
        data = json.loads(row.event)
        without = redacted(data, redaction.says, wholly=row.turn_id in redaction.sources)
        if without != data:
            changed[row.event_id] = json.dumps(without, ensure_ascii=False)
    return changed


def _rewrite(session: Session, user_id: str, changed: Mapping[int, str]) -> None:
    for event_id, event in changed.items():
        sessions.rewrite(session, user_id, event_id, event)


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
