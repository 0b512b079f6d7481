"""What Twilio calls below `/hooks/whatsapp`, and what it is answered.

    POST ""                      somebody wrote
    POST status/<outbox_id>      what became of a chunk
    POST asked/<outbox_id>       what became of a template that asks somebody to write back
    POST check                   a signed round trip of gaia's own
    GET  media/...               a file that is sent

Nothing is looked at before its signature but the files, whose addresses are signed
themselves. 200 says that what came is stored. Nothing makes Twilio bring the rest again:
what is answered with 503 is found when the channel catches up.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from channels.refused_requests import RefusedRequests
from channels.whatsapp.checking import CHECK_PATH
from channels.whatsapp.condition import Condition
from channels.whatsapp.forms import Params
from channels.whatsapp.intake import Intake
from channels.whatsapp.outgoing import OutgoingFiles
from channels.whatsapp.signatures import Signatures
from gaia.errors import StoreError, UnsignedError
from gaia.messages import HookAnswer, HookRequest
from gaia.ports import Clock

logger = logging.getLogger(__name__)

TWIML = HookAnswer(200, b'<?xml version="1.0" encoding="UTF-8"?><Response/>', "text/xml")
"""There is nothing to say at once: replies are sent by themselves."""

MEDIA = "media/"

_OUTBOX_ID = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Service:
    """What answers while the channel serves."""

    intake: Intake
    files: OutgoingFiles


class Webhook:
    """Answers Twilio's requests. `check` answers the body of a round trip of gaia's own."""

    def __init__(
        self,
        signatures: Signatures,
        account_sid: str,
        condition: Condition,
        check: Callable[[bytes], HookAnswer],
        clock: Clock,
    ) -> None:
        self._signatures = signatures
        self._account_sid = account_sid
        self._condition = condition
        self._check = check
        self._refused = RefusedRequests(logger, "WhatsApp's webhook", clock)

    async def hook(self, request: HookRequest, service: Service | None) -> HookAnswer:
        """The answer to a request. Without a `service` the channel does not serve."""
        if request.path.startswith(MEDIA) and request.method in ("GET", "HEAD"):
            return await _file(request, service)
        try:
            params = self._signatures.verified(request)
        except UnsignedError as exc:
            self._refused.note(str(exc))
            return HookAnswer(403)
        if request.method != "POST":
            # It is signed: that word is Twilio's.
            logger.warning("Twilio calls with %s: choose POST in its console", request.method)
            return HookAnswer(405)
        if service is None:
            return HookAnswer(503)
        if request.path == CHECK_PATH:
            return self._check(request.body)
        taking = self._taking(request.path, params, service.intake)
        if taking is None:
            return HookAnswer(404)
        return await self._take(request.path, params, taking)

    def _taking(
        self, path: str, params: Params, intake: Intake
    ) -> Callable[[], Awaitable[None]] | None:
        """What takes a request to that path; None for a path that there is not."""
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
        self, path: str, params: Params, taking: Callable[[], Awaitable[None]]
    ) -> HookAnswer:
        if params.get("AccountSid") != self._account_sid:
            self._refused.note("it is of another account than GAIA_TWILIO_ACCOUNT_SID")
            return HookAnswer(403)
        if not path:
            # The other addresses are gaia's own: only this one the owner has to set.
            self._condition.called()
        try:
            await taking()
        except StoreError as exc:
            self._condition.stored(succeeded=False)
            logger.error("what Twilio tells cannot be stored at the moment: %s", exc)
            return HookAnswer(503)
        self._condition.stored(succeeded=True)
        return TWIML


async def _file(request: HookRequest, service: Service | None) -> HookAnswer:
    if service is None:
        return HookAnswer(503)
    return await service.files.serve(request.path.removeprefix(MEDIA))
