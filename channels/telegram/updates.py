"""How updates arrive: gaia polls, or Telegram calls its webhook.

The library's own `Updater` is not used. Its loop ends for good when Telegram refuses
the token once; a stop waits out its pauses, of half a minute, and leaves a commit
behind; nobody is told of timeouts.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial

from telegram import WebhookInfo
from telegram.error import Conflict, TelegramError, TimedOut

from channels.base.http import RefusedRequests
from channels.telegram.api import Api, FloodError, Json, StatusError, TelegramCondition, Timing
from channels.telegram.events import CHANNEL
from channels.telegram.intake import Intake
from channels.telegram.translation import ALLOWED_UPDATES
from gaia.clock import retry, within
from gaia.errors import StoreError
from gaia.messages import HookAnswer, HookRequest
from gaia.ports import Clock

logger = logging.getLogger(__name__)

HEADER = "x-telegram-bot-api-secret-token"


class Poller:
    """Asks Telegram for updates and hands them to the intake one after the other; each is
    acknowledged once it is stored."""

    def __init__(
        self, api: Api, intake: Intake, condition: TelegramCondition, clock: Clock, timing: Timing
    ) -> None:
        self._api = api
        self._intake = intake
        self._condition = condition
        self._clock = clock
        self._timing = timing
        self._offset: int | None = None
        self._may_have_webhook = True
        self._waits = False

    async def run(self) -> None:
        """Poll until cancelled."""
        while True:
            updates = await retry(
                self._clock,
                self._poll,
                self._timing.pauses(),
                (TelegramError, TimeoutError),
                self._poll_failed,
            )
            self._waits = True
            self._condition.ok()
            for update in updates:
                await self._store(update)
                self._offset = _id(update) + 1

    async def _poll(self) -> Sequence[Json]:
        if self._may_have_webhook:
            # With a webhook set, Telegram refuses polls.
            await self._api.delete_webhook(drop_pending_updates=False)
            self._may_have_webhook = False
        # The first poll after a fault does not wait: its answer says that all is well.
        seconds = self._timing.poll if self._waits else 0
        polling = self._api.updates(self._offset, ALLOWED_UPDATES, seconds=seconds)
        updates = await within(self._clock, self._timing.stall, polling)
        return _checked(updates)

    async def _poll_failed(self, exc: Exception, pauses: Iterator[float]) -> float:
        if isinstance(exc, TimedOut) or not isinstance(exc, TelegramError):
            self._waits = False
            await self._judge_silence()
            return next(pauses)
        self._condition.failed(exc)
        pause = self._pause(exc, pauses)
        self._condition.expect_silence(pause)
        return pause

    async def _judge_silence(self) -> None:
        """Report a poll that ended without an answer or an error. If Telegram answers
        another request, polling is what hangs; if it does not, nobody can be asked."""
        try:
            await within(self._clock, self._timing.stall, self._api.get_me())
        except TelegramError as exc:
            self._condition.failed(exc)
        except TimeoutError:
            self._condition.stalled("Telegram answers nothing, and the requests do not end")
        else:
            self._condition.stalled("polling has stalled: a poll did not come back")

    def _pause(self, exc: TelegramError, pauses: Iterator[float]) -> float:
        """Choose how long to wait after a poll that failed."""
        # A poll that does not wait ends the other's and is not ended by it: it proves nothing.
        self._waits = self._may_have_webhook = isinstance(exc, Conflict)
        match exc:
            case Conflict():
                return self._timing.conflict
            case FloodError():
                return exc.seconds
            case _:
                return next(pauses)

    async def _store(self, update: Json) -> None:
        """Return once the update is stored, or need not be."""

        async def failed(exc: StoreError, pauses: Iterator[float]) -> float:
            pause = next(pauses)
            self._condition.stored(succeeded=False)
            logger.error(
                "update %d cannot be stored, next try in %.0f s: %s", _id(update), pause, exc
            )
            return pause

        take = partial(self._intake.take, update)
        await retry(self._clock, take, self._timing.pauses(), StoreError, failed)
        self._condition.stored(succeeded=True)


def _checked(updates: object) -> Sequence[Json]:
    """Return the updates in the answer to a poll. An answer that has only something else
    is a fault of the server: if it passed for a good one, gaia would ask for the same
    again at once."""
    if not isinstance(updates, list):
        raise StatusError(200)
    sound = [each for each in updates if isinstance(each, dict) and _has_id(each)]
    if len(sound) < len(updates):
        logger.error("%d updates without an id are set aside", len(updates) - len(sound))
    if updates and not sound:
        raise StatusError(200)
    return sound


def _has_id(update: Mapping[str, object]) -> bool:
    update_id = update.get("update_id")
    return type(update_id) is int and update_id >= 0


def _id(update: Mapping[str, object]) -> int:
    update_id = update["update_id"]
    assert isinstance(update_id, int)
    return update_id


def secret_of(token: str) -> str:
    """Return the secret that Telegram shows with each request: known to who has the token."""
    return hmac.new(token.encode(), b"gaia webhook of telegram", hashlib.sha256).hexdigest()


def address_of(public_url: str) -> str:
    """Return where Telegram is to call a gaia that is reached at `public_url`."""
    return f"{public_url.rstrip('/')}/hooks/{CHANNEL}"


class Webhook:
    """Registers the webhook and answers its requests.

    It checks the registration now and again: whoever has the token can change it.
    """

    def __init__(
        self,
        api: Api,
        intake: Intake,
        condition: TelegramCondition,
        clock: Clock,
        timing: Timing,
        *,
        public_url: str,
        token: str,
    ) -> None:
        self._api = api
        self._intake = intake
        self._condition = condition
        self._clock = clock
        self._refused = RefusedRequests(logger, "Telegram's webhook", clock)
        self._timing = timing
        self._url = address_of(public_url)
        self._secret = secret_of(token)
        self._is_registered = False

    async def run(self) -> None:
        """Keep the webhook registered until cancelled."""
        while True:
            await retry(
                self._clock, self._check, self._timing.pauses(), TelegramError, self._check_failed
            )
            await self._clock.sleep(self._timing.webhook_check)

    async def hook(self, request: HookRequest) -> HookAnswer:
        """Take an update. 200 says that it is stored; Telegram repeats it otherwise."""
        shown = request.headers.get(HEADER, "")
        if not hmac.compare_digest(shown.encode(), self._secret.encode()):
            self._refused.note("it does not show Telegram's secret")
            return HookAnswer(403)
        if request.method != "POST" or request.path:
            return HookAnswer(404)
        try:
            update = json.loads(request.body)
        except ValueError:
            update = None
        if not isinstance(update, dict):
            return HookAnswer(400)
        try:
            await self._intake.take(update)
        except StoreError as exc:
            self._condition.stored(succeeded=False)
            logger.error("an update cannot be stored, Telegram will repeat it: %s", exc)
            return HookAnswer(503)
        self._condition.stored(succeeded=True)
        return HookAnswer(200)

    async def _check_failed(self, exc: TelegramError, pauses: Iterator[float]) -> float:
        self._condition.failed(exc)
        return exc.seconds if isinstance(exc, FloodError) else next(pauses)

    async def _check(self) -> None:
        if not self._is_registered:
            await self._register()
        info = await self._api.get_webhook_info()
        if info.url != self._url:
            self._is_registered = False
            self._condition.troubled("another process took the webhook of this token, or set none")
            await self._register()
        elif (complaint := self._recent_complaint(info)) is not None:
            self._condition.troubled(f"Telegram cannot deliver to {self._url}: {complaint}")
        else:
            self._condition.ok()

    async def _register(self) -> None:
        await self._api.set_webhook(
            self._url,
            secret_token=self._secret,
            allowed_updates=ALLOWED_UPDATES,
            drop_pending_updates=False,
        )
        self._is_registered = True
        logger.info("Telegram calls %s", self._url)

    def _recent_complaint(self, info: WebhookInfo) -> str | None:
        """Return what went wrong when Telegram last called, if something still waits there."""
        if not info.pending_update_count or info.last_error_date is None:
            return None
        age = self._clock.now() - info.last_error_date
        if age > timedelta(seconds=2 * self._timing.webhook_check):
            return None
        return info.last_error_message or "for a cause that it does not tell"
