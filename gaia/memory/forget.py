"""Forgetting: from here on nobody finds it any more.

The memories, their full text, their entities and earlier versions are gone with the
caller's transaction, and so are the profile, the episodes and pending memories that mention it,
what was read of conversations that are being digested, and every file that was to be sent
to the user. What transcripts, the archive, queues, logs and free pages still hold of
their words is overwritten by `gaia.ops.forget_worker`, which is to be woken after the commit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from gaia.errors import UnknownForgetError
from gaia.memory import archive, forgotten, ledger, rows
from gaia.memory.forget_matcher import ForgetMatcher, narrowed
from gaia.memory.memory import Memory, Statement
from gaia.memory.owner import owner
from gaia.memory.text import query_terms, terms
from gaia.store import audit, conversations, digests, forgets, inbox, outbox
from gaia.store.audit import Action
from gaia.store.memory_tables import (
    MemoryKind,
    MemoryRow,
    MemorySource,
    MemoryStatus,
    MemoryTermRow,
)
from gaia.store.redaction import Redaction

ASKED_FOR = timedelta(hours=1)
"""How long a question whether to forget can be answered."""

SENTENCE = "Every remaining copy is erased within a minute."
"""What a person is told about the rest of it. A constant, to be said with the count."""

MOST_WORDS = 200
"""Terms that are looked for, at most, far below SQLite's parameters in a statement."""

BEFORE = " (before: "
"""What older gaias wrote between a sentence and the words of what it superseded."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What is forgotten now: `count` memories that the user knew of; a superseded
    version of one is not counted. `word` is one that was a whole memory, and may stand in
    messages that say something else."""

    count: int
    everything: bool
    word: str = ""


def ask(
    session: Session,
    user_id: str,
    *,
    memory_ids: Collection[int] = (),
    everything: bool = False,
    words: str = "",
    turn_id: str | None = None,
    now: datetime,
) -> int:
    """Note what the user may want forgotten; returns the number to `confirm` it by.

    Some `memory_ids`, or `words` alone, or `everything`. It holds for an hour, and replaces
    what the user was asked before. `words` are as in `forget`, `turn_id` is the turn of a
    tool that asks."""
    if bool(memory_ids or words) is everything:
        raise ValueError("either some memories or words are to be forgotten, or everything")
    return forgets.ask(
        session,
        owner(user_id),
        memory_ids,
        everything=everything,
        phrases=[words] if words else [],
        turn_id=turn_id,
        now=now,
    )


def confirm(
    session: Session,
    user_id: str,
    forget_id: int | None,
    *,
    inbox_id: int,
    now: datetime,
) -> Forgotten:
    """Forget what the user was asked: `forget_id`, or without one the last question.

    `inbox_id` is the message that says so: what was received after it stays.

    Raises:
        UnknownForgetError: There is no such question, or not any more.
    """
    request = forgets.asked(session, owner(user_id), forget_id, since=now - ASKED_FOR)
    if request is None:
        said = "nothing" if forget_id is None else f"nothing under the number {forget_id}"
        raise UnknownForgetError(
            f"{said} waits to be forgotten: say again what is to be forgotten, since a "
            "question holds for an hour"
        )
    if request.everything:
        return forget_everything(session, user_id, inbox_id=inbox_id, now=now)
    forgets.withdraw(session, user_id)
    words = "".join(request.phrases)
    return forget(session, user_id, request.memory_ids, words=words, inbox_id=inbox_id, now=now)


def forget(
    session: Session,
    user_id: str,
    memory_ids: Collection[int],
    *,
    words: str = "",
    inbox_id: int = 0,
    now: datetime,
    by: str | None = None,
) -> Forgotten:
    """Forget memories of the user, whatever their status, without asking.

    Numbers that are not theirs are ignored: a count of 0 says that nothing was.
    `words` are what the user named them by, if all of the words stand in each: whatever
    else was said with them goes, too.
    `inbox_id` is as in `confirm`; without a message it is everything that a turn has begun
    with. `by` is who did it, for the audit, if it was not the user."""
    _cut_words_of_others(session, owner(user_id), now)
    gone = ledger.remove(session, user_id, memory_ids, now)
    count = len(set(memory_ids) & {each.memory_id for each in gone})
    if gone or words:
        _begin(session, user_id, gone, words=words, everything=False, inbox_id=inbox_id, now=now)
        _record(session, user_id, f"memories: {count}", now, by)
    single = [] if words else [each.text for each in gone if narrowed(each.text) != each.text]
    return Forgotten(count, everything=False, word=single[0] if single else "")


def forget_everything(
    session: Session,
    user_id: str,
    *,
    inbox_id: int = 0,
    now: datetime,
    by: str | None = None,
) -> Forgotten:
    """Forget all memories of the user, and all that was said until now, without asking.

    Each conversation begins again; messages that wait are for its new session. The
    arguments are as in `forget`."""
    gone = ledger.remove(session, owner(user_id), ledger.numbers(session, user_id), now)
    count = sum(each.status is MemoryStatus.ACTIVE for each in gone)
    for conversation in conversations.of_user(session, user_id):
        inbox.begin_next_session(session, conversation.conversation_id, after=0)
    digests.drop_uncommitted(session, user_id)
    _begin(session, user_id, gone, everything=True, inbox_id=inbox_id, now=now)
    _record(session, user_id, f"everything, memories: {count}", now, by)
    return Forgotten(count, everything=True)


