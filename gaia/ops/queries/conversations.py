"""Queries about what was said: sessions, their transcripts, and the archive of turns."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NoReturn

from pydantic import JsonValue

from gaia.errors import UnknownSessionError, UnknownUserError
from gaia.ops.queries.people import Asked, Whose, find_owner, no_users
from gaia.ops.queries.query import Moment, Query, Source
from gaia.ops.report import Report

if TYPE_CHECKING:
    from collections.abc import Collection

    from gaia.sessions.service import Entry
    from gaia.store.sessions import SessionSummary


class WhichSessions(Whose):
    """The sessions of a user, or `of_all`."""

    of_all: bool = False


class SessionReport(Report):
    """A session. `user` is None when its user was removed."""

    session_id: str
    user_id: str
    user: str | None
    events: int
    updated_at: Moment


class SessionList(Report):
    """Sessions, the most recently used first."""

    sessions: tuple[SessionReport, ...] = ()


class WhichSession(Asked):
    """One session, as far as its last so many events: by its id, or the latest of a user, by
    name or id. Without a word it is the latest of whoever is meant."""

    session_id: str | None
    limit: int | None


class CallReport(Report):
    """A tool that was called, with its arguments."""

    tool: str
    arguments: dict[str, JsonValue]


class ResultReport(Report):
    """What a tool gave back."""

    tool: str
    response: dict[str, JsonValue]


class EntryReport(Report):
    """What one event adds to a transcript. `author` is `user` or the agent's name."""

    at: Moment
    author: str
    text: str
    calls: tuple[CallReport, ...]
    results: tuple[ResultReport, ...]
    turn_id: str | None


class TranscriptReport(Report):
    """What was said in a session, and by whom."""

    user: str
    entries: tuple[EntryReport, ...]


class WhichTurns(Whose):
    """The best turns for some words, or the latest; from `since` to before `until`.
    `excerpt` is how many characters are shown of each side."""

    words: str
    since: Moment | None
    until: Moment | None
    limit: int
    excerpt: int


class TurnReport(Report):
    """A turn that was found, and the parts of it that have the words."""

    said_at: Moment
    asked: str
    answer: str
    context: str
    session_id: str
    turn_id: str
    asked_excerpt: str
    answer_excerpt: str


class TurnList(Report):
    """Turns of a user, the best first."""

    user: str
    turns: tuple[TurnReport, ...]


def _sessions(source: Source, asked: WhichSessions) -> SessionList:
    from gaia.store import sessions
    from gaia.store.people import identities

    names = {each.user_id: each.name for each in identities.everybody(source.session)}
    user_id = None
    if names and not asked.of_all:
        user_id = find_owner(source.session, asked.user, asked.login).user_id
    return SessionList(
        sessions=tuple(
            SessionReport.of(each, user=names.get(each.user_id))
            for each in sessions.listed(source.session, user_id)
        )
    )


def _transcript(source: Source, asked: WhichSession) -> TranscriptReport:
    from gaia.sessions.service import read_events, transcript
    from gaia.store import sessions
    from gaia.store.people import identities

    found = _meant(source, asked)
    user_id = found.user_id
    events = sessions.events(source.session, user_id, found.session_id, limit=asked.limit)
    names = {each.user_id: each.name for each in identities.everybody(source.session)}
    return TranscriptReport(
        user=names.get(user_id, user_id),
        entries=tuple(map(_entry, transcript(read_events(events)))),
    )


def _meant(source: Source, asked: WhichSession) -> SessionSummary:
    from gaia.store import sessions
    from gaia.store.people import identities

    everything = sessions.listed(source.session)
    known = {each.session_id: each for each in everything}
    if asked.session_id in known:
        return known[asked.session_id]
    try:
        user = find_owner(source.session, asked.session_id, asked.login)
    except UnknownUserError:
        if asked.session_id is None:
            raise
        names = [each.name for each in identities.everybody(source.session)]
        _no_session(asked, [*known, *names])
    for each in everything:
        if each.user_id == user.user_id:
            return each
    raise UnknownSessionError(
        f"{user.name} has no session now: one begins with their next message, and 'gaia sessions "
        "search' finds what was said before"
    )


def _no_session(asked: WhichSession, known: Collection[str] = ()) -> NoReturn:
    if asked.session_id is None:
        no_users(asked)
    near = difflib.get_close_matches(asked.session_id, known, n=3)
    hint = f"did you mean {', '.join(near)}?" if near else "see 'gaia sessions list'"
    raise UnknownSessionError(f"there is no session or user {asked.session_id!r}: {hint}")


def _entry(entry: Entry) -> EntryReport:
    return EntryReport.of(
        entry,
        calls=tuple(
            CallReport(tool=each.tool, arguments=dict(each.content)) for each in entry.calls
        ),
        results=tuple(
            ResultReport(tool=each.tool, response=dict(each.content)) for each in entry.results
        ),
    )


def _turns(source: Source, asked: WhichTurns) -> TurnList:
    from gaia.memory import archive

    owner = find_owner(source.session, asked.user, asked.login)
    hits = archive.search(
        source.session,
        owner.user_id,
        words=asked.words,
        since=asked.since,
        until=asked.until,
        contexts=None,
        limit=asked.limit,
        excerpt=asked.excerpt,
    )
    return TurnList(
        user=owner.name,
        turns=tuple(
            TurnReport.of(
                hit.turn, said_at=hit.said_at, asked_excerpt=hit.asked, answer_excerpt=hit.answer
            )
            for hit in hits
        ),
    )


SESSIONS = Query("sessions", WhichSessions, SessionList, _sessions, lambda _: SessionList())
TRANSCRIPT = Query("transcript", WhichSession, TranscriptReport, _transcript, _no_session)
TURNS = Query("turns", WhichTurns, TurnList, _turns, no_users)
