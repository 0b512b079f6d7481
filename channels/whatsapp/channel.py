"""The WhatsApp channel: it makes its parts each time that it serves.

It finds messages that Twilio received and told nobody of: gaia was off, or could not be
reached. Twilio calls a webhook once, and keeps the message. So gaia looks for itself: first
for those of the last day, then now and again for those since the last look. The core drops
what it has. In the same way it asks what became of messages that it sent: that one failed is
told once as well. A look is also what tells whether Twilio can be reached at all.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from channels.base.background import Background, TypingIndicator
from channels.base.channel import RemoteChannel, Service
from channels.base.http import ChatBackoff
from channels.base.intake import log_set_aside
from channels.formatting import whatsapp_text
from channels.formatting.characters import utf16_length
from channels.whatsapp import files, round_trip
from channels.whatsapp.api import Api, PastFile, PastMessage, Timing
from channels.whatsapp.condition import WhatsAppCondition
from channels.whatsapp.errors import (
    REFUSALS,
    Blame,
    FloodError,
    Refusal,
    RefusedError,
    blame_of,
    code_of,
    describe,
)
from channels.whatsapp.files import Files, OutgoingFiles
from channels.whatsapp.requests import CHANNEL, Params, Signatures, is_sid, twilio_name
from channels.whatsapp.sender import Sender, SideEffects, Template, TypingRequest
from channels.whatsapp.translation import Me, Written, translate
from channels.whatsapp.webhook import Handlers, Intake, Webhook
from gaia.clock import retry
from gaia.errors import StoreError
from gaia.messages import REPEAT_MARK, HookAnswer, HookRequest, ReceiptKind
from gaia.ports import Clock, Gateway
from gaia.settings.schema import WhatsAppSettings

logger = logging.getLogger(__name__)

NOT_FOUND = 20404


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
        intake = Intake(gateway, me, side_effects, condition, clock)
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
            handlers=Handlers(intake, outgoing),
            catch_up=CatchUp(api, gateway, intake, me, condition, clock, timing),
        )


class CatchUp:
    """Looks for messages that no webhook told of, and for what became of those that were sent."""

    def __init__(
        self,
        api: Api,
        gateway: Gateway,
        intake: Intake,
        me: Me,
        condition: WhatsAppCondition,
        clock: Clock,
        timing: Timing,
    ) -> None:
        self._api = api
        self._gateway = gateway
        self._intake = intake
        self._me = me
        self._condition = condition
        self._clock = clock
        self._timing = timing
        self._seen_until: datetime | None = None

    async def run(self) -> None:
        """Look again and again until cancelled."""
        while True:
            pauses, failures = self._timing.pauses(), (*REFUSALS, StoreError)
            await retry(self._clock, self._look, pauses, failures, self._failed)
            await self._clock.sleep(self._timing.catch_up)

    async def _failed(self, exc: Exception, pauses: Iterator[float]) -> float:
        if isinstance(exc, REFUSALS):
            self._condition.failed(exc)
            wait = self._after(exc) or next(pauses)
            self._condition.expect_silence(wait)
            return wait
        self._condition.stored(succeeded=False)
        wait = next(pauses)
        logger.error("a message cannot be stored, next try in %.0f s: %s", wait, exc)
        return wait

    async def _look(self) -> None:
        """Take what there is since the last look."""
        now, timing = self._clock.now(), self._timing
        is_first = self._seen_until is None
        since = now - timing.looked_back
        if self._seen_until is not None:
            since = max(since, self._seen_until - timing.overlap)
        until = now if is_first else now - timing.webhook_time
        found = await self._api.received_since(since)
        self._condition.ok()
        new = 0
        for message in sorted(found, key=lambda each: each.sent_at):
            if message.sent_at <= until:
                new += await self._take(message)
        reach = timing.looked_back if is_first else timing.reported_late
        await self._follow_up(now - reach, until)
        self._condition.stored(succeeded=True)
        self._seen_until = now
        if new:
            logger.info("%d messages of WhatsApp were found that no webhook told of", new)
        if new and not is_first:
            self._condition.missed_calls()

    async def _follow_up(self, since: datetime, until: datetime) -> None:
        """Report what became of what was sent in that time."""
        for copy in await self._gateway.on_their_way(since, until):
            try:
                status, code = await self._api.status_of(copy.provider_id)
            except RefusedError as exc:
                if exc.code != NOT_FOUND:
                    raise
                continue
            told = {"MessageSid": copy.provider_id, "MessageStatus": status}
            reason = {} if code is None else {"ErrorCode": str(code)}
            await self._intake.status(copy.outbox_id, Params.of(told | reason))

    async def _take(self, message: PastMessage) -> bool:
        """Hand a message to the core, and tell whether it is new there. A message that the
        core fails at is set aside, so that it does not hide those after it."""
        params = await self._params(message)
        try:
            return await self._receive(params, message.sent_at)
        except StoreError:
            raise
        except Exception as exc:
            sid = message.sid if is_sid(message.sid) else "without an id"
            log_set_aside(logger, f"message {sid}", exc)
            return False

    async def _receive(self, params: Params, sent_at: datetime) -> bool:
        event = translate(params, self._me, sent_at, is_late=True)
        if not isinstance(event, Written):
            return False
        receipt = await self._gateway.receive(event.inbound)
        is_new = receipt.kind is ReceiptKind.ACCEPTED
        if is_new:
            self._gateway.reachable(event.inbound.chat)
        return is_new

    async def _params(self, message: PastMessage) -> Params:
        """Return what a webhook would have told of it."""
        files: dict[str, str] = {}
        for index, file in enumerate(await self._files(message)):
            files[f"MediaUrl{index}"] = self._api.address_of(file.path)
            files[f"MediaContentType{index}"] = file.media_type
        return Params.of(
            {
                "MessageSid": message.sid,
                "AccountSid": self._me.account_sid,
                "From": message.sender,
                "To": twilio_name(self._me.number),
                "Body": message.text,
                **files,
            }
        )

    async def _files(self, message: PastMessage) -> Sequence[PastFile]:
        """Return the files of a message; none if it was deleted in the meantime."""
        if not message.media_count:
            return ()
        try:
            return await self._api.files_of(message.sid)
        except RefusedError as exc:
            if exc.code != NOT_FOUND:
                raise
            return ()

    def _after(self, exc: Refusal) -> float | None:
        """Return how long to leave Twilio alone after it refused, if it says so."""
        if isinstance(exc, FloodError):
            return exc.seconds
        return self._timing.refused if blame_of(code_of(exc)) is Blame.CREDENTIALS else None


def _template(settings: WhatsAppSettings) -> Template | None:
    if not settings.template:
        return None
    return Template(settings.template, settings.template_variable)
