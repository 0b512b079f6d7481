"""The Telegram channel: it wires its parts anew each time that it serves."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from telegram.error import TelegramError
from telegram.warnings import PTBDeprecationWarning

from channels.background import Background
from channels.formatting import telegram_html
from channels.formatting.characters import utf16_length
from channels.gates import Gates
from channels.telegram.addressing import Me
from channels.telegram.api import Api, FloodError
from channels.telegram.chats import CHANNEL
from channels.telegram.condition import Condition
from channels.telegram.courtesies import Courtesies
from channels.telegram.faults import describe
from channels.telegram.files import Files
from channels.telegram.intake import Intake
from channels.telegram.polling import Poller
from channels.telegram.sending import Sender
from channels.telegram.timing import Timing
from channels.telegram.typing_action import TypingAction
from channels.telegram.webhook import Webhook
from channels.typing_indicator import TypingIndicator
from gaia.errors import AttachmentError, UnreachableError
from gaia.messages import (
    REPEAT_MARK,
    Attachment,
    Health,
    HookAnswer,
    HookRequest,
    Outbound,
    TurnEvent,
)
from gaia.ports import Clock, Gateway
from gaia.settings.schema import TelegramSettings

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Service:
    """What works while the channel serves."""

    sender: Sender
    typing: TypingIndicator[TelegramError]
    files: Files


class TelegramChannel:
    """Implements `gaia.ports.Channel` and `gaia.ports.Hooked` for one bot."""

    name = CHANNEL
    settles = True
    reports = False

    def __init__(
        self, settings: TelegramSettings, token: str, clock: Clock, timing: Timing | None = None
    ) -> None:
        self._settings = settings
        self._token = token
        self._clock = clock
        self._timing = timing or Timing()
        self._polls = settings.mode == "polling"
        self._gates = Gates[int](clock)
        self._condition = Condition(
            clock, stall_seconds=self._timing.stall if self._polls else None
        )
        self._service: _Service | None = None
        self._webhook: Webhook | None = None
        self._refused_chats: set[str] = set()

    async def serve(self, gateway: Gateway) -> None:
        """Receive and send until cancelled."""
        # The library warns of its own future while it reads an update.
        warnings.filterwarnings("ignore", category=PTBDeprecationWarning)
        api = Api(self._token, self._settings.base_url, self._timing)
        background = Background(CHANNEL, TelegramError, describe)
        clock, timing, gates = self._clock, self._timing, self._gates
        self._condition.begin()
        self._service = _Service(
            Sender(
                api,
                gates,
                self._condition,
                timing,
                moved=gateway.moved,
                file=gateway.file,
            ),
            TypingIndicator(
                TypingAction(api, gates).show_for, background, clock, seconds=timing.typing
            ),
            Files(api, clock, timing),
        )
        try:
            self._wake_refused(gateway)
            me = await self._meet(api)
            intake = Intake(gateway, me, Courtesies(api, gates, background), clock)
            await self._receive(api, intake)
        finally:
            self._service = self._webhook = None
            self._condition.end()
            await background.close()
            await api.close_connections()

    def split(self, text: str) -> Sequence[str]:
        """Chunks of Telegram's HTML."""
        return telegram_html.split(text, room=utf16_length(REPEAT_MARK))

    def takes(self, media_type: str) -> bool:
        """Telegram takes every kind of file."""
        return True

    async def send(self, outbound: Outbound) -> str:
        if self._service is None:
            self._refused_chats.add(outbound.chat)
            raise UnreachableError("the Telegram channel does not serve at the moment")
        return await self._service.sender.send(outbound)

    async def fetch(self, attachment: Attachment, *, limit_bytes: int) -> bytes:
        if self._service is None:
            raise AttachmentError("the Telegram channel does not serve at the moment")
        return await self._service.files.fetch(attachment, limit_bytes)

    def watch(self, event: TurnEvent) -> None:
        """Show typing while a turn runs."""
        if self._service is not None:
            self._service.typing.watch(event)

    def health(self) -> Health:
        return self._condition.health()

    async def hook(self, request: HookRequest) -> HookAnswer:
        """Take an update in webhook mode."""
        if self._polls:
            return HookAnswer(404)
        if self._webhook is None:
            return HookAnswer(503)
        return await self._webhook.hook(request)

    async def _meet(self, api: Api) -> Me:
        """Who the bot is. Waits until Telegram can be asked."""
        for pause in self._timing.pauses():
            try:
                bot = await api.get_me()
            except TelegramError as exc:
                self._condition.failed(exc)
                wait = exc.seconds if isinstance(exc, FloodError) else pause
                self._condition.rests(wait)
                await self._clock.sleep(wait)
            else:
                logger.info("on Telegram as @%s", bot.username)
                return Me(bot.id, bot.username or "")
        raise AssertionError("pauses end")

    async def _receive(self, api: Api, intake: Intake) -> None:
        clock, timing, condition = self._clock, self._timing, self._condition
        if self._polls:
            await Poller(api, intake, condition, clock, timing).run()
        else:
            self._webhook = Webhook(
                api,
                intake,
                condition,
                clock,
                timing,
                public_url=self._settings.webhook_url,
                token=self._token,
            )
            await self._webhook.run()

    def _wake_refused(self, gateway: Gateway) -> None:
        for chat in self._refused_chats:
            gateway.reachable(chat)
        self._refused_chats.clear()
