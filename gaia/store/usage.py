"""Usage: model calls, tokens and what they cost, by user, day, purpose and model, and who
was told on a day how much of a day's tokens is used.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session

from gaia.store.base import table_of, values_of
from gaia.store.ops_tables import BudgetNoticeRow
from gaia.store.tables import UsageRow

TURN = "turn"
DIGEST = "digest"
PROFILE = "profile"
UPKEEP = "upkeep"
LEARNING = (DIGEST, PROFILE, UPKEEP)
"""The purposes that `memory.calls_per_day` bounds."""

A_MILLION = 1_000_000
"""Prices are those of so many tokens."""


class Tariff(StrEnum):
    """Who knows what a model's tokens cost: the settings do of the model that answers,
    those of one on this machine are `FREE`, and of any other nothing is known."""

    SETTINGS = "settings"
    FREE = "free"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Usage:
    """What model calls used, in tokens as the provider counts them, and what that cost as
    far as it was known then."""

    model: str
    purpose: str
    calls: int
    tokens_in: int
    tokens_out: int
    tariff: Tariff = Tariff.SETTINGS
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """All of them, read and written."""
        return self.tokens_in + self.tokens_out

    @property
    def has_price(self) -> bool:
        """Whether the cost is what these tokens cost, rather than nothing known of it."""
        return self.tariff is Tariff.FREE or self.cost > 0 or not self.tokens

    def at(self, *, input_price: float, output_price: float) -> Usage:
        """The same with its cost, at these prices of a million tokens."""
        if self.tariff is not Tariff.SETTINGS:
            return self
        cost = (self.tokens_in * input_price + self.tokens_out * output_price) / A_MILLION
        return replace(self, cost=cost)


@dataclass(frozen=True, slots=True)
class DayOfUsage:
    """What a user used on a day, for one purpose and of one model."""

    user_id: str
    day: date
    usage: Usage


class Budget(StrEnum):
    """Whose tokens: a user's own, or those of all users together."""

    USER = "user"
    ALL = "all"


class Stage(StrEnum):
    """How much of them: most, or all."""

    NEAR = "near"
    USED_UP = "used_up"


_INSERT = insert(table_of(UsageRow))
_ADD = _INSERT.on_conflict_do_update(
    index_elements=table_of(UsageRow).primary_key,
    set_={
        **{
            name: table_of(UsageRow).c[name] + _INSERT.excluded[name]
            for name in ("calls", "tokens_in", "tokens_out", "cost")
        },
        "tariff": _INSERT.excluded["tariff"],
    },
)


def add(session: Session, user_id: str, day: date, usage: Usage) -> None:
    """Add to a user's day."""
    used = asdict(usage) | {"user_id": user_id, "day": day.isoformat()}
    session.execute(_ADD, used)


def since(session: Session, day: date, *, user_id: str | None = None) -> Sequence[DayOfUsage]:
    """What all users used from that day on, or one of them, the oldest first."""
    query = select(UsageRow).where(UsageRow.day >= day.isoformat())
    if user_id is not None:
        query = query.where(UsageRow.user_id == user_id)
    rows = session.scalars(
        query.order_by(UsageRow.day, UsageRow.user_id, UsageRow.purpose, UsageRow.model)
    )
    return [DayOfUsage(row.user_id, date.fromisoformat(row.day), read(row)) for row in rows]


def calls(session: Session, user_id: str, day: date, purposes: Sequence[str]) -> int:
    """How many calls were made for a user on a day, for these purposes."""
    made = session.scalar(
        select(func.sum(UsageRow.calls)).where(
            UsageRow.user_id == user_id,
            UsageRow.day == day.isoformat(),
            UsageRow.purpose.in_(purposes),
        )
    )
    return made or 0


def days(session: Session, user_id: str, purpose: str) -> Sequence[date]:
    """The days on which calls were made for a user for this purpose, the oldest first."""
    found = session.scalars(
        select(UsageRow.day)
        .where(UsageRow.user_id == user_id, UsageRow.purpose == purpose)
        .distinct()
        .order_by(UsageRow.day)
    )
    return [date.fromisoformat(day) for day in found]


def tokens(session: Session, day: date, *, user_id: str | None = None) -> int:
    """How many tokens that may cost something all users used on a day, or one of them."""
    query = select(func.sum(UsageRow.tokens_in + UsageRow.tokens_out)).where(
        UsageRow.day == day.isoformat(), UsageRow.tariff != Tariff.FREE
    )
    if user_id is not None:
        query = query.where(UsageRow.user_id == user_id)
    return session.scalar(query) or 0


def read(row: UsageRow) -> Usage:
    """The usage that a row holds."""
    told = values_of(Usage, row)
    told["tariff"] = Tariff(row.tariff)
    return Usage(**told)


def note_told(session: Session, user_id: str, day: date, budget: Budget, stage: Stage) -> bool:
    """Note that a user is told now; False when they were told that before, or more."""
    for known in (stage, Stage.USED_UP):
        if session.get(BudgetNoticeRow, (user_id, day.isoformat(), budget, known)):
            return False
    session.add(BudgetNoticeRow(user_id=user_id, day=day.isoformat(), budget=budget, stage=stage))
    return True
