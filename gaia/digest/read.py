"""Reading: a sealed session goes to the model window by window, and is kept as it is read.

A window that was read is committed with what it cost, so that no crash asks for it again.
Nothing is awaited of a model within a transaction: what was read of a session that
changed meanwhile, because its user had something forgotten, is dropped and read again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from sqlalchemy.orm import Session

from gaia.clock import Deadline
from gaia.core.budgets import SETTINGS, Budgets, Spending, next_day
from gaia.core.turns import Turns
from gaia.digest import outcome, proposals
from gaia.digest.check import Claim, claims, summary
from gaia.digest.verify import UNASKED, Verdicts, verify
from gaia.digest.windows import cut
from gaia.errors import (
    FailedCallError,
    ModelError,
    ModelTooLongError,
    UnknownUserError,
    UnusableExtractionError,
)
from gaia.memory.extraction import AskModel, Checked, Extracted, Offer, Reader, Window
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store import archive, digests, forgets, identities, usage
from gaia.store.archive import ArchivedTurn
from gaia.store.digest_tables import DigestState
from gaia.store.digests import Digest, ReadWindow
from gaia.store.engine import Database
from gaia.store.identities import User
from gaia.store.usage import Tariff, Usage
from gaia.swappable import Swappable
from gaia.zones import zone_of

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


@dataclass(frozen=True, slots=True)
class _UsedUp:
    """The setting that lets a user's digests wait on a day."""

    day: date
    setting: str


@dataclass(frozen=True, slots=True)
class _Sealed:
    """A sealed session, and what was read of it so far, up to the turn `last`. `mark` is
    that of `forgets` at the time: None while its user has something forgotten."""

    user: User
    turns: Sequence[ArchivedTurn]
    read: Sequence[Checked]
    last: int
    mark: int | None

    @property
    def rest(self) -> Sequence[ArchivedTurn]:
        """What is to be read. Of a session without a word of the user's own nothing is:
        there is nothing in it to be learned."""
        if not any(turn.words.strip() for turn in self.turns):
            return ()
        return [turn for turn in self.turns if turn.archive_id > self.last]


class WindowReader:
    """Reads the sealed sessions of all users.

    A small model runs on this machine: it gives way to turns.
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
        self._spending = spending
        self._budgets = budgets
        self._slots = asyncio.Semaphore(CALLS_AT_ONCE)
        self._one_small = asyncio.Semaphore(1)
        self._over_budget: dict[str, _UsedUp] = {}

    @property
    def over_budget(self) -> Mapping[str, str]:
        """The users whose digests wait for the next day, and the setting that they wait for."""
        today = self._clock.now().astimezone().date()
        return {
            user_id: used_up.setting
            for user_id, used_up in self._over_budget.items()
            if used_up.day == today
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
        sealed = await self._load(digest)
        if sealed is None:
            return AT_ONCE
        if sealed.mark is None:
            return FORGETTING
        if not sealed.rest:
            await self._end(digest, sealed)
            return AT_ONCE
        wait = await self._wait_for_budget(digest.user_id, reader.ask)
        if wait:
            return wait
        # It measures every turn that is left, of which there may be thousands.
        tokens = reader.extractor.window_tokens
        window = await asyncio.to_thread(_next_window, sealed, tokens)
        offers = await self._known(digest.user_id, window, sealed.read, digest.context)
        one_call = Usage(reader.ask.name, usage.DIGEST, 1, 0, 0, reader.ask.tariff)
        await self._count(digest, one_call)
        try:
            extracted = await self._extract(reader, window, offers)
        except FailedCallError as exc:
            failed = replace(one_call, calls=0, tokens_in=exc.tokens_in, tokens_out=exc.tokens_out)
            await self._count(digest, failed)
            if isinstance(exc, ModelTooLongError) and reader.extractor.window_tokens < tokens:
                # Its host has said how much it takes: the next window is a shorter one.
                return AT_ONCE
            raise
        found = await asyncio.to_thread(claims, extracted.extraction, window, offers)
        verdicts = await self._verify(digest, reader.ask, window, found.found)
        told = summary(extracted.extraction.summary, window)
        checked = await asyncio.to_thread(
            proposals.checked,
            found,
            verdicts,
            told,
            window.zone,
            self._settings.value.memory.reminder_hour,
        )
        used = replace(extracted.usage, tariff=reader.ask.tariff)
        await self._keep(digest, sealed, window, checked, used)
        return AT_ONCE

    async def _load(self, digest: Digest) -> _Sealed | None:
        """None when it is not to be read, or is to be read from its beginning."""
        try:
            mark, user, windows, turns = await self._database.read(_read_sealed, digest)
        except UnknownUserError:
            return None
        try:
            read = [outcome.from_json(window.outcome) for window in windows]
        except UnusableExtractionError as exc:
            logger.warning("digest %d is read again: %s", digest.digest_id, exc)
            read = []
        if len(read) != len(windows) or not _is_unbroken(windows):
            await self._database.write(digests.read_again, digest.digest_id)
            return None
        return _Sealed(user, turns, read, windows[-1].last_archive_id if windows else 0, mark)

    async def _extract(self, reader: Reader, window: Window, offers: Sequence[Offer]) -> Extracted:
        async def extract() -> Extracted:
            async with Deadline(self._clock, WINDOW_SECONDS) as deadline:
                return await deadline.step(reader.extractor.extract(window, offers))

        return await (self._turns.give_way(extract) if reader.ask.is_small else extract())

    async def _verify(
        self, digest: Digest, ask: AskModel, window: Window, found: Sequence[Claim]
    ) -> Verdicts:
        if not found or ask.is_small:
            # One that runs on this machine cannot judge.
            return UNASKED if ask.is_small else Verdicts()
        one_call = Usage(ask.name, usage.DIGEST, 1, 0, 0, ask.tariff)
        await self._count(digest, one_call)
        try:
            async with Deadline(self._clock, WINDOW_SECONDS) as deadline:
                verdicts, used = await deadline.step(verify(ask, window, found))
        except ModelError as exc:
            logger.warning(
                "digest %d: what was found is not verified: %s", digest.digest_id, exc.bare
            )
            verdicts = Verdicts()
            used = replace(one_call, tokens_in=exc.tokens_in, tokens_out=exc.tokens_out)
        await self._count(digest, replace(used, calls=used.calls - 1, tariff=ask.tariff))
        return verdicts

    async def _keep(
        self,
        digest: Digest,
        sealed: _Sealed,
        window: Window,
        checked: Checked,
        used: Usage,
    ) -> None:
        await self._count(digest, replace(used, calls=used.calls - 1))
        last = window.turns[-1].archive_id
        now = self._clock.now()
        await self._database.write(_keep_window, digest, sealed, window, last, checked, now)
        logger.info(
            "digest %d: window %d of %d, %d proposals, refused %s",
            digest.digest_id,
            window.number,
            window.of,
            len(checked.proposals),
            dict(checked.refused),
        )

    async def _end(self, digest: Digest, sealed: _Sealed) -> None:
        await self._database.write(_mark_extracted, digest, sealed)

    async def _count(self, digest: Digest, used: Usage) -> None:
        """Count a call before it is made: one whose answer cannot be kept, because the
        disk is full, is not made again and again."""
        await self._database.write(self._spend, digest, used)

    def _spend(self, session: Session, digest: Digest, used: Usage) -> None:
        present = digests.get(session, digest.digest_id)
        if present is not None:
            self._spending.add(session, present.user_id, used)

    async def _wait_for_budget(self, user_id: str, ask: AskModel) -> timedelta:
        """How long until the user's budget allows a call."""
        setting = await self._used_up(user_id, ask)
        if setting is None:
            self._over_budget.pop(user_id, None)
            return AT_ONCE
        now = self._clock.now()
        if user_id not in self.over_budget:
            logger.info("the digests of %s wait for tomorrow: %s is used up", user_id, setting)
        self._over_budget[user_id] = _UsedUp(now.astimezone().date(), setting)
        return next_day(now) - now

    async def _used_up(self, user_id: str, ask: AskModel) -> str | None:
        """The setting that allows no call for the user any more today."""
        today = self._clock.now().astimezone().date()
        return await self._database.read(self._exhausted, user_id, today, ask)

    def _exhausted(self, session: Session, user_id: str, today: date, ask: AskModel) -> str | None:
        made = usage.calls(session, user_id, today, usage.LEARNING)
        if made >= self._settings.value.memory.calls_per_day:
            return "memory.calls_per_day"
        if ask.tariff is Tariff.FREE:
            return None
        budget = self._budgets.used_up(session, user_id)
        return None if budget is None else SETTINGS[budget]


