"""The archive: turns that came to their end, kept when their session is gone.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime

from sqlalchemy import ColumnElement, String, cast, delete, exists, literal, or_, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session

from gaia.store.base import table_of, values_of
from gaia.store.digest_tables import ArchivedTermRow, ArchivedTurnRow, DigestRow, DigestState
from gaia.store.full_text import FullText
from gaia.store.tables import ConversationRow

FULL_TEXT = FullText(
    terms=table_of(ArchivedTermRow),
    texts=table_of(ArchivedTurnRow),
    key="archive_id",
)
"""Which term stands in which turn of the archive."""


MESSAGE_BREAK = "\x1e"
"""Stands between the messages of one turn, in its own words: a line break may be in one."""

TURNS_AT_A_TIME = 200
"""Turns that are read at once: a session may have thousands, and others wait meanwhile."""

TERMS_AT_A_TIME = 5000
"""Terms in one statement, well below SQLite's 32,766 parameters."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A turn to be kept. What the fields mean is told at `ArchivedTurnRow`."""

    turn_id: str
    user_id: str
    conversation_id: int
    session_id: str
    asked: str
    words: str
    answer: str
    said_at: datetime
    context: str


@dataclass(frozen=True, slots=True)
class ArchivedTurn(Ended):
    """A turn of the archive; their numbers rise in the order in which turns ended."""

    archive_id: int


TABLE = table_of(ArchivedTurnRow)

_ADD = (
    insert(TABLE)
    .on_conflict_do_nothing(index_elements=[TABLE.c.turn_id])
    .returning(TABLE.c.archive_id)
)


def add(session: Session, turn: Ended, terms: Mapping[str, int]) -> None:
    """Keep a turn, with how often each term stands in it. Idempotent."""
    number = session.scalar(_ADD, asdict(turn) | {"length": sum(terms.values())})
    if number is not None:
        FULL_TEXT.write(session, turn.user_id, number, terms)


def of_session(session: Session, session_id: str, *, after: int = 0) -> Sequence[ArchivedTurn]:
    """The turns of a session with higher numbers than `after`, in order."""
    found: list[ArchivedTurn] = []
    while page := _page(session, session_id, found[-1].archive_id if found else after):
        found += page
    return found


def unread(
    session: Session, user_id: str, since: datetime, contexts: Collection[str], most: int
) -> Sequence[ArchivedTurn]:
    """The last turns of a user since then of which nothing is learned yet, within some
    contexts."""
    is_read = exists().where(
        DigestRow.session_id == ArchivedTurnRow.session_id,
        DigestRow.user_id == user_id,
        DigestRow.state.not_in((DigestState.SEALED, DigestState.EXTRACTED)),
    )
    rows = session.scalars(
        select(ArchivedTurnRow)
        .where(ArchivedTurnRow.user_id == user_id, *said_within(since, None, contexts), ~is_read)
        .order_by(ArchivedTurnRow.said_at.desc(), ArchivedTurnRow.archive_id.desc())
        .limit(most)
    )
    return [archived_turn(row) for row in rows][::-1]


def said_within(
    since: datetime | None, until: datetime | None, contexts: Collection[str] | None
) -> Sequence[ColumnElement[bool]]:
    """The conditions under which a turn was said from one time to before the other, and in one
    of the contexts, if they are named."""
    conditions: list[ColumnElement[bool]] = []
    if contexts is not None:
        conditions.append(ArchivedTurnRow.context.in_(contexts))
    if since is not None:
        conditions.append(ArchivedTurnRow.said_at >= since)
    if until is not None:
        conditions.append(ArchivedTurnRow.said_at < until)
    return conditions


def latest(
    session: Session, user_id: str, limit: int, conditions: Sequence[ColumnElement[bool]]
) -> Sequence[int]:
    """The numbers of the user's turns that meet the conditions, the newest first."""
    rows = session.scalars(
        select(ArchivedTurnRow.archive_id)
        .where(ArchivedTurnRow.user_id == user_id, *conditions)
        .order_by(ArchivedTurnRow.said_at.desc(), ArchivedTurnRow.archive_id.desc())
        .limit(limit)
    )
    return rows.all()


def get_many(session: Session, user_id: str, numbers: Collection[int]) -> Sequence[ArchivedTurn]:
    """Those of these turns that are the user's, in the order of their numbers."""
    rows = session.scalars(
        select(ArchivedTurnRow)
        .where(ArchivedTurnRow.user_id == user_id, ArchivedTurnRow.archive_id.in_(numbers))
        .order_by(ArchivedTurnRow.archive_id)
    )
    return [archived_turn(row) for row in rows]


