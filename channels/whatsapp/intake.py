"""The way in while the channel serves: what a verified request tells is handed to the
core; when a method returns it is committed, or nothing has to be.

What cannot be translated, or what the core fails at again and again, is set aside with a
line in the log. The line names the values that came and where it failed; it has no word
of them.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Awaitable
from dataclasses import replace

from channels.attempts import Attempts
from channels.whatsapp.condition import Condition
from channels.whatsapp.courtesies import Courtesies
from channels.whatsapp.events import Event, Ignored, Misdirected, Written
from channels.whatsapp.forms import Params
from channels.whatsapp.names import is_sid
from channels.whatsapp.statuses import error_code, report_of
from channels.whatsapp.translation import Me, translate
from channels.whatsapp.window import NOT_ASKED
from gaia.errors import StoreError, UnreachableError
from gaia.messages import DeliveryReport, DeliveryStage, Inbound, ReceiptKind
from gaia.ports import Clock, Gateway

logger = logging.getLogger(__name__)

_NAME = re.compile(r"[A-Z][A-Za-z]{0,40}[0-9]{0,2}")


class Intake:
    """Takes what Twilio tells while the channel serves `gateway` as `me`.

    Each method raises `StoreError` when it is not possible at the moment: it is to come
    again.
    """

    def __init__(
        self,
        gateway: Gateway,
        me: Me,
        courtesies: Courtesies,
        condition: Condition,
        clock: Clock,
    ) -> None:
        self._gateway = gateway
        self._me = me
        self._courtesies = courtesies
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
        """Hear what became of a template that asks somebody to write back. It is no chunk:
        what it asks for waits until they do. One that failed has asked nobody."""
        report = report_of(outbox_id, params)
        if report is not None:
            if report.stage is DeliveryStage.FAILED:
                logger.warning("somebody could not be asked to write: %s", report.failure)
                failure = UnreachableError(f"{NOT_ASKED}: {report.failure}")
                unasked = replace(report, failure=failure, of_question=True)
                await self._try(params, self._gateway.reported(unasked))
            self._witness(report, params)

    def _witness(self, report: DeliveryReport, params: Params) -> None:
        """Tell the condition how a message of gaia's fared."""
        match report.stage:
            case DeliveryStage.FAILED:
                self._condition.undelivered(error_code(params))
            case DeliveryStage.DELIVERED | DeliveryStage.READ:
                is_template = params.get("StructuredMessage") == "true"
                self._condition.delivered(in_template=is_template)

    async def _try(self, params: Params, committing: Awaitable[None]) -> None:
        try:
            await committing
        except StoreError:
            raise
        except Exception as exc:
            name = (params.get("MessageSid"), params.get("MessageStatus"))
            if not self._attempts.fail(name):
                raise StoreError(f"gaia fails at it: {type(exc).__name__}") from exc
            _set_aside(params, exc)

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
        self._courtesies.received(inbound, receipt)
        if receipt.kind is not ReceiptKind.DENIED:
            self._gateway.reachable(inbound.chat)


def _set_aside(params: Params, exc: Exception) -> None:
    """One line for the log, and where it happened. An exception's own words may be
    those of the message."""
    names = sorted(name for name in params if _NAME.fullmatch(name))[:60]
    logger.error(
        "what Twilio tells of %s is set aside: %s while reading %s\n%s",
        params.get("MessageSid") if is_sid(params.get("MessageSid")) else "a message",
        type(exc).__name__,
        ", ".join(names) or "nothing known",
        "".join(traceback.format_tb(exc.__traceback__)).rstrip(),
    )
