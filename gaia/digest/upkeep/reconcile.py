"""Reconciles memories: of two that are much alike, one may give way.

A model only judges; `pairs` decides, and no word of an answer gets into a memory. What was
changed or forgotten while the model was asked is left alone.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from gaia.core.budgets import Budgets, Spending
from gaia.digest.calls import Calls
from gaia.digest.undo import Deed, Entry, stored
from gaia.digest.upkeep import pairs
from gaia.digest.upkeep.pairs import Pair
from gaia.digest.verify import Effect
from gaia.memory import ledger
from gaia.memory.extraction import AskModel, Reader
from gaia.memory.protocols import Neighbour
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store import upkeep_runs, usage
from gaia.store.engine import Database
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

RECONCILE = "reconcile"

SAME_WORDS = "same words"
"""The runs of a small model's nights: what it cannot judge is compared once another model can."""

MOST_LOOKED_UP = 200
"""New memories that one run looks up in the index; the others wait for the next night."""

NEIGHBOURS = 10
"""Memories that one is compared with, at most."""

Nearest = Callable[[str, str, int], Awaitable[Sequence[Neighbour]]]


class Reconciler:
    """Reconciles the memories of one user at a time."""

    def __init__(
        self,
        *,
        database: Database,
        nearest: Nearest,
        reader: Swappable[Reader],
        spending: Spending,
        budgets: Budgets,
        clock: Clock,
        settings: Swappable[Settings],
    ) -> None:
        self._database = database
        self._nearest = nearest
        self._reader = reader
        self._calls = Calls(database, spending, budgets, clock, settings)
        self._clock = clock
        self._settings = settings

    async def reconcile(self, user_id: str) -> int:
        """Compare what is new with what is known; returns how many memories gave way.

        Raises:
            IndexUnavailableError: The index cannot be asked.
            ModelError: The model gave no answer.
        """
        with self._reader.lease() as reader:
            job = SAME_WORDS if reader.ask.is_small else RECONCILE
            before, _ = await self._database.read(upkeep_runs.last_look, user_id, job)
            found, seen_to = await self._look(user_id, before)
            if seen_to == before and not found:
                return 0
            effects = {each.numbers: Effect.SAME for each in found if each.has_same_words}
            asked = [each for each in found if each.numbers not in effects]
            if reader.ask.is_small:
                found = [each for each in found if each.numbers in effects]
            elif asked:
                if await self._database.read(self._calls.used_up, user_id, reader.ask.tariff):
                    logger.info("memories of %s are compared another night", user_id)
                    return 0
                effects |= await self._judge(reader.ask, user_id, asked)
        now = self._clock.now()
        return await self._database.write(_write, user_id, job, found, seen_to, effects, now)

    async def _look(self, user_id: str, seen_to: int) -> tuple[Sequence[Pair], int]:
        """The pairs of memories beyond `seen_to`, and up to which they were looked for."""
        settings = self._settings.value.memory.upkeep
        found: list[Pair] = []
        new = await self._database.read(pairs.unseen, user_id, seen_to, MOST_LOOKED_UP)
        for memory in new:
            neighbours = await self._nearest(user_id, memory.text, NEIGHBOURS)
            near = [n.memory_id for n in neighbours if n.similarity > settings.near_above]
            more = await self._database.read(pairs.pairs_with, user_id, memory, near)
            found += more[: settings.most_pairs - len(found)]
            if len(found) == settings.most_pairs:
                break
            seen_to = memory.memory_id
        return found, seen_to

    async def _judge(
        self, ask: AskModel, user_id: str, asked: Sequence[Pair]
    ) -> Mapping[tuple[int, int], Effect]:
        question = pairs.question(asked)
        told = await self._calls.make(
            ask,
            usage.UPKEEP,
            lambda _: user_id,
            partial(ask, pairs.INSTRUCTIONS, question, pairs.SHAPE, purpose=usage.UPKEEP),
        )
        return pairs.effects_of(told, asked)


def _write(
    session: Session,
    user_id: str,
    job: str,
    found: Sequence[Pair],
    seen_to: int,
    effects: Mapping[tuple[int, int], Effect],
    now: datetime,
) -> int:
    done: list[Entry] = []
    still = [
        pair
        for pair in found
        if pairs.is_unchanged(session, pair.earlier) and pairs.is_unchanged(session, pair.later)
    ]
    pairs.note_compared(session, user_id, still)
    gone: set[int] = set()
    for pair in still:
        chosen = pairs.gives_way(pair, effects.get(pair.numbers))
        if chosen is None or not gone.isdisjoint(pair.numbers):
            continue
        loser, heir = chosen
        ledger.give_way(session, user_id, loser.memory_id, heir.memory_id, now)
        gone.add(loser.memory_id)
        done.append(Entry(Deed.ENDED, loser.memory_id))
    upkeep_runs.add(session, user_id, job, stored(done), now, seen_to=seen_to)
    return len(done)
