"""Finds messages that Twilio received and told nobody of: gaia was off, or could not be reached.

Twilio calls a webhook once, and keeps the message. So gaia looks for itself: first
for those of the last day, then now and again for those since the last look. The core
drops what it has. A look is also what tells whether Twilio can be reached at all.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime

from channels.base.intake import log_set_aside
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
)
from channels.whatsapp.requests import Params, is_sid, twilio_name
from channels.whatsapp.translation import Me, Written, translate
from gaia.clock import retry
from gaia.errors import StoreError
from gaia.messages import ReceiptKind
from gaia.ports import Clock, Gateway

logger = logging.getLogger(__name__)

NOT_FOUND = 20404


class CatchUp:
    """Looks for messages that no webhook told of."""

    def __init__(
        self,
        api: Api,
        gateway: Gateway,
        me: Me,
        condition: WhatsAppCondition,
        clock: Clock,
        timing: Timing,
    ) -> None:
        self._api = api
        self._gateway = gateway
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
        self._condition.stored(succeeded=True)
        self._seen_until = now
        if new:
            logger.info("%d messages of WhatsApp were found that no webhook told of", new)
        if new and not is_first:
            self._condition.missed_calls()

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
