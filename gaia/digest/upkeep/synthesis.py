"""Synthesis: what a user has said in several conversations, and that is no memory yet, waits for
their yes. It is what they said, word for word; no model is asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.digest.extractive import statements, worth_keeping
from gaia.digest.sentences import Sentence
from gaia.digest.undo import Deed, Entry, stored
from gaia.errors import UnfitMemoryError
from gaia.memory import pending
from gaia.memory.memory import Statement
from gaia.memory.owner import owner
from gaia.memory.text import content_terms
from gaia.settings.schema import UpkeepSettings
from gaia.store import archive, upkeep_runs
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemorySource, MemoryStatus
from gaia.store.tables import UserRow

SYNTHESIS = "synthesis"
"""The job, by which its runs are known."""

AGAIN_AFTER = timedelta(minutes=10)
CONVERSATIONS = 2
"""Conversations in which something must have been said."""


def synthesise(session: Session, user_id: str, now: datetime, settings: UpkeepSettings) -> int:
    """Keep aside what the user said again and again since the last look, once there are enough
    new episodes; returns how many wait for their yes.

    Raises:
        MissingOwnerError: `user_id` is empty.
    """
    seen_to, looked_at = upkeep_runs.last_look(session, owner(user_id), SYNTHESIS)
    if looked_at is not None and timedelta(0) <= now - looked_at < AGAIN_AFTER:
        return 0
    episodes = _episodes(session, user_id, seen_to)
    if len(episodes) < settings.episodes:
        return 0
    done: list[Entry] = []
    for context, sentence in _said_again(session, user_id, episodes):
        if len(done) >= settings.most_candidates:
            break
        added = _keep_aside(session, user_id, context, sentence, now)
        done += [] if added is None else [Entry(Deed.WROTE, added)]
    last = max(episode.memory_id for episode in episodes)
    upkeep_runs.add(session, user_id, SYNTHESIS, stored(done), now, seen_to=last)
    return len(done)


def _episodes(session: Session, user_id: str, seen_to: int) -> Sequence[MemoryRow]:
    found = session.scalars(
        select(MemoryRow)
        .where(
            MemoryRow.user_id == user_id,
            MemoryRow.kind == MemoryKind.EPISODE,
            MemoryRow.status == MemoryStatus.ACTIVE,
            MemoryRow.memory_id > seen_to,
            MemoryRow.session_id.is_not(None),
        )
        .order_by(MemoryRow.memory_id)
    )
    return found.all()


def _said_again(
    session: Session, user_id: str, episodes: Sequence[MemoryRow]
) -> Iterator[tuple[str, Sentence]]:
    """What was said in several conversations of one context and no memory says, the latest
    words of it, what was said most often first, and only what matters in months."""
    in_group = bool(session.scalar(select(UserRow.is_group).where(UserRow.user_id == user_id)))
    said: defaultdict[tuple[str, frozenset[str]], dict[str, Sentence]] = defaultdict(dict)
    for episode in episodes:
        turns = archive.of_session(session, str(episode.session_id))
        for sentence in statements(turns, in_group=in_group):
            terms = content_terms(sentence.text)
            said[episode.context, terms][str(episode.session_id)] = sentence
    known = _known(session, user_id)
    often = sorted(said.items(), key=lambda each: -len(each[1]))
    for (context, terms), by_session in often:
        if len(by_session) >= CONVERSATIONS and not any(terms <= each for each in known):
            for latest in worth_keeping(list(by_session.values())[-1:]):
                yield context, latest


def _known(session: Session, user_id: str) -> Sequence[frozenset[str]]:
    """What memories say already, those that wait among them."""
    texts = session.scalars(
        select(MemoryRow.text).where(
            MemoryRow.user_id == user_id,
            MemoryRow.kind != MemoryKind.EPISODE,
            MemoryRow.status.in_((MemoryStatus.ACTIVE, MemoryStatus.PENDING)),
        )
    )
    return [content_terms(text) for text in texts]


def _keep_aside(
    session: Session, user_id: str, context: str, sentence: Sentence, now: datetime
) -> int | None:
    """The number of the pending memory; None where it cannot be one, or was forgotten."""
    turn = sentence.turn
    said = Statement(
        text=sentence.by_sender(sentence.text),
        source=MemorySource.DIGEST,
        quote=sentence.text,
        context=context,
        said_at=turn.said_at,
        session_id=turn.session_id,
        position=turn.archive_id,
        turn_id=turn.turn_id,
    )
    try:
        with session.begin_nested():
            added = pending.add(session, user_id, said, now)
    except UnfitMemoryError:
        return None
    return added.memory.memory_id if added.is_new else None
