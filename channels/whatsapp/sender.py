"""What gaia sends: the chunks of replies, and beside them typing and answers to strangers.

A chunk goes freely, in a template, or not before they write. Whatever goes wrong is an
error for delivery. That Twilio took a message does not say that it arrived: status
callbacks tell later. What stands beside the chunks holds up nothing, and may fail.

Free text reaches whoever wrote within the last 24 hours. Everybody else gets the template
of the settings: it carries the whole of a short reply, or asks them to write, once for
each time that the window is closed. What cannot go waits until they write.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from channels.base.background import Background, ShowTyping
from channels.base.http import ChatBackoff
from channels.whatsapp.api import Api, Timing
from channels.whatsapp.condition import WhatsAppCondition
from channels.whatsapp.errors import REFUSALS, FloodError, Refusal, code_of, send_error
from channels.whatsapp.files import OutgoingFiles
from channels.whatsapp.requests import is_person, is_sid
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    UnknownSendError,
    UnreachableError,
)
from gaia.messages import Contact, Inbound, Outbound, Receipt, ReceiptKind, TurnStarted
from gaia.ports import Clock

LONGEST_VALUE = 900
LINE_BREAK = " · "
INVITATION = "I have a longer message for you. Write back to read it."

_CLOSED = "the 24-hour window of WhatsApp is closed"
ASKED = f"{_CLOSED}: they were asked to write, and it waits until they do"
NOT_ASKED = f"{_CLOSED}, and they could not be asked to write"
WITHOUT_TEMPLATE = f"{_CLOSED} and channels.whatsapp.template is not set: it waits until they write"


@dataclass(frozen=True, slots=True)
class Template:
    """An approved template. `variable` is the name of its one variable, empty if it has
    none: it can only ask them to write then."""

    content_sid: str
    variable: str

    def carrying(self, text: str) -> Mapping[str, str] | None:
        """Return the variables that carry `text`, or None if it does not fit."""
        value = _in_one_line(text)
        if not self.variable or not value or len(value) > LONGEST_VALUE:
            return None
        return {self.variable: value}

    def asking(self) -> Mapping[str, str]:
        """Return the variables that ask them to write back."""
        return {self.variable: INVITATION} if self.variable else {}


def _in_one_line(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return LINE_BREAK.join(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class FreeText:
    """Send it as it is."""


@dataclass(frozen=True, slots=True)
class InTemplate:
    """Send the template, whose variables carry all of it."""

    template: Template
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Invite:
    """Send the template, which asks them to write first."""

    template: Template


@dataclass(frozen=True, slots=True)
class Wait:
    """Send nothing until they write."""

    reason: str


Way = FreeText | InTemplate | Invite | Wait


def way_of(outbound: Outbound, template: Template | None, now: datetime, window: timedelta) -> Way:
    """Choose how a chunk may go, with the window open for `window` after their last message."""
    if is_open(outbound.contact, now, window):
        return FreeText()
    if template is None:
        return Wait(WITHOUT_TEMPLATE)
    is_whole_reply = outbound.seq == 0 and outbound.final and outbound.file is None
    variables = template.carrying(outbound.marked_text) if is_whole_reply else None
    if variables is not None:
        return InTemplate(template, variables)
    return Wait(ASKED) if outbound.contact.asked_at is not None else Invite(template)


def is_open(contact: Contact, now: datetime, window: timedelta) -> bool:
    """Whether they wrote recently enough to be written to freely."""
    return contact.written_at is not None and now - contact.written_at < window


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
