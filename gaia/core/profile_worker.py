"""Profiling: keeps each user's profile in step with their memory, beside the turns.

A profile is made again when what it is made from has changed. Where there are more memories
than it has room for, one call of a model chooses among them; else it is a plain list, as it is
where there is no model for it, none that answers, or no budget left today.
Who has no memories has no profile, and costs no call.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from gaia.core.budgets import Budgets, Spending
from gaia.core.workers import Workers
from gaia.errors import ModelError, UnknownUserError, UnusableExtractionError
from gaia.memory import profile
from gaia.memory.extraction import Reader
from gaia.memory.memory import Memory
from gaia.memory.profile import input_hash, material, plain_profile
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store import profiles, usage
from gaia.store.engine import Database
from gaia.store.people import identities
from gaia.store.profiles import Profile
from gaia.store.usage import Usage
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

CALLS_AT_ONCE = 1

AT_ONCE = timedelta(0)


class ProfileWorker:
    """Keeps the profiles of all users. `memory.preload_limit` bounds the bullets of one."""

    def __init__(
        self,
        *,
        database: Database,
        reader: Swappable[Reader],
        clock: Clock,
        settings: Swappable[Settings],
        spending: Spending,
        budgets: Budgets,
    ) -> None:
        self._database = database
        self._reader = reader
        self._clock = clock
        self._settings = settings
        self._spending = spending
        self._budgets = budgets
        self._calls = asyncio.Semaphore(CALLS_AT_ONCE)
        self._workers: Workers[str] = Workers("profiling", self._work, clock)

    @property
    def _limit(self) -> int:
        return self._settings.value.memory.preload_limit

    def wake(self, user_id: str) -> None:
        """Say that a user's memory may have changed. Ignored once nothing new is begun."""
        self._workers.wake(user_id)

    async def flush(self) -> None:
        """Return when nothing is left that could be done at once; then do no more."""
        await self._workers.flush()

    async def cancel(self) -> None:
        """Interrupt it. A turn that finds no profile does without."""
        await self._workers.cancel()

    async def _work(self, user_id: str) -> timedelta | None:
        now = self._clock.now()
        memories, known, may_ask = await self._database.read(self._read, user_id, now)
        if known is None and not memories:
            return None
        wanted = input_hash(memories, self._limit)
        if known and known.input_hash == wanted and (known.distilled or not may_ask):
            return None
        used: Usage | None = None
        profile = plain_profile(memories, self._limit)
        if memories and may_ask:
            async with self._calls:
                # What is forgotten while others have their calls goes to no model.
                if not await self._is_current(user_id, wanted):
                    return AT_ONCE
                told, used = await self._answer(memories)
            profile = self._distilled(told, memories) or profile
        return await self._database.write(self._keep, user_id, used, self._clock.now(), profile)

    def _read(
        self, session: Session, user_id: str, now: datetime
    ) -> tuple[Sequence[Memory], Profile | None, bool]:
        memories = material(session, user_id, now)
        known = profiles.get(session, user_id)
        # The embedded model takes longer than a plain list is worse.
        is_small = self._reader.value.ask.is_small
        is_choice = len(memories) > self._limit
        may_ask = is_choice and not is_small and self._has_budget(session, user_id, now)
        return memories, known, may_ask

    async def _is_current(self, user_id: str, wanted: str) -> bool:
        """Whether the user's memories are still those of that hash."""
        memories = await self._database.read(material, user_id, self._clock.now())
        return input_hash(memories, self._limit) == wanted

    async def _answer(self, memories: Sequence[Memory]) -> tuple[str | None, Usage]:
        """What the model answers, if it does, and what that has cost."""
        with self._reader.lease() as reader:
            try:
                answer = await reader.ask(
                    profile.instructions(self._limit),
                    profile.question(memories),
                    profile.shape(self._limit),
                    purpose=usage.PROFILE,
                )
            except ModelError as exc:
                logger.warning("a profile is a plain list: %s", exc.bare)
                tokens = exc.tokens_in, exc.tokens_out
                return None, Usage(reader.ask.name, usage.PROFILE, 1, *tokens, reader.ask.tariff)
        return answer.text, answer.usage

    def _distilled(self, told: str | None, memories: Sequence[Memory]) -> Profile | None:
        if told is None:
            return None
        try:
            return profile.profile_of(told, memories, self._limit)
        except UnusableExtractionError as exc:
            logger.warning("a profile is a plain list: %s", exc)
            return None

    def _keep(
        self, session: Session, user_id: str, used: Usage | None, now: datetime, profile: Profile
    ) -> timedelta | None:
        """Keep the profile, unless something of it was changed or forgotten meanwhile: then
        it is made once more."""
        try:
            identities.find(session, user_id)
        except UnknownUserError:
            logger.info("the profile's user was removed meanwhile")
            return None
        if used is not None:
            self._spending.add(session, user_id, used)
        memories = material(session, user_id, now)
        if input_hash(memories, self._limit) != profile.input_hash:
            return AT_ONCE
        if memories:
            profiles.put(session, user_id, profile, now)
        else:
            profiles.drop(session, user_id)
        return None

    def _has_budget(self, session: Session, user_id: str, now: datetime) -> bool:
        day = now.astimezone().date()
        made = usage.calls(session, user_id, day, usage.LEARNING)
        if made >= self._settings.value.memory.calls_per_day:
            return False
        return self._budgets.used_up(session, user_id) is None
