"""What the usage of the last days tells: costs, failures, budgets that were used up, questions
that found nothing, and requests that a person said again and again.

Read from what is recorded anyway. The words of a request are a person's own: they are shown to
nobody but them, and stored nowhere unless they agree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from gaia.errors import IndexUnavailableError
from gaia.memory import credentials, ledger
from gaia.memory.contexts import ONLY_GLOBAL
from gaia.memory.protocols import Neighbour
from gaia.memory.search.candidates import NO_MEANING
from gaia.memory.search.pleasantries import QUESTION_MARKS, is_pleasantry
from gaia.memory.search.search import Search
from gaia.memory.text import content_terms, normalise
from gaia.store import archive, usage
from gaia.store.memory_tables import MemoryKind
from gaia.store.ops_tables import BudgetNoticeRow
from gaia.store.tables import InboxRow, InboxState
from gaia.store.usage import Budget, Stage

MOST_TURNS = 1000
"""Turns of a person that are looked at, the newest."""

MOST_QUESTIONS = 200

LONGEST_REQUEST = 80
"""Characters. What is longer is a matter, and no request about how to answer."""

TIMES = 3
"""How often a request was said at least, on `DAYS` days at least."""

DAYS = 2
FEWEST_TERMS = 2
MOST_REQUESTS = 5
MOST_RULES = 200


@dataclass(frozen=True, slots=True)
class RepeatedRequest:
    """What a person said in the same words `times` times, on so many days."""

    text: str
    times: int
    days: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What happened in so many days, of all users; questions and requests are one person's.

    `calls` are model calls of turns, with their tokens; `dead` of the messages that were
    `received` got no answer. `spent_days` are those on which somebody's tokens of the day were
    used up, `all_spent_days` those on which all users' were, and `most_learned` is how many
    calls a person's learning took on each day on which it took most.
    """

    days: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float
    received: int
    dead: int
    spent_days: int
    all_spent_days: int
    most_learned: Sequence[int]
    questions: int
    unanswered: int
    requests: Sequence[RepeatedRequest]


def figures(session: Session, search: Search, user_id: str, now: datetime, days: int) -> Figures:
    """The figures of the last days, until now."""
    since = now - timedelta(days=days)
    used = usage.since(session, since.astimezone().date())
    turns = [each.usage for each in used if each.usage.purpose == usage.TURN]
    learned: Counter[tuple[str, str]] = Counter()
    for each in used:
        if each.usage.purpose in usage.LEARNING:
            learned[each.user_id, each.day.isoformat()] += each.usage.calls
    by_day: dict[str, int] = defaultdict(int)
    for (_, day), calls in learned.items():
        by_day[day] = max(by_day[day], calls)
    said = list(_messages(session, user_id, since))
    questions = [text for text, _ in said if QUESTION_MARKS.search(text)][:MOST_QUESTIONS]
    return Figures(
        days=days,
        calls=sum(each.calls for each in turns),
        tokens_in=sum(each.tokens_in for each in turns),
        tokens_out=sum(each.tokens_out for each in turns),
        cost=sum(each.usage.cost for each in used),
        received=_inbox(session, since),
        dead=_inbox(session, since, InboxState.DEAD),
        spent_days=_spent_days(session, since, Budget.USER),
        all_spent_days=_spent_days(session, since, Budget.ALL),
        most_learned=sorted(by_day.values(), reverse=True),
        questions=len(questions),
        unanswered=sum(_finds_nothing(session, search, user_id, each) for each in questions),
        requests=_requests(session, user_id, said),
    )


class NoIndex:
    """Implements `gaia.memory.protocols.Nearest`: what questions found is told by their words."""

    async def nearest(self, user_id: str, text: str, limit: int) -> Sequence[Neighbour]:
        """Raises: IndexUnavailableError: Always."""
        raise IndexUnavailableError("questions are counted by their words alone")


def _inbox(session: Session, since: datetime, *states: InboxState) -> int:
    query = (
        select(func.count())
        .select_from(InboxRow)
        .where(InboxRow.received_at >= since, InboxRow.is_command.is_(False))
    )
    return session.scalar(query.where(InboxRow.state.in_(states)) if states else query) or 0


def _spent_days(session: Session, since: datetime, budget: Budget) -> int:
    query = select(func.count(BudgetNoticeRow.day.distinct())).where(
        BudgetNoticeRow.day >= since.astimezone().date().isoformat(),
        BudgetNoticeRow.budget == budget,
        BudgetNoticeRow.stage == Stage.USED_UP,
    )
    return session.scalar(query) or 0


def _messages(session: Session, user_id: str, since: datetime) -> Iterator[tuple[str, str]]:
    """The person's own messages outside of all contexts, and the day of each."""
    said = archive.said_within(since, None, ONLY_GLOBAL)
    numbers = archive.latest(session, user_id, MOST_TURNS, said)
    for turn in archive.get_many(session, user_id, numbers):
        day = turn.said_at.astimezone().date().isoformat()
        for text in turn.words.split(archive.MESSAGE_BREAK):
            if text.strip():
                yield text.strip(), day


def _finds_nothing(session: Session, search: Search, user_id: str, question: str) -> bool:
    asked = search.understand(session, user_id, question)
    return not search.relevant_to(session, user_id, asked, NO_MEANING, limit=1)


def _requests(
    session: Session, user_id: str, said: Sequence[tuple[str, str]]
) -> Sequence[RepeatedRequest]:
    rules = ledger.every(session, user_id, limit=MOST_RULES, kind=MemoryKind.RULE)
    known = {normalise(each.text) for each in rules}
    days: dict[str, list[str]] = defaultdict(list)
    last: dict[str, str] = {}
    for text, day in said:
        key = normalise(text).rstrip(" .!")
        if _is_request(text) and key not in known:
            days[key].append(day)
            last[key] = text
    found = [
        RepeatedRequest(last[key], len(each), len(set(each)))
        for key, each in days.items()
        if len(each) >= TIMES and len(set(each)) >= DAYS
    ]
    return sorted(found, key=lambda each: -each.times)[:MOST_REQUESTS]


def _is_request(text: str) -> bool:
    return (
        len(text) <= LONGEST_REQUEST
        and not text.startswith("/")
        and not QUESTION_MARKS.search(text)
        and not is_pleasantry(text)
        and len(content_terms(text)) >= FEWEST_TERMS
        and credentials.find(text) is None
    )