def of_turn(session: Session, turn_id: str) -> ArchivedTurn | None:
    """A turn by its id; None when it is not, or no longer, in the archive."""
    row = session.scalar(select(ArchivedTurnRow).where(ArchivedTurnRow.turn_id == turn_id))
    return None if row is None else archived_turn(row)


def numbers(session: Session, user_id: str) -> Sequence[int]:
    """The numbers of all turns of the user, in order."""
    rows = session.scalars(
        select(ArchivedTurnRow.archive_id)
        .where(ArchivedTurnRow.user_id == user_id)
        .order_by(ArchivedTurnRow.archive_id)
    )
    return rows.all()


def numbers_with(
    session: Session,
    user_id: str,
    terms: Collection[str],
    *,
    turn_ids: Collection[str],
    length: int,
) -> Sequence[int]:
    """The numbers of the user's turns in which one of the terms stands, in order; and of
    the turns `turn_ids`, and those of so many terms or more."""
    theirs = ArchivedTurnRow.user_id == user_id
    is_named = ArchivedTurnRow.turn_id.in_(turn_ids)
    rows = session.scalars(
        select(ArchivedTurnRow.archive_id).where(
            theirs, or_(is_named, ArchivedTurnRow.length >= length)
        )
    )
    found = set(rows)
    wanted = sorted(terms)
    for start in range(0, len(wanted), TERMS_AT_A_TIME):
        rows = session.scalars(
            select(ArchivedTermRow.archive_id).where(
                ArchivedTermRow.user_id == user_id,
                ArchivedTermRow.term.in_(wanted[start : start + TERMS_AT_A_TIME]),
            )
        )
        found.update(rows)
    return sorted(found)


def rewrite(session: Session, turn: ArchivedTurn, terms: Mapping[str, int]) -> None:
    """Put the texts of a turn, and its terms, in the place of those that are stored;
    nothing is done when it is gone, or its user's no longer."""
    changed = session.scalars(
        update(ArchivedTurnRow)
        .where(
            ArchivedTurnRow.archive_id == turn.archive_id, ArchivedTurnRow.user_id == turn.user_id
        )
        .values(asked=turn.asked, words=turn.words, answer=turn.answer, length=sum(terms.values()))
        .returning(ArchivedTurnRow.archive_id)
    )
    if changed.first() is not None:
        FULL_TEXT.remove(session, turn.user_id, [turn.archive_id])
        FULL_TEXT.write(session, turn.user_id, turn.archive_id, terms)


def remove(session: Session, user_id: str, numbers: Collection[int]) -> None:
    """Delete turns of the user, with their terms."""
    session.execute(
        delete(ArchivedTurnRow).where(
            ArchivedTurnRow.user_id == user_id, ArchivedTurnRow.archive_id.in_(numbers)
        )
    )


def prune(session: Session, before: datetime, most: int) -> int:
    """Delete the oldest turns that were said before a time, and so many at most; returns
    how many. What is still to be read stays: turns of the present session of their
    conversation, and those whose digest has not come to its end."""
    is_to_be_read = exists().where(
        DigestRow.session_id == ArchivedTurnRow.session_id, DigestRow.state != DigestState.CLEARED
    )
    # A session's id ends in its generation.
    is_present = exists().where(
        ConversationRow.conversation_id == ArchivedTurnRow.conversation_id,
        ArchivedTurnRow.session_id.like(
            literal("%#").concat(cast(ConversationRow.generation, String))
        ),
    )
    old = (
        select(ArchivedTurnRow.archive_id)
        .where(ArchivedTurnRow.said_at < before, ~is_to_be_read, ~is_present)
        .order_by(ArchivedTurnRow.archive_id)
        .limit(most)
    )
    gone = session.scalars(
        delete(ArchivedTurnRow)
        .where(ArchivedTurnRow.archive_id.in_(old))
        .returning(ArchivedTurnRow.archive_id)
    )
    return len(gone.all())


def archived_turn(row: ArchivedTurnRow) -> ArchivedTurn:
    """The turn that a row holds."""
    return ArchivedTurn(**values_of(ArchivedTurn, row))


def _page(session: Session, session_id: str, after: int) -> Sequence[ArchivedTurn]:
    rows = session.execute(
        select(*(TABLE.c[each.name] for each in fields(ArchivedTurn)))
        .where(ArchivedTurnRow.session_id == session_id, ArchivedTurnRow.archive_id > after)
        .order_by(ArchivedTurnRow.archive_id)
        .limit(TURNS_AT_A_TIME)
    )
    return [ArchivedTurn(*row) for row in rows]
