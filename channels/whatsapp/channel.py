"""The WhatsApp channel: it makes its parts each time that it serves."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from channels.base.background import Background, TypingIndicator
from channels.base.channel import RemoteChannel, Service
from channels.base.http import ChatBackoff
from channels.formatting import whatsapp_text
from channels.formatting.characters import utf16_length
from channels.whatsapp import files, round_trip
from channels.whatsapp.api import Api, Timing
from channels.whatsapp.catch_up import CatchUp
from channels.whatsapp.condition import WhatsAppCondition
from channels.whatsapp.errors import REFUSALS, Refusal, describe
from channels.whatsapp.files import Files, OutgoingFiles
from channels.whatsapp.requests import CHANNEL, Signatures
from channels.whatsapp.sender import Sender, SideEffects, TypingRequest
from channels.whatsapp.translation import Me
from channels.whatsapp.webhook import Handlers, Intake, Webhook
from channels.whatsapp.window import Template
from gaia.messages import REPEAT_MARK, HookAnswer, HookRequest
from gaia.ports import Clock, Gateway
from gaia.settings.schema import WhatsAppSettings

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Service(Service):
    handlers: Handlers
    catch_up: CatchUp


class WhatsAppChannel(RemoteChannel[_Service, WhatsAppCondition]):
    """Implements `gaia.ports.Channel` and `gaia.ports.Hooked` for one number at Twilio."""

    name = CHANNEL
    reports = True

    def __init__(
        self,
        settings: WhatsAppSettings,
        account_sid: str,
        auth_token: str,
        clock: Clock,
        timing: Timing | None = None,
    ) -> None:
        self._settings = settings
        self._me = Me(account_sid, settings.number)
        self._auth_token = auth_token
        self._clock = clock
        self._timing = timing or Timing()
        self._backoff = ChatBackoff[str](clock)
        self._signatures = Signatures(auth_token, settings.public_url)
        condition = WhatsAppCondition(
            clock, address=self._signatures.address(""), stall_seconds=self._timing.stall
        )
        check = partial(round_trip.answer, auth_token)
        self._webhook = Webhook(self._signatures, account_sid, condition, check, clock)
        super().__init__("WhatsApp", condition)

    async def serve(self, gateway: Gateway) -> None:
        """Receive and send until cancelled."""
        settings, me = self._settings, self._me
        api = Api(me.account_sid, self._auth_token, me.number, settings.base_url, self._timing)
        background = Background[Refusal](CHANNEL, REFUSALS, describe)
        service = self._wired(api, background, gateway)
        logger.info("Twilio is to call %s", self._signatures.address(""))
        async with self._in_service(service, gateway, background.close, api.close_connections):
            await service.catch_up.run()

    def split(self, text: str) -> Sequence[str]:
        """Cut into chunks with WhatsApp's marks."""
        return whatsapp_text.split(text, room=utf16_length(REPEAT_MARK))

    def takes(self, media_type: str) -> bool:
        """WhatsApp takes documents of a few kinds."""
        return files.takes(media_type)

    async def hook(self, request: HookRequest) -> HookAnswer:
        """Take what Twilio tells."""
        handlers = self._service.handlers if self._service is not None else None
        return await self._webhook.hook(request, handlers)

    def _wired(self, api: Api, background: Background[Refusal], gateway: Gateway) -> _Service:
        clock, timing, me = self._clock, self._timing, self._me
        backoff, condition = self._backoff, self._condition
        outgoing = OutgoingFiles(
            gateway.file,
            public_url=self._settings.public_url,
            auth_token=self._auth_token,
            clock=clock,
        )
        side_effects = SideEffects(api, backoff, background)
        show_for = TypingRequest(api, backoff).show_for
        return _Service(
            sender=Sender(
                api,
                backoff,
                condition,
                clock,
                timing,
                template=_template(self._settings),
                address=self._signatures.address,
                files=outgoing,
            ),
            files=Files(api, me.account_sid, clock, timing),
            typing=TypingIndicator(show_for, background, clock, seconds=timing.typing),
            handlers=Handlers(Intake(gateway, me, side_effects, condition, clock), outgoing),
            catch_up=CatchUp(api, gateway, me, condition, clock, timing),
        )


def _template(settings: WhatsAppSettings) -> Template | None:
    if not settings.template:
        return None
    return Template(settings.template, settings.template_variable)
