"""Messages that Twilio received and told nobody of: gaia was off, or could not be reached.

Twilio calls a webhook once, and keeps the message. So gaia looks for itself: at first
for those of the last day, then now and again for those since the last look. The core
drops what it has. A look is also what tells whether Twilio can be reached at all.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Sequence
from datetime import datetime

from channels.whatsapp.api import Api, PastFile, PastMessage
from channels.whatsapp.codes import Blame
from channels.whatsapp.condition import Condition
from channels.whatsapp.events import Written
from channels.whatsapp.faults import REFUSALS, Refusal, blame_of, code_of
from channels.whatsapp.forms import Params
from channels.whatsapp.http import FloodError, RefusedError
from channels.whatsapp.names import is_sid, twilio_name
from channels.whatsapp.timing import Timing
from channels.whatsapp.translation import Me, translate
from gaia.errors import StoreError
from gaia.messages import ReceiptKind
from gaia.ports import Clock, Gateway

logger = logging.getLogger(__name__)

NOT_FOUND = 20404


class CatchingUp:
    """Looks for messages that no webhook told of."""

    def __init__(
        self,
        api: Api,
        gateway: Gateway,
        me: Me,
        condition: Condition,
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
        pauses = self._timing.pauses()
        while True:
            try:
                await self._look()
            except REFUSALS as exc:
                self._condition.failed(exc)
                wait = self._after(exc) or next(pauses)
                self._condition.rests(wait)
            except StoreError as exc:
                self._condition.stored(succeeded=False)
                wait = next(pauses)
                logger.error("a message cannot be stored, next try in %.0f s: %s", wait, exc)
            else:
                pauses, wait = self._timing.pauses(), self._timing.catch_up
            await self._clock.sleep(wait)

    async def _look(self) -> None:
        """Take what there is since the last look."""
        now, timing = self._clock.now(), self._timing
        is_first = self._seen_until is None
        since = now - timing.looked_back
        if self._seen_until is not None:
            since = max(since, self._seen_until - timing.overlap)
        until = now if is_first else now - timing.webhook_time
        found = await self._api.received_since(since)
        self._condition.well()
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
        """Hand a message to the core; whether it is new there. One that it fails at is
        set aside: those after it count as well."""
        params = await self._params(message)
        try:
            return await self._receive(params, message.sent_at)
        except StoreError:
            raise
        except Exception as exc:
            # The words of the error may be those of the message.
            logger.error(
                "message %s is set aside: %s\n%s",
                message.sid if is_sid(message.sid) else "without an id",
                type(exc).__name__,
                "".join(traceback.format_tb(exc.__traceback__)).rstrip(),
            )
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
        """What a webhook would have told of it."""
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
        """The files of a message; none if it was deleted in the meantime."""
        if not message.media_count:
            return ()
        try:
            return await self._api.files_of(message.sid)
        except RefusedError as exc:
            if exc.code != NOT_FOUND:
                raise
            return ()

    def _after(self, exc: Refusal) -> float | None:
        """How long to leave Twilio alone after it refused, if it says so."""
        if isinstance(exc, FloodError):
            return exc.seconds
        return self._timing.refused if blame_of(code_of(exc)) is Blame.CREDENTIALS else None
