"""Wishes to forget, from the question whether it is meant to the last overwritten byte.

What is looked for, and where, is told in `gaia.memory.forget` and `gaia.ops.forget_worker`.
Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.orm import Session

from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.base import values_of
from gaia.store.memory_tables import ForgetRow, ForgetState
from gaia.store.redaction import Redaction, redact_before_joining
from gaia.store.tables import ConversationRow, InboxRow

UNDER_WAY = (ForgetState.WIPING, ForgetState.SEALING, ForgetState.FADING)


@dataclass(frozen=True, slots=True)
class Forget:
    """A wish to forget. What the fields mean is told at `ForgetRow`."""

    forget_id: int
    user_id: str
    state: ForgetState
    everything: bool
    memory_ids: tuple[int, ...]
    phrases: tuple[str, ...]
    turn_ids: frozenset[str]
    inbox_id: int
    created_at: datetime

    def redaction(
        self, says: Callable[[str], bool], terms: frozenset[str] | None = None
    ) -> Redaction:
        """What goes, where `says` finds the phrases in a text, and `terms` are theirs."""
        return Redaction(
            user_id=self.user_id,
            says=says,
            sources=self.turn_ids,
            everything=self.everything,
            inbox_id=self.inbox_id,
            since=self.created_at,
            terms=terms,
        )


def ask(
    session: Session,
    user_id: str,
    memory_ids: Collection[int],
    *,
    everything: bool,
    phrases: Sequence[str] = (),
    turn_id: str | None = None,
    now: datetime,
) -> int:
    """Note what a user may want forgotten, in the place of what they were asked before.

    With a `turn_id` it is a tool that asks: its question stands beside the one that they
    asked for themselves, and what one turn asks for is one question.
    """
    asked_before = _open_questions(session, user_id, by_tool=turn_id is not None)
    of_turn = [row for row in asked_before if turn_id in row.turn_ids]
    wanted = {*memory_ids, *(number for row in of_turn for number in row.memory_ids)}
    for row in asked_before:
        session.delete(row)
    row = ForgetRow(
        user_id=user_id,
        state=ForgetState.ASKED,
        everything=everything,
        memory_ids=sorted(wanted),
        phrases=list(phrases),
        turn_ids=[] if turn_id is None else [turn_id],
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row.forget_id


def asked(
    session: Session, user_id: str, forget_id: int | None, *, since: datetime
) -> Forget | None:
    """What the user was asked since then: of that number, or, without one, what they asked
    for themselves."""
    rows = _open_questions(session, user_id, by_tool=False if forget_id is None else None)
    found = [row for row in rows if row.created_at >= since and forget_id in (None, row.forget_id)]
    return _forget(found[0]) if found else None


def asked_in_turn(session: Session, user_id: str, turn_id: str) -> Forget | None:
    """What a tool asked of the user in a turn."""
    rows = _open_questions(session, user_id, by_tool=True)
    return next((_forget(row) for row in rows if turn_id in row.turn_ids), None)


def withdraw(session: Session, user_id: str) -> None:
    """Drop the question that the user has not answered."""
    session.execute(
        delete(ForgetRow).where(ForgetRow.user_id == user_id, ForgetRow.state == ForgetState.ASKED)
    )


def begin(
    session: Session,
    user_id: str,
    *,
    everything: bool,
    phrases: Sequence[str],
    turn_ids: Collection[str],
    inbox_id: int,
    now: datetime,
) -> int:
    """Have something forgotten: from the commit on it is carried out. Returns its number."""
    row = ForgetRow(
        user_id=user_id,
        state=ForgetState.WIPING,
        everything=everything,
        phrases=list(phrases),
        turn_ids=sorted(turn_ids),
        inbox_id=inbox_id,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row.forget_id


def fade(session: Session, user_id: str, now: datetime) -> None:
    """Have the files written again, which may still hold what was incognito and is deleted."""
    session.add(
        ForgetRow(user_id=user_id, state=ForgetState.FADING, everything=False, created_at=now)
    )
    session.flush()


def under_way(session: Session, user_id: str | None = None) -> Sequence[Forget]:
    """What is being forgotten, of one user or of all, the oldest first."""
    query = select(ForgetRow).where(ForgetRow.state.in_(UNDER_WAY)).order_by(ForgetRow.forget_id)
    if user_id is not None:
        query = query.where(ForgetRow.user_id == user_id)
    return [_forget(row) for row in session.scalars(query)]


def under_way_since(session: Session) -> datetime | None:
    """Since when the oldest wish is being carried out, of all users; None when none is."""
    query = select(func.min(ForgetRow.created_at)).where(ForgetRow.state.in_(UNDER_WAY))
    return session.scalar(query)


def mark(session: Session, user_id: str) -> int | None:
    """The same for as long as the user has nothing more forgotten; None while that is
    being carried out.

    Whoever makes something of what the user said, and takes longer than a transaction,
    compares: what was read under another mark must not be written.
    """
    wiping = exists().where(ForgetRow.user_id == user_id, ForgetRow.state == ForgetState.WIPING)
    if session.scalar(select(wiping)):
        return None
    return audit.last(session, Action.FORGOT, user_id)


def seal(session: Session, forget_id: int, user_id: str) -> bool:
    """Say that it is carried out, and let go of the words to look for; returns False, and
    does nothing, when the user has become another meanwhile, who has to be looked at, too."""
    sealed = session.scalars(
        update(ForgetRow)
        .where(ForgetRow.forget_id == forget_id, ForgetRow.user_id == user_id)
        .values(state=ForgetState.SEALING, phrases=[], turn_ids=[])
        .returning(ForgetRow.forget_id)
    )
    return sealed.first() is not None


def before_joining(session: Session, gone_id: str, into_id: str) -> None:
    """Have what two users wished mean the same once they are one: neither has all of the
    other's forgotten, by a wish of before or by a yes to a question of before."""
    withdraw(session, gone_id)
    withdraw(session, into_id)
    for user_id in (gone_id, into_id):
        for request in under_way(session, user_id):
            if request.everything:
                redact_before_joining(session, user_id, request.inbox_id)
                session.execute(
                    update(ForgetRow)
                    .where(ForgetRow.forget_id == request.forget_id)
                    .values(everything=False)
                )


def done(session: Session, forget_ids: Collection[int]) -> None:
    """Say that no file holds anything of it."""
    session.execute(delete(ForgetRow).where(ForgetRow.forget_id.in_(forget_ids)))


def last_begun(session: Session, user_id: str) -> int:
    """The number of the user's last message that a turn has begun with, or 0."""
    number = session.scalar(
        select(func.max(InboxRow.inbox_id))
        .join(ConversationRow, ConversationRow.conversation_id == InboxRow.conversation_id)
        .where(ConversationRow.user_id == user_id, InboxRow.turn_id.is_not(None))
    )
    return number or 0


def _open_questions(session: Session, user_id: str, *, by_tool: bool | None) -> Sequence[ForgetRow]:
    """The questions that the user has not answered: a tool's, their own, or all."""
    rows = session.scalars(
        select(ForgetRow)
        .where(ForgetRow.user_id == user_id, ForgetRow.state == ForgetState.ASKED)
        .order_by(ForgetRow.forget_id)
    )
    return [row for row in rows if by_tool in (None, bool(row.turn_ids))]


def _forget(row: ForgetRow) -> Forget:
    told = values_of(Forget, row)
    told["state"] = ForgetState(row.state)
    told["memory_ids"] = tuple(row.memory_ids)
    told["phrases"] = tuple(row.phrases)
    told["turn_ids"] = frozenset(row.turn_ids)
    return Forget(**told)
