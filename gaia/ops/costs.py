"""Costs: what model calls of some days used and cost, added up by one subject.

A cost is an estimate by the prices of the settings at the time. Of tokens whose price was
not known then, how many there are is told instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from gaia.ops.report import Report

if TYPE_CHECKING:
    from gaia.settings.schema import CostsSettings
    from gaia.store.usage import DayOfUsage


class By(StrEnum):
    """What is added up: one line for each."""

    USER = "user"
    PURPOSE = "purpose"
    MODEL = "model"
    DAY = "day"


class Line(Report):
    """What was used of one subject. `unpriced` of its tokens have no part in its cost."""

    subject: str
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    unpriced: int = 0

    @property
    def known_cost(self) -> float | None:
        """The cost as far as it is known; None when nothing of it is."""
        return None if self.unpriced and not self.cost else self.cost


class Prices(Report):
    """What costs are told in, and whether the settings have a price at all."""

    currency: str
    are_set: bool


class Costs(Report):
    """The costs of the days from `since` to `until`, both included. `prices` are those of the
    daemon that told them."""

    since: date
    until: date
    by: By
    lines: tuple[Line, ...]
    total: Line
    prices: Prices | None = None


def prices_of(settings: CostsSettings) -> Prices:
    """The prices as costs tell them."""
    are_set = bool(settings.input_price or settings.output_price)
    return Prices(currency=settings.currency, are_set=are_set)


def first_day(until: date, days: int) -> date:
    """The first of so many days."""
    return until - timedelta(days=days - 1)


def add_up(
    used: Sequence[DayOfUsage], names: Mapping[str, str], *, by: By, since: date, until: date
) -> Costs:
    """The costs by user, purpose or model, those who used most first, or by day, the oldest
    first. `names` are those of users by their ids."""
    subject_of: dict[By, Callable[[DayOfUsage], str]] = {
        By.USER: lambda each: names.get(each.user_id, each.user_id),
        By.PURPOSE: lambda each: each.usage.purpose,
        By.MODEL: lambda each: each.usage.model,
        By.DAY: lambda each: each.day.isoformat(),
    }
    grouped: dict[str, list[DayOfUsage]] = {}
    for each in used:
        grouped.setdefault(subject_of[by](each), []).append(each)
    lines = [_line(subject, group) for subject, group in grouped.items()]
    if by is By.DAY:
        lines.sort(key=lambda line: line.subject)
    else:
        lines.sort(key=lambda line: (-line.tokens_in - line.tokens_out, line.subject))
    total = _line("total", used)
    return Costs(since=since, until=until, by=by, lines=tuple(lines), total=total)


def _line(subject: str, used: Iterable[DayOfUsage]) -> Line:
    usages = [each.usage for each in used]
    return Line(
        subject=subject,
        calls=sum(each.calls for each in usages),
        tokens_in=sum(each.tokens_in for each in usages),
        tokens_out=sum(each.tokens_out for each in usages),
        cost=sum(each.cost for each in usages),
        unpriced=sum(each.tokens for each in usages if not each.has_price),
    )
