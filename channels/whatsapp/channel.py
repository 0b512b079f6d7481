"""The WhatsApp channel: it wires its parts anew each time that it serves."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from channels.background import Background
from channels.formatting import whatsapp_text
from channels.formatting.characters import utf16_length
from channels.gates import Gates
from channels.typing_indicator import TypingIndicator
from channels.whatsapp import checking, outgoing
from channels.whatsapp.api import Api
from channels.whatsapp.catching_up import CatchingUp
from channels.whatsapp.condition import Condition
from channels.whatsapp.courtesies import Courtesies
from channels.whatsapp.faults import REFUSALS, Refusal, describe
from channels.whatsapp.files import Files
from channels.whatsapp.intake import Intake
from channels.whatsapp.names import CHANNEL
from channels.whatsapp.outgoing import OutgoingFiles
from channels.whatsapp.sending import Sender
from channels.whatsapp.signatures import Signatures
from channels.whatsapp.templates import Template
from channels.whatsapp.timing import Timing
from channels.whatsapp.translation import Me
from channels.whatsapp.typing_request import TypingRequest
from channels.whatsapp.webhook import Service, Webhook
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
from gaia.settings.schema import WhatsAppSettings

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Service:
    """What works while the channel serves."""

    webhook: Service
    catching_up: CatchingUp
    sender: Sender
    typing: TypingIndicator[Refusal]
    files: Files


class WhatsAppChannel:
    """Implements `gaia.ports.Channel` and `gaia.ports.Hooked` for one number at Twilio."""

    name = CHANNEL
    settles = True
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
        self._gates = Gates[str](clock)
        self._signatures = Signatures(auth_token, settings.public_url)
        self._condition = Condition(
            clock, address=self._signatures.address(""), stall_seconds=self._timing.stall
        )
        check = partial(checking.answer, auth_token)
        self._webhook = Webhook(self._signatures, account_sid, self._condition, check, clock)
        self._service: _Service | None = None
        self._refused_chats: set[str] = set()

    async def serve(self, gateway: Gateway) -> None:
        """Receive and send until cancelled."""
        settings, me = self._settings, self._me
        api = Api(me.account_sid, self._auth_token, me.number, settings.base_url, self._timing)
        background = Background[Refusal](CHANNEL, REFUSALS, describe)
        service = self._wired(api, background, gateway)
        self._condition.begin()
        self._service = service
        logger.info("Twilio is to call %s", self._signatures.address(""))
        try:
            self._wake_refused(gateway)
            await service.catching_up.run()
        finally:
            self._service = None
            self._condition.end()
            await background.close()
            await api.close_connections()

    def split(self, text: str) -> Sequence[str]:
        """Chunks with WhatsApp's marks."""
        return whatsapp_text.split(text, room=utf16_length(REPEAT_MARK))

    def takes(self, media_type: str) -> bool:
        """WhatsApp takes documents of a few kinds."""
        return outgoing.takes(media_type)

    async def send(self, outbound: Outbound) -> str:
        if self._service is None:
            self._refused_chats.add(outbound.chat)
            raise UnreachableError("the WhatsApp channel does not serve at the moment")
        return await self._service.sender.send(outbound)

    async def fetch(self, attachment: Attachment, *, limit_bytes: int) -> bytes:
        if self._service is None:
            raise AttachmentError("the WhatsApp channel does not serve at the moment")
        return await self._service.files.fetch(attachment, limit_bytes)

    def watch(self, event: TurnEvent) -> None:
        """Show typing while a turn runs."""
        if self._service is not None:
            self._service.typing.watch(event)

    def health(self) -> Health:
        return self._condition.health()

    async def hook(self, request: HookRequest) -> HookAnswer:
        """Take what Twilio tells."""
        service = self._service.webhook if self._service is not None else None
        return await self._webhook.hook(request, service)

    def _wired(self, api: Api, background: Background[Refusal], gateway: Gateway) -> _Service:
        clock, timing, gates, me = self._clock, self._timing, self._gates, self._me
        files = OutgoingFiles(
            gateway.file,
            public_url=self._settings.public_url,
            auth_token=self._auth_token,
            clock=clock,
        )
        sender = Sender(
            api,
            gates,
            self._condition,
            clock,
            timing,
            template=_template(self._settings),
            address=self._signatures.address,
            files=files,
            content=gateway.file,
        )
        courtesies = Courtesies(api, gates, background)
        intake = Intake(gateway, me, courtesies, self._condition, clock)
        return _Service(
            webhook=Service(intake, files),
            catching_up=CatchingUp(api, gateway, me, self._condition, clock, timing),
            sender=sender,
            typing=TypingIndicator(
                TypingRequest(api, gates).show_for, background, clock, seconds=timing.typing
            ),
            files=Files(api, me.account_sid, clock, timing),
        )

    def _wake_refused(self, gateway: Gateway) -> None:
        for chat in self._refused_chats:
            gateway.reachable(chat)
        self._refused_chats.clear()


def _template(settings: WhatsAppSettings) -> Template | None:
    if not settings.template:
        return None
    return Template(settings.template, settings.template_variable)
