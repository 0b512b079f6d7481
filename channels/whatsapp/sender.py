"""What gaia sends: the chunks of replies, and beside them typing and answers to strangers.

A chunk goes freely, in a template, or not before they write. Whatever goes wrong is an
error for delivery. That Twilio took a message does not say that it arrived: status
callbacks tell later. What stands beside the chunks holds up nothing, and may fail.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from channels.base.background import Background, ShowTyping
from channels.base.http import ChatBackoff
from channels.whatsapp.api import Api, Timing
from channels.whatsapp.condition import WhatsAppCondition
from channels.whatsapp.errors import REFUSALS, FloodError, Refusal, code_of, send_error
from channels.whatsapp.files import OutgoingFiles
from channels.whatsapp.requests import is_person, is_sid
from channels.whatsapp.window import ASKED, FreeText, InTemplate, Invite, Template, Wait, way_of
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    UnknownSendError,
    UnreachableError,
)
from gaia.messages import Inbound, Outbound, Receipt, ReceiptKind, TurnStarted
from gaia.ports import Clock

logger = logging.getLogger(__name__)

Address = Callable[[str], str]
"""The public address of a path below `/hooks/whatsapp`."""


class Sender:
    """Sends chunks while the channel serves."""

    def __init__(
        self,
        api: Api,
        backoff: ChatBackoff[str],
        condition: WhatsAppCondition,
        clock: Clock,
        timing: Timing,
        *,
        template: Template | None,
        address: Address,
        files: OutgoingFiles,
    ) -> None:
        self._api = api
        self._backoff = backoff
        self._condition = condition
        self._clock = clock
        self._timing = timing
        self._template = template
        self._address = address
        self._files = files

    async def send(self, outbound: Outbound) -> str:
        """Send a chunk; returns Twilio's id for it. Raises a `SendError` otherwise."""
        if not is_person(outbound.chat):
            raise PermanentSendError(f"{outbound.chat!r} is nobody on WhatsApp")
        remaining = self._backoff.remaining(outbound.chat)
        if remaining:
            raise RetryableSendError("Twilio asked to wait", after_seconds=remaining)
        way = way_of(outbound, self._template, self._clock.now(), self._timing.window)
        if isinstance(way, Wait):
            raise UnreachableError(way.reason)
        try:
            return await self._send(outbound, way)
        except REFUSALS as exc:
            self._heed(outbound.chat, exc)
            error = send_error(exc)
            if isinstance(way, Invite) and isinstance(error, UnknownSendError):
                # To ask twice would be a nuisance: this may have been it.
                raise UnreachableError(ASKED, asked=True) from exc
            raise error from exc

    async def _send(self, outbound: Outbound, way: FreeText | InTemplate | Invite) -> str:
        person = outbound.chat
        status_callback = self._address(f"status/{outbound.outbox_id}")
        match way:
            case FreeText():
                media_url = await self._files.offer(outbound)
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
            case Invite(template):
                await self._api.send_template(
                    person,
                    template.content_sid,
                    template.asking(),
                    status_callback=self._address(f"asked/{outbound.outbox_id}"),
                )
                self._condition.sent(in_template=True)
                logger.info("chunk %d waits: they are asked to write", outbound.outbox_id)
                raise UnreachableError(ASKED, asked=True)

    def _heed(self, person: str, exc: Refusal) -> None:
        """Note what a refusal means beyond the message."""
        if isinstance(exc, FloodError):
            self._backoff.hold(person, exc.seconds)
        self._condition.refused(exc)


class SideEffects:
    """Tells a stranger how to be let in, in the background: the answer to Twilio does not
    wait for it."""

    def __init__(
        self, api: Api, backoff: ChatBackoff[str], background: Background[Refusal]
    ) -> None:
        self._api = api
        self._backoff = backoff
        self._background = background

    def received(self, inbound: Inbound, receipt: Receipt) -> None:
        """Follow a message that arrived, and that the core took or did not."""
        if receipt.kind is not ReceiptKind.DENIED or not receipt.stranger_reply:
            return
        if not self._backoff.remaining(inbound.chat):
            reply = receipt.stranger_reply
            self._background.start("a reply to a stranger", self._tell, inbound.chat, reply)

    async def _tell(self, person: str, text: str) -> None:
        try:
            await self._api.send_text(person, text)
        except FloodError as exc:
            self._backoff.hold(person, exc.seconds)


class TypingRequest:
    """Shows typing for 25 seconds, or until a message is sent, as part of the answer to a
    message of theirs, which it marks as read.

    It shows none in a chat that Twilio wants to be left alone.
    """

    def __init__(self, api: Api, backoff: ChatBackoff[str]) -> None:
        self._api = api
        self._backoff = backoff

    def show_for(self, turn: TurnStarted) -> ShowTyping | None:
        """Return what shows typing for a turn; None for one that answers no message of theirs."""
        message_sid = next(filter(is_sid, reversed(turn.in_reply_to)), None)
        return None if message_sid is None else partial(self._show, turn.chat, message_sid)

    async def _show(self, chat: str, message_sid: str) -> None:
        if self._backoff.remaining(chat):
            return
        try:
            await self._api.show_typing(message_sid)
        except FloodError as exc:
            self._backoff.hold(chat, exc.seconds)
        except REFUSALS as exc:
            if code_of(exc) is not None:
                raise  # Twilio's verdict is the same the next time.