def said_with(session: Session, user_id: str, words: str) -> Sequence[datetime]:
    """When something was said, by whomever of the two, that goes with these words, message by
    message: in the archive and in the queues, commands apart."""
    matcher = ForgetMatcher([words])
    if not owner(user_id) or matcher.terms == frozenset():
        return []
    what = Redaction(user_id, matcher.match, frozenset(), False, 0, datetime.max, matcher.terms)
    numbers = archive.candidates(session, what)
    turns = archive.turns(session, user_id, numbers)
    said = {turn.turn_id: turn.said_at for turn in turns if archive.is_going(turn, what)}
    known = {turn.turn_id for turn in turns}
    for turn_id, text, received_at in inbox.said_by(session, user_id):
        if turn_id not in known and matcher.match(text):
            said.setdefault(turn_id or str(received_at), received_at)
    return sorted(said.values())


def with_words(session: Session, user_id: str, words: str) -> Sequence[int]:
    """The user's memories with each of these words in it, in any form and order, the
    newest first; none without a word. Inactive ones as well: pending, what
    something took the place of, but for the earlier versions of one that is found."""
    owner(user_id)
    sought = sorted(query_terms(words))[:MOST_WORDS]
    if not sought:
        return []
    found = session.scalars(
        select(MemoryTermRow.memory_id)
        .where(MemoryTermRow.user_id == user_id, MemoryTermRow.term.in_(sought))
        .group_by(MemoryTermRow.memory_id)
        .having(func.count() == len(sought))
    )
    counting = found.all()
    others = _apart_from_full_text(session, user_id, sought)
    heirs = {*counting, *others}
    apart = [number for number, heir in others.items() if heir not in heirs]
    return sorted([*counting, *apart], reverse=True)


def _begin(
    session: Session,
    user_id: str,
    gone: Sequence[Memory],
    *,
    words: str = "",
    everything: bool,
    inbox_id: int,
    now: datetime,
) -> None:
    """A turn that runs by now may still say it, whenever its message was received; so may
    a question that is open, and a file that is on its way."""
    forgets.withdraw(session, user_id)
    outbox.drop_files_of(session, user_id)
    told = (said for each in gone for said in (each.text, each.quote, each.label))
    texts = list(dict.fromkeys(filter(None, told)))
    phrases = [*map(narrowed, texts), words] if words else [*map(narrowed, texts)]
    forgotten.note(session, user_id, texts, now)
    matcher = ForgetMatcher(phrases)
    ledger.remove(session, user_id, _derived_memories_with(session, user_id, matcher), now)
    _drop_labels_with(session, user_id, matcher, now)
    digests.read_uncommitted_again(session, user_id)
    forgets.begin(
        session,
        user_id,
        everything=everything,
        phrases=phrases,
        turn_ids={each.turn_id for each in gone if each.turn_id is not None},
        inbox_id=max(inbox_id, forgets.last_begun(session, user_id)),
        now=now,
    )


def _record(session: Session, user_id: str, detail: str, now: datetime, by: str | None) -> None:
    audit.record(session, Action.FORGOT, at=now, by=by or user_id, subject=user_id, detail=detail)


def _derived_memories_with(session: Session, user_id: str, matcher: ForgetMatcher) -> Sequence[int]:
    """The numbers of the user's episodes and pending memories, whatever became of them, in
    which one of the phrases is found: what gaia gathered by itself and shows to nobody unasked.
    A summary tells many things at once, so that it goes with any of them that is forgotten."""
    derived = session.execute(
        select(MemoryRow.memory_id, MemoryRow.text, MemoryRow.quote, MemoryRow.label).where(
            MemoryRow.user_id == owner(user_id),
            MemoryRow.source == MemorySource.DIGEST,
            or_(MemoryRow.kind == MemoryKind.EPISODE, MemoryRow.status == MemoryStatus.PENDING),
        )
    )
    return [number for number, *texts in derived if any(map(matcher.match, filter(None, texts)))]


def _drop_labels_with(
    session: Session, user_id: str, matcher: ForgetMatcher, now: datetime
) -> None:
    """Drop a model's wordings that say it of sentences that do not: it knew more than them."""
    for row in session.scalars(rows.of(user_id).where(MemoryRow.label.is_not(None))).all():
        if matcher.match(row.label or "") and not matcher.match(row.text):
            rows.reword(session, row, row.text, None, now)


def _cut_words_of_others(session: Session, user_id: str, now: datetime) -> None:
    """Take out of memories the words of others that older gaias wrote into them: they are told
    together, see `Memory.told`."""
    found = rows.of(user_id).where(
        MemoryRow.source.in_((MemorySource.DIGEST, MemorySource.IMPORT)),
        MemoryRow.quote.is_not(None),
        MemoryRow.text.contains(BEFORE, autoescape=True),
    )
    for row in session.scalars(found).all():
        parts = row.text.split(BEFORE)
        own = BEFORE.join(parts[: 1 + (row.quote or "").count(BEFORE)])
        if own == row.text or not row.text.endswith(")"):
            continue
        session.execute(
            update(MemoryRow)
            .where(MemoryRow.user_id == user_id, MemoryRow.superseded_by == row.memory_id)
            .values(told_by_heir=True)
        )
        said = Statement(own, MemorySource(row.source), MemoryKind(row.kind), context=row.context)
        twin = rows.same(session, user_id, said)
        if row.status == MemoryStatus.ACTIVE and twin and twin.status == MemoryStatus.ACTIVE:
            ledger.give_way(session, user_id, row.memory_id, twin.memory_id, now)
        rows.reword(session, row, own, row.label, now)


def _apart_from_full_text(
    session: Session, user_id: str, sought: Collection[str]
) -> dict[int, int | None]:
    """The memories without full text that hold the terms, and what took their place."""
    apart = session.execute(
        select(MemoryRow.memory_id, MemoryRow.text, MemoryRow.superseded_by).where(
            MemoryRow.user_id == user_id, MemoryRow.status != MemoryStatus.ACTIVE
        )
    )
    return {number: heir for number, text, heir in apart if terms(text).keys() >= set(sought)}
