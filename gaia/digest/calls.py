"""Calls of the models that gaia learns with: bounded by the budgets of a day, and counted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from sqlalchemy.orm import Session

from gaia.core.budgets import SETTINGS, Budgets, Spending
from gaia.errors import FailedCallError
from gaia.memory.extraction import AskModel
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store import usage
from gaia.store.engine import Database
from gaia.store.usage import Tariff, Usage
from gaia.swappable import Swappable

T = TypeVar("T")

Payer = Callable[[Session], str | None]
"""Tells for which user a call is made, at the time when it is counted; None once they are gone."""


class Calls:
    """Makes calls, for whoever reads sessions or compares memories."""

    def __init__(
        self,
        database: Database,
        spending: Spending,
        budgets: Budgets,
        clock: Clock,
        settings: Swappable[Settings],
    ) -> None:
        self._database = database
        self._spending = spending
        self._budgets = budgets
        self._clock = clock
        self._settings = settings

    def used_up(self, session: Session, user_id: str, tariff: Tariff) -> str | None:
        """The setting that allows no call for the user any more today."""
        today = self._clock.now().astimezone().date()
        made = usage.calls(session, user_id, today, usage.LEARNING)
        if made >= self._settings.value.memory.calls_per_day:
            return "memory.calls_per_day"
        if tariff is Tariff.FREE:
            return None
        budget = self._budgets.used_up(session, user_id)
        return None if budget is None else SETTINGS[budget]

    async def make(
        self,
        ask: AskModel,
        purpose: str,
        payer: Payer,
        call: Callable[[], Awaitable[tuple[T, Usage]]],
    ) -> T:
        """What a call comes to, which tells what it cost. It is counted before it is made: one
        whose answer cannot be kept, because the disk is full, is not made again and again."""
        one = Usage(ask.name, purpose, 1, 0, 0, ask.tariff)
        await self._database.write(self._count, payer, one)
        try:
            result, used = await call()
        except FailedCallError as exc:
            used = replace(one, tokens_in=exc.tokens_in, tokens_out=exc.tokens_out)
            await self._database.write(self._count, payer, replace(used, calls=0))
            raise
        used = replace(used, calls=used.calls - 1, tariff=ask.tariff)
        await self._database.write(self._count, payer, used)
        return result

    def _count(self, session: Session, payer: Payer, used: Usage) -> None:
        user_id = payer(session)
        if user_id is not None:
            self._spending.add(session, user_id, used)
