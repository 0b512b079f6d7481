"""What Twilio calls below `/hooks/whatsapp`, and what it is answered.

    POST ""                      somebody wrote
    POST status/<outbox_id>      what became of a chunk
    POST asked/<outbox_id>       what became of a template that asks somebody to write back
    POST check                   a signed round trip of gaia's own
    GET  media/...               a file that is sent

Nothing is looked at before its signature but the files, whose addresses are signed
themselves. 200 says that what came is stored. Nothing makes Twilio bring the rest again:
what is answered with 503 is found when the channel catches up.
What cannot be translated, or what the core fails at again and again, is set aside with a
line in the log. The line names the values that came and where it failed; it quotes no word
of them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from channels.base.http import RefusedRequests
from channels.base.intake import Attempts, log_set_aside
from channels.whatsapp.condition import WhatsAppCondition
from channels.whatsapp.errors import failure_of
from channels.whatsapp.files import OutgoingFiles
from channels.whatsapp.requests import Params, Signatures, is_sid
from channels.whatsapp.round_trip import CHECK_PATH
from channels.whatsapp.sender import NOT_ASKED, SideEffects
from channels.whatsapp.translation import Event, Ignored, Me, Misdirected, Written, translate
from gaia.errors import StoreError, UnreachableError, UnsignedError
from gaia.messages import (
    DeliveryReport,
    DeliveryStage,
    HookAnswer,
    HookRequest,
    Inbound,
    ReceiptKind,
)
from gaia.ports import Clock, Gateway

logger = logging.getLogger(__name__)

TWIML = HookAnswer(200, b'<?xml version="1.0" encoding="UTF-8"?><Response/>', "text/xml")
"""There is nothing to say at once: replies are sent by themselves."""

MEDIA = "media/"

_OUTBOX_ID = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)

_NAME = re.compile(r"[A-Z][A-Za-z]{0,40}[0-9]{0,2}")
STAGES = {
    "sent": DeliveryStage.SENT,
    "delivered": DeliveryStage.DELIVERED,
    "read": DeliveryStage.READ,
    "failed": DeliveryStage.FAILED,
    "undelivered": DeliveryStage.FAILED,
}
"""What Twilio calls them. It also tells that a message is queued or being sent, which
says nothing that `Channel.send` had not said."""


@dataclass(frozen=True, slots=True)
class Handlers:
    """What takes requests while the channel serves."""

    intake: Intake
    files: OutgoingFiles


class Webhook:
    """Answers Twilio's requests. `check` answers the body of a round trip of gaia's own."""

    def __init__(
        self,
        signatures: Signatures,
        account_sid: str,
        condition: WhatsAppCondition,
        check: Callable[[bytes], HookAnswer],
        clock: Clock,
    ) -> None:
        self._signatures = signatures
        self._account_sid = account_sid
        self._condition = condition
        self._check = check
        self._refused = RefusedRequests(logger, "WhatsApp's webhook", clock)

    async def hook(self, request: HookRequest, handlers: Handlers | None) -> HookAnswer:
        """Return the answer to a request. Without `handlers` the channel does not serve."""
        if request.path.startswith(MEDIA) and request.method in ("GET", "HEAD"):
            return await _file(request, handlers)
        try:
            params = self._signatures.verified(request)
        except UnsignedError as exc:
            self._refused.note(str(exc))
            return HookAnswer(403)
        if request.method != "POST":
            # It is signed: that word is Twilio's.
            logger.warning("Twilio calls with %s: choose POST in its console", request.method)
            return HookAnswer(405)
        if handlers is None:
            return HookAnswer(503)
        if request.path == CHECK_PATH:
            return self._check(request.body)
        take = self._handler(request.path, params, handlers.intake)
        if take is None:
            return HookAnswer(404)
        return await self._take(request.path, params, take)

    def _handler(
        self, path: str, params: Params, intake: Intake
    ) -> Callable[[], Awaitable[None]] | None:
        """Return what takes a request to `path`; None for an unknown path."""
        if not path:
            return lambda: intake.message(params)
        kind, _, name = path.partition("/")
        if _OUTBOX_ID.fullmatch(name) is None:
            return None
        match kind:
            case "status":
                return lambda: intake.status(int(name), params)
            case "asked":
                return lambda: intake.asked(int(name), params)
        return None

    async def _take(
        self, path: str, params: Params, take: Callable[[], Awaitable[None]]
    ) -> HookAnswer:
        if params.get("AccountSid") != self._account_sid:
            self._refused.note("it is of another account than GAIA_TWILIO_ACCOUNT_SID")
            return HookAnswer(403)
        if not path:
            # The other addresses are gaia's own: only this one the owner has to set.
            self._condition.called()
        try:
            await take()
        except StoreError as exc:
            self._condition.stored(succeeded=False)
            logger.error("what Twilio tells cannot be stored at the moment: %s", exc)
            return HookAnswer(503)
        self._condition.stored(succeeded=True)
        return TWIML


async def _file(request: HookRequest, handlers: Handlers | None) -> HookAnswer:
    if handlers is None:
        return HookAnswer(503)
    return await handlers.files.serve(request.path.removeprefix(MEDIA))


class Intake:
    """Commits what Twilio tells while the channel serves `gateway` as `me`.

    When a method returns, it is committed, or nothing has to be. Each raises `StoreError`
    when that is not possible at the moment: it is to come again.
    """

    def __init__(
        self,
        gateway: Gateway,
        me: Me,
        side_effects: SideEffects,
        condition: WhatsAppCondition,
        clock: Clock,
    ) -> None:
        self._gateway = gateway
        self._me = me
        self._side_effects = side_effects
        self._condition = condition
        self._clock = clock
        self._attempts = Attempts()

    async def message(self, params: Params) -> None:
        """Commit a message."""
        try:
            event = translate(params, self._me, self._clock.now())
        except Exception as exc:
            _set_aside(params, exc)
            return
        await self._try(params, self._commit(event))

    async def status(self, outbox_id: int, params: Params) -> None:
        """Commit what became of a chunk."""
        report = report_of(outbox_id, params)
        if report is not None:
            await self._try(params, self._gateway.reported(report))
            self._witness(report, params)

    async def asked(self, outbox_id: int, params: Params) -> None:
        """Commit what became of a template that asks somebody to write back. It is no chunk:
        the chunk waits until they write. A template that failed has asked nobody."""
        report = report_of(outbox_id, params)
        if report is not None:
            if report.stage is DeliveryStage.FAILED:
                logger.warning("somebody could not be asked to write: %s", report.failure)
                failure = UnreachableError(f"{NOT_ASKED}: {report.failure}")
                unasked = replace(report, failure=failure, of_question=True)
                await self._try(params, self._gateway.reported(unasked))
            self._witness(report, params)

    def _witness(self, report: DeliveryReport, params: Params) -> None:
        """Report to the condition how a message of gaia's fared."""
        match report.stage:
            case DeliveryStage.FAILED:
                self._condition.undelivered(error_code(params))
            case DeliveryStage.DELIVERED | DeliveryStage.READ:
                is_template = params.get("StructuredMessage") == "true"
                self._condition.delivered(in_template=is_template)

    async def _try(self, params: Params, committing: Awaitable[None]) -> None:
        name = (params.get("MessageSid"), params.get("MessageStatus"))
        await self._attempts.commit(name, committing, partial(_set_aside, params))

    async def _commit(self, event: Event) -> None:
        match event:
            case Written(inbound):
                await self._receive(inbound)
            case Misdirected(reason):
                logger.warning("a message that Twilio tells of is left out: %s", reason)
            case Ignored(reason):
                logger.debug("a message that Twilio tells of is ignored: %s", reason)

    async def _receive(self, inbound: Inbound) -> None:
        receipt = await self._gateway.receive(inbound)
        self._side_effects.received(inbound, receipt)
        if receipt.kind is not ReceiptKind.DENIED:
            self._gateway.reachable(inbound.chat)


def _set_aside(params: Params, exc: Exception) -> None:
    names = sorted(name for name in params if _NAME.fullmatch(name))[:60]
    sid = params.get("MessageSid")
    what = f"what Twilio tells of {sid if is_sid(sid) else 'a message'}"
    log_set_aside(logger, what, exc, names)


def report_of(outbox_id: int, params: Params) -> DeliveryReport | None:
    """Return what became of a copy of that chunk; None if that is no news."""
    stage = STAGES.get(params.get("MessageStatus") or params.get("SmsStatus"))
    sid = params.get("MessageSid")
    if stage is None or not is_sid(sid):
        return None
    failure = failure_of(error_code(params)) if stage is DeliveryStage.FAILED else None
    return DeliveryReport(outbox_id, sid, stage, failure)


def error_code(params: Params) -> int | None:
    """Return why it failed, in Twilio's numbers, if it did."""
    code = params.get("ErrorCode")
    return int(code) if code.isascii() and code.isdecimal() and len(code) < 8 else None
