"""Episodes: what earlier conversations were about, as a later one is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import regex
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from gaia.memory import credentials
from gaia.memory.contexts import GLOBAL
from gaia.memory.excerpts import one_line
from gaia.memory.memory import Memory, memory_of
from gaia.memory.owner import owner
from gaia.memory.profile import offered
from gaia.store.digest_tables import DigestReason, DigestRow
from gaia.store.memory_tables import MemoryKind, MemoryRow

LONGEST_ABSTRACT = 200
"""Characters of an episode that a session begins with."""

LONGEST_SUMMARY = 800
"""The same of a conversation that was compacted, and goes on."""

SENTENCE = regex.compile(r".+?(?:[.!?\u3002\uff01\uff1f]+(?=\s|$)|(?<=[\u3002\uff01\uff1f])|$)\s*")

RECENT = timedelta(days=7)

MOST_RECENT = 3
"""Conversations of the last days of which a turn is told, at most."""


def last_episode(session: Session, user_id: str, now: datetime, context: str) -> Memory | None:
    """The user's last conversation in a context, if it may be told of."""
    row = session.scalar(_told(user_id, now, context).limit(1))
    return None if row is None or credentials.find(row.text) else memory_of(row)


def summary(session: Session, episode: Memory) -> str:
    """What an episode tells: of a conversation that goes on, all of it."""
    reason = session.scalar(
        select(DigestRow.reason).where(DigestRow.digest_id == episode.digest_id)
    )
    if reason == DigestReason.COMPACT:
        return one_line(episode.text, LONGEST_SUMMARY)
    return abstract(episode.text)


def recent_episodes(
    session: Session, user_id: str, now: datetime, context: str = GLOBAL
) -> Sequence[Memory]:
    """The conversations of the last days, the newest first, but for the very last, which stands
    in the prefix; of each the abstract."""
    recent = _told(owner(user_id), now, context).where(MemoryRow.valid_from > now - RECENT)
    found = session.scalars(recent.limit(MOST_RECENT + 1))
    told = [memory_of(row) for row in found if credentials.find(row.text) is None]
    return [replace(each, text=abstract(each.text)) for each in told[1:]]


def _told(user_id: str, now: datetime, context: str) -> Select[MemoryRow]:
    """The episodes that may be told unasked in a context, the newest first."""
    return (
        select(MemoryRow)
        .where(*offered(user_id, now, MemoryKind.EPISODE, context=context))
        .order_by(MemoryRow.valid_from.desc(), MemoryRow.memory_id.desc())
    )


def abstract(episode: str) -> str:
    """What an episode is about: its first line, and of a long one whole sentences."""
    first = one_line(episode.partition("\n")[0])
    told = ""
    for sentence in SENTENCE.findall(first):
        if len(told + sentence.rstrip()) > LONGEST_ABSTRACT:
            break
        told += sentence
    return told.rstrip() or one_line(first, LONGEST_ABSTRACT)
