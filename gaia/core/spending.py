"""Spending: what model calls used is written down, with what it costs by the prices of now."""

from __future__ import annotations

from sqlalchemy.orm import Session

from gaia.current import Current
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store import usage
from gaia.store.usage import Usage


class Spending:
    """Writes usage, within the caller's transaction."""

    def __init__(self, settings: Current[Settings], clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    def add(self, session: Session, user_id: str, used: Usage) -> None:
        """Add to the user's day, which is one of the machine's time zone."""
        costs = self._settings.now.costs
        priced = used.at(input_price=costs.input_price, output_price=costs.output_price)
        day = self._clock.now().astimezone().date()
        usage.add(session, user_id, day, priced)
