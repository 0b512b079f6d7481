"""Budgets: how many tokens of remote models a day has, for one user and for all.

What a call costs is known when it has ended. So each is asked for before a turn, a reading
or a profile begins, and what has begun then goes on to its end: beyond a budget is used at
most what was under way when it was reached, `limits.concurrent_turns` turns, and half as
many of one user, two readings and one profile. The model on this machine has no budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from sqlalchemy.orm import Session

from gaia.current import Current
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store import usage
from gaia.store.usage import Budget, Stage

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

    def __init__(self, settings: Current[Settings], clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    def levels(self, session: Session, user_id: str) -> Sequence[Level]:
        """What is used of the user's own budget, and then of that of all."""
        limits = self._settings.now.limits
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


def next_day(now: datetime) -> datetime:
    """The next midnight of the machine's time zone."""
    tomorrow = now.astimezone().date() + timedelta(days=1)
    return datetime.combine(tomorrow, time()).astimezone()
