"""Reading: a sealed session goes to the model window by window, and is kept as it is read.

A window that was read is committed, so that no crash asks for it again. Nothing is awaited of
a model within a transaction: what was read of a session that changed meanwhile is dropped and
read again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import TypeVar

from sqlalchemy.orm import Session

from gaia.clock import Deadline
from gaia.core.budgets import Budgets, Spending, next_day
from gaia.core.turns import Turns
from gaia.digest import outcome, proposals
from gaia.digest.calls import Calls
from gaia.digest.check import Claim, claims, summary
from gaia.digest.outcome import Sealed
from gaia.digest.verify import UNASKED, Verdicts, verify
from gaia.digest.windows import cut
from gaia.errors import ModelError, ModelTooLongError, UnknownUserError
from gaia.memory.extraction import AskModel, Checked, Extraction, Offer, Reader, Window
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store import digests, usage
from gaia.store.digests import Digest
from gaia.store.engine import Database
from gaia.store.usage import Usage
from gaia.swappable import Swappable
from gaia.zones import zone_of

T = TypeVar("T")

logger = logging.getLogger(__name__)

Known = Callable[[str, Window, Sequence[Checked], str], Awaitable[Sequence[Offer]]]
"""From a user, a window and what was read in those before to what is known of it already."""

CALLS_AT_ONCE = 2
"""Windows that are read at the same time, of all users."""

WINDOW_SECONDS = 3600.0
"""Far more than a window takes: the model's own calls have bounds of their own."""

AT_ONCE = timedelta(0)

FORGETTING = timedelta(seconds=30)
"""The pause of a digest whose user has something forgotten: until that is carried out its
session may still tell it."""


class WindowReader:
    """Reads the sealed sessions of all users.

    A small model runs on this machine: where it is asked, it gives way to turns.
    """

    def __init__(
        self,
        *,
        database: Database,
        reader: Swappable[Reader],
        known: Known,
        turns: Turns,
        clock: Clock,
        settings: Swappable[Settings],
        spending: Spending,
        budgets: Budgets,
    ) -> None:
        self._database = database
        self._reader = reader
        self._known = known
        self._turns = turns
        self._clock = clock
        self._settings = settings
        self._calls = Calls(database, spending, budgets, clock, settings)
        self._slots = asyncio.Semaphore(CALLS_AT_ONCE)
        self._one_small = asyncio.Semaphore(1)
        self._over_budget: dict[str, tuple[date, str]] = {}

    @property
    def over_budget(self) -> Mapping[str, str]:
        """The users whose digests wait for the next day, and the setting that they wait for."""
        today = self._clock.now().astimezone().date()
        return {
            user_id: setting
            for user_id, (day, setting) in self._over_budget.items()
            if day == today
        }

    async def step(self, digest: Digest) -> timedelta:
        """Read the next window of a digest, or find that all are read; returns after which
        time there is more to do.

        Raises:
            ModelError: The model gave no answer.
            UnusableExtractionError: It gave none that can be used.
            TimeoutError: It took longer than can be.
        """
        with self._reader.lease() as reader:
            async with self._one_small if reader.ask.is_small else self._slots:
                return await self._step(digest, reader)

    async def _step(self, digest: Digest, reader: Reader) -> timedelta:
        # Not before its turn has come: what is forgotten while it waits goes to no model.
        try:
            sealed = await self._database.read(outcome.load, digest)
        except UnknownUserError:
            return AT_ONCE
        if sealed is None:
            await self._database.write(digests.read_again, digest.digest_id)
            return AT_ONCE
        if sealed.mark is None:
            return FORGETTING
        if not sealed.rest:
            await self._database.write(outcome.end, digest, sealed)
            return AT_ONCE
        if reader.extractor.asks_model:
            wait = await self._wait_for_budget(digest.user_id, reader.ask)
            if wait:
                return wait
        # It measures every turn that is left, of which there may be thousands.
        tokens = reader.extractor.window_tokens
        window = await asyncio.to_thread(_next_window, sealed, tokens)
        offers = await self._known(digest.user_id, window, sealed.read, digest.context)
        try:
            extraction = await self._extract(digest, reader, window, offers)
        except ModelTooLongError:
            if reader.extractor.window_tokens < tokens:
                # Its host has said how much it takes: the next window is a shorter one.
                return AT_ONCE
            raise
        found = await asyncio.to_thread(claims, extraction, window, offers)
        verdicts = await self._verify(digest, reader.ask, window, found.found)
        told = summary(extraction.summary, window)
        hour = self._settings.value.memory.reminder_hour
        checked = await asyncio.to_thread(
            proposals.checked, found, verdicts, told, window.zone, hour
        )
        now = self._clock.now()
        await self._database.write(outcome.keep, digest, sealed, window, checked, now)
        logger.info(
            "digest %d: window %d of %d, %d proposals, refused %s",
            digest.digest_id,
            window.number,
            window.of,
            len(checked.proposals),
            dict(checked.refused),
        )
        return AT_ONCE

    async def _extract(
        self, digest: Digest, reader: Reader, window: Window, offers: Sequence[Offer]
    ) -> Extraction:
        extract = partial(reader.extractor.extract, window, offers)
        if reader.extractor.asks_model:
            return await self._call(digest, reader.ask, extract)
        return (await extract()).extraction

    async def _verify(
        self, digest: Digest, ask: AskModel, window: Window, found: Sequence[Claim]
    ) -> Verdicts:
        if ask.is_small:
            # One that runs on this machine cannot judge.
            return UNASKED
        if not found:
            return Verdicts()
        try:
            return await self._call(digest, ask, partial(verify, ask, window, found))
        except ModelError as exc:
            logger.warning(
                "digest %d: what was found is not verified: %s", digest.digest_id, exc.bare
            )
            return Verdicts()

    async def _call(
        self, digest: Digest, ask: AskModel, call: Callable[[], Awaitable[tuple[T, Usage]]]
    ) -> T:
        async def bounded() -> tuple[T, Usage]:
            async with Deadline(self._clock, WINDOW_SECONDS) as deadline:
                return await deadline.step(call())

        async def made() -> tuple[T, Usage]:
            return await (self._turns.give_way(bounded) if ask.is_small else bounded())

        def payer(session: Session) -> str | None:
            present = digests.get(session, digest.digest_id)
            return None if present is None else present.user_id

        return await self._calls.make(ask, usage.DIGEST, payer, made)

    async def _wait_for_budget(self, user_id: str, ask: AskModel) -> timedelta:
        """How long until the user's budget allows a call."""
        setting = await self._database.read(self._calls.used_up, user_id, ask.tariff)
        if setting is None:
            self._over_budget.pop(user_id, None)
            return AT_ONCE
        now = self._clock.now()
        if user_id not in self.over_budget:
            logger.info("the digests of %s wait for tomorrow: %s is used up", user_id, setting)
        self._over_budget[user_id] = now.astimezone().date(), setting
        return next_day(now) - now


def _next_window(sealed: Sealed, tokens: int) -> Window:
    before = [turn for turn in sealed.turns if turn.archive_id <= sealed.last]
    windows = cut(
        sealed.rest,
        tokens=tokens,
        user_name=sealed.user.name,
        in_group=sealed.user.is_group,
        zone=zone_of(sealed.user.zone),
        read=len(sealed.read),
        before=before[-1] if before else None,
    )
    return replace(windows[0], so_far=sealed.read[-1].summary if sealed.read else "")
