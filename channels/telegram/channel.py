"""The Telegram channel: it makes its parts each time that it serves."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from urllib.parse import quote

import httpx
from telegram import ChatMember
from telegram.error import TelegramError
from telegram.warnings import PTBDeprecationWarning

from channels.base.background import Background, TypingIndicator
from channels.base.channel import RemoteChannel, Service
from channels.base.http import ChatBackoff, check_size, download, read_content
from channels.formatting import telegram_html
from channels.formatting.characters import utf16_length
from channels.telegram.api import Api, FloodError, Json, TelegramCondition, Timing, describe
from channels.telegram.events import CHANNEL, ChatKey
from channels.telegram.intake import Intake
from channels.telegram.sender import Sender, SideEffects, TypingAction
from channels.telegram.updates import Poller, Webhook
from channels.telegram.words import Me
from gaia.clock import retry
from gaia.errors import AttachmentError
from gaia.messages import REPEAT_MARK, Attachment, HookAnswer, HookRequest
from gaia.ports import Clock, Gateway
from gaia.settings.schema import TelegramSettings

logger = logging.getLogger(__name__)

WHOLE = re.compile(r"-?[0-9]{1,20}", re.ASCII)

CLOUD_LIMIT_MEGABYTES = 20
"""What Telegram's own servers give to bots; one's own server gives all."""


class TelegramChannel(RemoteChannel[Service, TelegramCondition]):
    """Implements `gaia.ports.Channel` and `gaia.ports.Hooked` for one bot."""

    name = CHANNEL
    reports = False

    def __init__(
        self, settings: TelegramSettings, token: str, clock: Clock, timing: Timing | None = None
    ) -> None:
        self._settings = settings
        self._token = token
        self._clock = clock
        self._timing = timing or Timing()
        self._polls = settings.mode == "polling"
        self._backoff = ChatBackoff[int](clock)
        self._webhook: Webhook | None = None
        self._api: Api | None = None
        stall_seconds = self._timing.stall if self._polls else None
        super().__init__("Telegram", TelegramCondition(clock, stall_seconds=stall_seconds))

    async def serve(self, gateway: Gateway) -> None:
        """Receive and send until cancelled."""
        # The library warns of its own future while it reads an update.
        warnings.filterwarnings("ignore", category=PTBDeprecationWarning)
        api = Api(self._token, self._settings.base_url, self._timing)
        background = Background(CHANNEL, TelegramError, describe)
        service = self._wired(api, background, gateway)
        async with self._in_service(service, gateway, background.close, api.close_connections):
            try:
                me = await self._meet(api)
                self._api = api
                side_effects = SideEffects(api, self._backoff, background)
                await self._receive(api, Intake(gateway, me, side_effects, self._clock), gateway)
            finally:
                self._webhook = self._api = None

    async def administers(self, chat: str, person: str) -> bool | None:
        """Ask Telegram whether somebody is an admin of a group. Who writes in the group's name
        is one."""
        key = ChatKey.parse(chat)
        if key is None or self._api is None or not WHOLE.fullmatch(person):
            return None
        if int(person) == key.chat_id:
            return True
        try:
            member = await self._api.get_chat_member(key.chat_id, int(person))
        except TelegramError as exc:
            logger.warning("Telegram does not say who is an admin: %s", describe(exc))
            return None
        return member.status in (ChatMember.OWNER, ChatMember.ADMINISTRATOR)

    def split(self, text: str) -> Sequence[str]:
        """Cut into chunks of Telegram's HTML."""
        return telegram_html.split(text, room=utf16_length(REPEAT_MARK))

    def takes(self, media_type: str) -> bool:
        """Telegram takes every kind of file."""
        return True

    async def hook(self, request: HookRequest) -> HookAnswer:
        """Take an update in webhook mode."""
        if self._polls:
            return HookAnswer(404)
        if self._webhook is None:
            return HookAnswer(503)
        return await self._webhook.hook(request)

    def _wired(self, api: Api, background: Background[TelegramError], gateway: Gateway) -> Service:
        clock, timing, backoff = self._clock, self._timing, self._backoff
        sender = Sender(api, backoff, self._condition, timing, gateway)
        show_for = TypingAction(api, backoff).show_for
        typing = TypingIndicator(show_for, background, clock, seconds=timing.typing)
        return Service(sender, Files(api, clock, timing), typing)

    async def _meet(self, api: Api) -> Me:
        """Ask who the bot is, until Telegram answers."""

        async def failed(exc: TelegramError, pauses: Iterator[float]) -> float:
            pause = next(pauses)
            wait = exc.seconds if isinstance(exc, FloodError) else pause
            self._condition.failed(exc)
            self._condition.expect_silence(wait)
            return wait

        bot = await retry(self._clock, api.get_me, self._timing.pauses(), TelegramError, failed)
        logger.info("on Telegram as @%s", bot.username)
        return Me(bot.id, bot.username or "")

    async def _receive(self, api: Api, intake: Intake, gateway: Gateway) -> None:
        clock, timing, condition = self._clock, self._timing, self._condition
        if self._polls:
            with condition.resting():
                await gateway.until_asks()
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


class Files:
    """Fetches files while the channel serves."""

    def __init__(self, api: Api, clock: Clock, timing: Timing) -> None:
        self._api = api
        self._clock = clock
        self._timing = timing

    async def fetch(self, attachment: Attachment, limit_bytes: int) -> bytes:
        """Return the content of a file. Raises `AttachmentError` if it cannot be had."""
        check_size(attachment, attachment.size_bytes, limit_bytes)
        fetching = self._fetch(attachment, limit_bytes)
        return await download(self._clock, self._timing.download, attachment, fetching)

    async def _fetch(self, attachment: Attachment, limit_bytes: int) -> bytes:
        place = await self._place(attachment)
        path, size = place.get("file_path"), place.get("file_size")
        if not isinstance(path, str):
            raise AttachmentError(f"Telegram does not say where the {attachment.kind} is")
        if path.startswith("/"):
            raise AttachmentError(
                f"the {attachment.kind} is on the disk of the Bot API server: "
                "run that server without --local"
            )
        check_size(attachment, size if isinstance(size, int) else None, limit_bytes)
        url = f"{self._api.base_file_url}/{quote(path)}"
        async with self._api.files.stream("GET", url) as response:
            if response.status_code != httpx.codes.OK:
                raise AttachmentError(
                    f"the {attachment.kind} cannot be downloaded: HTTP {response.status_code}"
                )
            return await read_content(attachment, response, limit_bytes)

    async def _place(self, attachment: Attachment) -> Json:
        try:
            return await self._api.file_place(attachment.file_id)
        except TelegramError as exc:
            raise AttachmentError(_refused(attachment, exc)) from exc


def _refused(attachment: Attachment, exc: TelegramError) -> str:
    if "file is too big" in exc.message.casefold():
        return (
            f"the {attachment.kind} is larger than {CLOUD_LIMIT_MEGABYTES} MB, "
            "more than Telegram gives to bots"
        )
    return f"the {attachment.kind} cannot be had: {describe(exc)}"
