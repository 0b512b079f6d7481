"""Sending one chunk: freely, in a template, or not before they write.

Whatever goes wrong is an error for delivery. That Twilio took a message does not say
that it arrived: status callbacks tell later.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from channels.gates import Gates
from channels.whatsapp.api import Api
from channels.whatsapp.condition import Condition
from channels.whatsapp.faults import REFUSALS, Refusal, send_error
from channels.whatsapp.http import FloodError
from channels.whatsapp.names import is_person
from channels.whatsapp.outgoing import OutgoingFiles, takes
from channels.whatsapp.templates import Template
from channels.whatsapp.timing import Timing
from channels.whatsapp.window import ASKED, Asking, Freely, InTemplate, Waiting, way_of
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    StoreError,
    UnknownSendError,
    UnreachableError,
)
from gaia.messages import Outbound
from gaia.ports import Clock

logger = logging.getLogger(__name__)

Address = Callable[[str], str]
"""The public address of a path below `/hooks/whatsapp`."""

Content = Callable[[int], Awaitable[bytes | None]]
"""The content of the file of a chunk; `Gateway.file`."""


class Sender:
    """Sends chunks while the channel serves."""

    def __init__(
        self,
        api: Api,
        gates: Gates[str],
        condition: Condition,
        clock: Clock,
        timing: Timing,
        *,
        template: Template | None,
        address: Address,
        files: OutgoingFiles,
        content: Content,
    ) -> None:
        self._api = api
        self._gates = gates
        self._condition = condition
        self._clock = clock
        self._timing = timing
        self._template = template
        self._address = address
        self._files = files
        self._content = content

    async def send(self, outbound: Outbound) -> str:
        """Send a chunk; returns Twilio's id for it. Raises a `SendError` otherwise."""
        if not is_person(outbound.chat):
            raise PermanentSendError(f"{outbound.chat!r} is nobody on WhatsApp")
        remaining = self._gates.remaining(outbound.chat)
        if remaining:
            raise RetryableSendError("Twilio asked to wait", after_seconds=remaining)
        way = way_of(outbound, self._template, self._clock.now(), self._timing.window)
        if isinstance(way, Waiting):
            raise UnreachableError(way.reason)
        try:
            return await self._send(outbound, way)
        except REFUSALS as exc:
            self._heed(outbound.chat, exc)
            error = send_error(exc)
            if isinstance(way, Asking) and isinstance(error, UnknownSendError):
                # To ask twice would be a nuisance: this may have been it.
                raise UnreachableError(ASKED, asked=True) from exc
            raise error from exc

    async def _send(self, outbound: Outbound, way: Freely | InTemplate | Asking) -> str:
        person = outbound.chat
        status_callback = self._address(f"status/{outbound.outbox_id}")
        match way:
            case Freely():
                media_url = await self._media_url(outbound)
                sid = await self._api.send_text(
                    person,
                    outbound.marked_text,
                    status_callback=status_callback,
                    media_url=media_url,
                )
                self._condition.sent()
                return sid
            case InTemplate(template, variables):
                sid = await self._api.send_template(
                    person, template.content_sid, variables, status_callback=status_callback
                )
                self._condition.sent(in_template=True)
                return sid
            case Asking(template):
                await self._api.send_template(
                    person,
                    template.content_sid,
                    template.asking(),
                    status_callback=self._address(f"asked/{outbound.outbox_id}"),
                )
                self._condition.sent(in_template=True)
                logger.info("chunk %d waits: they are asked to write", outbound.outbox_id)
                raise UnreachableError(ASKED, asked=True)

    async def _media_url(self, outbound: Outbound) -> str | None:
        """Where Twilio finds the file of a chunk. One that is gone is left out."""
        file = outbound.file
        if file is None or not takes(file.media_type):
            return None
        try:
            content = await self._content(outbound.outbox_id)
        except StoreError as exc:
            raise RetryableSendError(f"its file cannot be read: {exc}") from exc
        return None if content is None else self._files.url(outbound.outbox_id, file)

    def _heed(self, person: str, exc: Refusal) -> None:
        """What a refusal means beyond the message."""
        if isinstance(exc, FloodError):
            self._gates.close(person, exc.seconds)
        self._condition.refused(exc)
