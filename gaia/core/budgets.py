"""Budgets: how many tokens of remote models a day has, for one user and for all; what they
cost, and what people are told when they run out.

What a call costs is known when it has ended. So each is asked for before a turn, a reading
or a profile begins, and what has begun then goes on to its end: beyond a budget is used at
most what was under way when it was reached, `limits.concurrent_turns` turns, and half as
many of one user, two readings and one profile. The model on this machine has no budget.

What people read carries no numbers: what others used is nobody's business, and `/status`
has one's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from sqlalchemy.orm import Session

from gaia.core import notices
from gaia.core.access import TERMINAL
from gaia.ports import Channel, Clock
from gaia.settings.schema import Settings
from gaia.store import usage
from gaia.store.conversations import Conversation
from gaia.store.people import identities, own_chats
from gaia.store.usage import Budget, Stage, Usage
from gaia.swappable import Swappable

SETTINGS = {Budget.USER: "limits.user_tokens_per_day", Budget.ALL: "limits.tokens_per_day"}
"""Where each is set."""

NEAR = 0.8
"""The share of a budget from which on it is told that little is left."""


@dataclass(frozen=True, slots=True)
class Level:
    """How much of a day's tokens is used. `allowed` is 0 where there is no limit."""

    budget: Budget
    used: int
    allowed: int

    @property
    def stage(self) -> Stage | None:
        """Whether most or all of them are used; None while enough is left."""
        if not self.allowed or self.used < NEAR * self.allowed:
            return None
        return Stage.NEAR if self.used < self.allowed else Stage.USED_UP


class Budgets:
    """Tells what is left of the day's budgets, within the caller's transaction."""

    def __init__(self, settings: Swappable[Settings], clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    def levels(self, session: Session, user_id: str) -> Sequence[Level]:
        """What is used of the user's own budget, and then of that of all."""
        limits = self._settings.value.limits
        today = self._clock.now().astimezone().date()
        return (
            Level(
                Budget.USER,
                usage.tokens(session, today, user_id=user_id),
                limits.user_tokens_per_day,
            ),
            Level(Budget.ALL, usage.tokens(session, today), limits.tokens_per_day),
        )

    def used_up(self, session: Session, user_id: str) -> Budget | None:
        """The budget for which no remote model may be asked for the user any more today."""
        for level in self.levels(session, user_id):
            if level.stage is Stage.USED_UP:
                return level.budget
        return None

    def goes_on_at(self) -> datetime:
        """When the next day begins, in the machine's time zone."""
        return next_day(self._clock.now())


class Spending:
    """Writes usage, within the caller's transaction."""

    def __init__(self, settings: Swappable[Settings], clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    def add(self, session: Session, user_id: str, used: Usage) -> None:
        """Add to the user's day, which is one of the machine's time zone."""
        costs = self._settings.value.costs
        priced = used.at(input_price=costs.input_price, output_price=costs.output_price)
        day = self._clock.now().astimezone().date()
        usage.add(session, user_id, day, priced)


class BudgetNotices:
    """Tells users of budgets, within the caller's transaction: each of their own, owners of
    that of all, since it would tell others of other people. Each notice is written once a
    day, behind the answer of the turn that it comes with."""

    def __init__(self, budgets: Budgets, channels: Mapping[str, Channel], clock: Clock) -> None:
        self._budgets = budgets
        self._channels = channels
        self._clock = clock

    def refusal(self, session: Session, conversation: Conversation) -> str | None:
        """What is said in the place of an answer once a budget is used up; None when a
        remote model may be asked."""
        used_up = self._budgets.used_up(session, conversation.user_id)
        if used_up is None:
            return None
        return _refused(used_up, self._budgets.goes_on_at(), is_group=not conversation.direct)

    def after_turn(
        self, session: Session, conversation: Conversation, *, was_answered: bool
    ) -> Sequence[int]:
        """Write what is to be told now that the turn's tokens are counted; returns the
        conversations that it is written to. A user whose turn was not answered hears
        nothing of their own budget: they were told why."""
        written: list[int] = []
        for level in self._budgets.levels(session, conversation.user_id):
            if level.stage is None:
                continue
            if level.budget is Budget.ALL:
                written += self._tell_owners(session, conversation, level.stage)
            elif was_answered:
                told = _to_user(
                    level.stage, self._budgets.goes_on_at(), is_group=not conversation.direct
                )
                if self._note(session, conversation.user_id, level.budget, level.stage):
                    written.append(self._write(session, conversation, told))
        return written

    def _tell_owners(
        self, session: Session, conversation: Conversation, stage: Stage
    ) -> Sequence[int]:
        """Each in the direct chat that they used last; at the terminal, which nobody may
        sit at, only if it is there that they talk now."""
        written: list[int] = []
        told = _to_owner(stage, self._budgets.goes_on_at())
        for owner in identities.owners(session):
            is_here = owner.user_id == conversation.user_id
            channels = set(self._channels) - {TERMINAL}
            channels |= {conversation.channel} if is_here else set()
            chat = own_chats.latest_direct(session, owner.user_id, channels)
            if chat and self._note(session, owner.user_id, Budget.ALL, stage):
                written.append(self._write(session, chat, told))
        return written

    def _note(self, session: Session, user_id: str, budget: Budget, stage: Stage) -> bool:
        today = self._clock.now().astimezone().date()
        return usage.note_told(session, user_id, today, budget, stage)

    def _write(self, session: Session, chat: Conversation, text: str) -> int:
        notices.write(session, self._channels, chat, text, self._clock.now())
        return chat.conversation_id


def next_day(now: datetime) -> datetime:
    """The next midnight of the machine's time zone."""
    tomorrow = now.astimezone().date() + timedelta(days=1)
    return datetime.combine(tomorrow, time()).astimezone()


def _refused(budget: Budget, goes_on_at: datetime, *, is_group: bool) -> str:
    """In the place of an answer, once a budget is used up."""
    whom = "" if budget is Budget.ALL else f" for {_you(is_group=is_group)}"
    return (
        f"I have used up today's tokens{whom}, so I did not answer that message. "
        f"I continue {_at(goes_on_at)}: please send it again then. Commands such as /memory "
        "and /remember still work, and the person who runs me can allow more."
    )


def _to_user(stage: Stage, goes_on_at: datetime, *, is_group: bool) -> str:
    """To a user, of their own budget, after an answer."""
    you = _you(is_group=is_group)
    if stage is Stage.NEAR:
        return (
            f"By the way: 80% of today's tokens for {you} are used. "
            f"Once all are used, I continue {_at(goes_on_at)}."
        )
    return (
        f"By the way: today's tokens for {you} are used up. I continue "
        f"{_at(goes_on_at)}. Commands such as /memory and /remember still work."
    )


def _to_owner(stage: Stage, goes_on_at: datetime) -> str:
    """To an owner, of the budget of all."""
    if stage is Stage.NEAR:
        return (
            "80% of today's tokens for everybody, limits.tokens_per_day, are "
            "used. 'gaia costs' shows what for."
        )
    return (
        "Today's tokens for everybody, limits.tokens_per_day, are used up: I answer "
        f"nobody until I continue {_at(goes_on_at)}, or you allow more in gaia.yaml. "
        "'gaia costs' shows what they were used for."
    )


def _you(*, is_group: bool) -> str:
    return "this group" if is_group else "you"


def _at(time: datetime) -> str:
    """Midnight, with the name of the time zone that it is of."""
    return f"at midnight ({time:%Z})"