def _next_window(sealed: _Sealed, tokens: int) -> Window:
    windows = cut(
        sealed.rest,
        tokens=tokens,
        user_name=sealed.user.name,
        in_group=sealed.user.is_group,
        zone=zone_of(sealed.user.zone),
        read=len(sealed.read),
    )
    return replace(windows[0], so_far=sealed.read[-1].summary if sealed.read else "")


def _is_unbroken(windows: Sequence[ReadWindow]) -> bool:
    return [window.number for window in windows] == list(range(1, len(windows) + 1))


def _read_sealed(
    session: Session, digest: Digest
) -> tuple[int | None, User, Sequence[ReadWindow], Sequence[ArchivedTurn]]:
    mark = forgets.mark(session, digest.user_id)
    user = identities.find(session, digest.user_id)
    windows = digests.windows_of(session, digest.digest_id)
    turns = archive.of_session(session, digest.session_id)
    return mark, user, windows, turns


def _keep_window(
    session: Session,
    digest: Digest,
    sealed: _Sealed,
    window: Window,
    last: int,
    checked: Checked,
    now: datetime,
) -> None:
    present = digests.get(session, digest.digest_id)
    before = digests.windows_of(session, digest.digest_id)
    turns = archive.of_session(session, digest.session_id, after=sealed.last)
    if present is None or present.state is not DigestState.SEALED:
        return
    is_next = len(before) == window.number - 1
    # What is known of the user may have told it as well, not their words alone.
    is_next &= sealed.mark == forgets.mark(session, present.user_id)
    if not is_next or tuple(turns[: len(window.turns)]) != tuple(window.turns):
        logger.info("digest %d: its session has changed meanwhile", digest.digest_id)
        return
    read = ReadWindow(window.number, last, outcome.to_json(checked))
    digests.add_window(session, digest.digest_id, present.user_id, read, now)
    digests.succeeded(session, digest.digest_id)


def _mark_extracted(session: Session, digest: Digest, sealed: _Sealed) -> None:
    present = digests.get(session, digest.digest_id)
    turns = archive.of_session(session, digest.session_id)
    unchanged = tuple(turns) == tuple(sealed.turns)
    if present is not None and present.state is DigestState.SEALED and unchanged:
        digests.extracted(session, digest.digest_id)
