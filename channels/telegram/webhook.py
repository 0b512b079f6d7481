"""Webhook mode: Telegram calls gaia. Where it shall call is registered, and looked
after, since whoever has the token can change it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
from datetime import timedelta

from telegram import WebhookInfo
from telegram.error import TelegramError

from channels.refused_requests import RefusedRequests
from channels.telegram.api import Api, FloodError
from channels.telegram.chats import CHANNEL
from channels.telegram.condition import Condition
from channels.telegram.intake import Intake
from channels.telegram.timing import Timing
from channels.telegram.translation import ALLOWED_UPDATES
from gaia.errors import StoreError
from gaia.messages import HookAnswer, HookRequest
from gaia.ports import Clock

logger = logging.getLogger(__name__)

HEADER = "x-telegram-bot-api-secret-token"


def secret_of(token: str) -> str:
    """The secret that Telegram shows with each request: known to who has the token."""
    return hmac.new(token.encode(), b"gaia webhook of telegram", hashlib.sha256).hexdigest()


def address_of(public_url: str) -> str:
    """Where Telegram is to call a gaia that is reached at `public_url`."""
    return f"{public_url.rstrip('/')}/hooks/{CHANNEL}"


class Webhook:
    """Registers the webhook and answers its requests."""

    def __init__(
        self,
        api: Api,
        intake: Intake,
        condition: Condition,
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
        pauses = self._timing.pauses()
        while True:
            try:
                await self._look_after()
            except TelegramError as exc:
                self._condition.failed(exc)
                wait = exc.seconds if isinstance(exc, FloodError) else next(pauses)
            else:
                pauses, wait = self._timing.pauses(), self._timing.webhook_check
            await self._clock.sleep(wait)

    async def hook(self, request: HookRequest) -> HookAnswer:
        """Take an update; 200 says that it is stored, and Telegram repeats it otherwise."""
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

    async def _look_after(self) -> None:
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
            self._condition.well()

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
        """What went wrong when Telegram last called, if something still waits there."""
        if not info.pending_update_count or info.last_error_date is None:
            return None
        age = self._clock.now() - info.last_error_date
        if age > timedelta(seconds=2 * self._timing.webhook_check):
            return None
        return info.last_error_message or "for a cause that it does not tell"
