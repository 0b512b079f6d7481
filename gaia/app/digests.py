"""Builds what gaia learns by itself with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gaia.commands.remember import Announcing
from gaia.core.budgets import Budgets, Spending
from gaia.core.delivery import Delivery
from gaia.core.turns import Turns
from gaia.current import Current
from gaia.digest.commit import Committing
from gaia.digest.read import Reading
from gaia.digest.worker import Digesting
from gaia.memory.digest.findings import Reader
from gaia.memory.digest.offers import Known
from gaia.memory.recall import Finder
from gaia.ports import Channel, Clock
from gaia.settings.schema import Settings
from gaia.store.engine import Database


def build_digests(
    settings: Current[Settings],
    reader: Current[Reader],
    *,
    finder: Finder,
    database: Database,
    channels: Mapping[str, Channel],
    delivery: Delivery,
    turns: Turns,
    spending: Spending,
    budgets: Budgets,
    learned: Callable[[str], None],
    clock: Clock,
) -> Digesting:
    """What digests sealed sessions; `finder` tells what is known, and `learned` is called
    when it changed a user's memories."""
    reading = Reading(
        database=database,
        reader=reader,
        known=Known(database, finder, clock, small=lambda: reader.now.ask.is_small),
        turns=turns,
        clock=clock,
        settings=settings,
        spending=spending,
        budgets=budgets,
    )
    committing = Committing(
        database=database,
        channels=channels,
        delivery=delivery,
        announcements=Announcing(),
        learned=learned,
        clock=clock,
    )
    return Digesting(
        database=database,
        reading=reading,
        committing=committing,
        clock=clock,
        settings=settings,
    )
