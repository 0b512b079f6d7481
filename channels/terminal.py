"""The terminal channel: `gaia chat` clients, attached over the daemon's local socket.

A chat is the name of its user on this machine. A reply goes to the client that
wrote the message; a client that is gone leaves it to the others of the chat.
The channel knows neither the web framework that carries its frames
(`gaia.web.local`) nor what the client looks like (`gaia.cli.chat`).

**What is known of a chunk.** `send` returns when the client has printed it. A
client that leaves before it says so leaves the outcome unknown, even if it
comes back, and the chunk is sent again. A client remembers the ids of what it
printed and drops the copy, so that the mark of a repeat is for new clients alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

from channels.terminal_attachment import Attachment, Connection
from channels.terminal_wire import (
    ClientFrame,
    DeliveredFrame,
    HelloFrame,
    MessageFrame,
    ReceiptFrame,
    RefusedFrame,
    WelcomeFrame,
    decode_client_frame,
    encode,
)
from gaia import messages
from gaia.clock import within
from gaia.errors import (
    AttachmentError,
    GaiaError,
    RetryableSendError,
    StoreError,
    UnreachableError,
    WireError,
)
from gaia.messages import (
    Address,
    Health,
    Inbound,
    MenuEntry,
    Outbound,
    Receipt,
    ReceiptKind,
    TurnEvent,
)
from gaia.ports import Clock, Gateway

logger = logging.getLogger(__name__)

REATTACH_SECONDS = 3.0
"""How long after a start a reply waits for its author, if only others are attached.
Clients try to attach again at least once a second."""

HELLO_SECONDS = 10.0
"""From the connection to the client's hello, which clients say at once."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a client tells its user on attaching, and the commands that it completes."""

    user_name: str
    model: str
    embedded: bool
    created: bool
    conversation_turns: int
    is_incognito: bool = False
    user_id: str = ""
    commands: tuple[MenuEntry, ...] = ()


class TerminalLogin(Protocol):
    """Knows users and the model, so that the channel need not."""

    async def greet(self, address: Address) -> Greeting:
        """Return the greeting for `address`. Raises a `GaiaError` to turn it away: its message
        is shown to the user."""
        ...


class TerminalChannel:
    """Implements `gaia.ports.Channel` for `gaia chat`.

    `version` is gaia's. `hosted` says that the daemon lives inside a client
    and ends with it, so that the other clients take over at once.
    """

    name = "terminal"
    settles = False
    reports = False

    def __init__(
        self, terminal_login: TerminalLogin, clock: Clock, *, version: str, hosted: bool = False
    ) -> None:
        self._login = terminal_login
        self._clock = clock
        self._version = version
        self._hosted = hosted
        self._gateway: Gateway | None = None
        self._serving_since = 0.0
        self._attachments: list[Attachment] = []

    async def serve(self, gateway: Gateway) -> None:
        """Let clients attach until cancelled, then dismiss them."""
        self._gateway = gateway
        self._serving_since = self._clock.monotonic()
        try:
            await asyncio.Event().wait()
        finally:
            self._gateway = None
            for attachment in self._attachments:
                attachment.dismiss()

    def split(self, text: str) -> Sequence[str]:
        """A terminal takes any length."""
        return (text,)

    def takes(self, media_type: str) -> bool:
        """A client writes files where its user is."""
        return True

    async def send(self, outbound: Outbound) -> str:
        """Send to the message's author, else to the client attached last,
        interactive ones first."""
        attachment = self._recipient(outbound)
        await attachment.deliver(outbound, await self._content(outbound))
        return f"{attachment.client_id}:{outbound.outbox_id}"

    async def fetch(self, attachment: messages.Attachment, *, limit_bytes: int) -> bytes:
        """A terminal takes no files."""
        raise AttachmentError(f"no {attachment.kind} can have come from a terminal")

    def watch(self, event: TurnEvent) -> None:
        """Preview the turn to the author of its message."""
        for attachment in self._attachments:
            if attachment.chat == event.chat:
                attachment.preview(event)

    def health(self) -> Health:
        if self._gateway is None:
            return Health(ok=False, detail="not serving")
        return Health(ok=True)

    async def attend(self, connection: Connection) -> None:
        """Talk with one client until it goes or is dismissed.

        While the channel does not serve, it hangs up and the client tries again.
        """
        try:
            hello = await within(self._clock, HELLO_SECONDS, _read_hello(connection))
        except TimeoutError:
            return
        gateway = self._gateway
        if hello is None or gateway is None:
            return
        address = Address(self.name, hello.user)
        try:
            greeting = await self._login.greet(address)
        except GaiaError as exc:
            logger.warning("A terminal client is refused: %s", exc)
            await connection.write(encode(RefusedFrame(reason=str(exc))))
            return
        if self._gateway is not gateway:
            return
        attachment = Attachment(hello, self._clock)
        attachment.offer(self._welcome(greeting))
        self._attach(attachment)
        try:
            if hello.interactive:
                gateway.expect(address)
            gateway.reachable(attachment.chat)
            await attachment.run(connection, partial(self._take, gateway, attachment))
        finally:
            self._attachments.remove(attachment)
            logger.info("A terminal client left", extra={"action": "terminal_left"})

    def _attach(self, attachment: Attachment) -> None:
        for other in self._attachments:
            if other.client_id == attachment.client_id:
                other.dismiss()
        self._attachments.append(attachment)
        logger.info("A terminal client is attached", extra={"action": "terminal_attached"})

    def _welcome(self, greeting: Greeting) -> WelcomeFrame:
        return WelcomeFrame(
            user_name=greeting.user_name,
            model=greeting.model,
            embedded=greeting.embedded,
            new_user=greeting.created,
            conversation_turns=greeting.conversation_turns,
            is_incognito=greeting.is_incognito,
            user_id=greeting.user_id,
            commands=greeting.commands,
            version=self._version,
            hosted=self._hosted,
        )

    async def _take(self, gateway: Gateway, attachment: Attachment, frame: ClientFrame) -> None:
        match frame:
            case MessageFrame():
                await self._receive(gateway, attachment, frame)
            case DeliveredFrame():
                attachment.delivered(frame.outbox_id)
            case HelloFrame():
                logger.warning("A terminal client said hello twice: the second is ignored")

    async def _receive(self, gateway: Gateway, attachment: Attachment, frame: MessageFrame) -> None:
        attachment.wrote(frame.client_message_id, frame.wants_preview)
        inbound = Inbound(
            address=Address(self.name, attachment.chat),
            chat=attachment.chat,
            provider_message_id=frame.client_message_id,
            text=frame.text,
            sent_at=self._clock.now(),
            sender_name=attachment.chat,
            wants_preview=frame.wants_preview,
            is_piped=not attachment.interactive,
        )
        receipt: Receipt | None = None
        try:
            receipt = await gateway.receive(inbound)
        except StoreError as exc:
            logger.error("A terminal message could not be stored: %s", exc)
        except Exception:
            # One message's fault must not end the conversation of its client.
            logger.exception("A terminal message could not be stored")
        outcome = _outcome(receipt)
        attachment.offer(ReceiptFrame(client_message_id=frame.client_message_id, outcome=outcome))

    async def _content(self, outbound: Outbound) -> bytes | None:
        if outbound.file is None or self._gateway is None:
            return None
        try:
            return await self._gateway.file(outbound.outbox_id)
        except StoreError as exc:
            raise RetryableSendError("the file that goes with it cannot be read") from exc

    def _recipient(self, outbound: Outbound) -> Attachment:
        attached = [
            each
            for each in self._attachments
            if each.chat == outbound.chat and not each.is_dismissed
        ]
        if not attached:
            raise UnreachableError(f"no terminal is attached for {outbound.chat!r}")
        for attachment in attached:
            if attachment.awaits(outbound.in_reply_to):
                return attachment
        since_start = self._clock.monotonic() - self._serving_since
        if outbound.in_reply_to and since_start < REATTACH_SECONDS:
            raise RetryableSendError(
                f"the author of the message from {outbound.chat!r} may come back",
                after_seconds=REATTACH_SECONDS - since_start,
            )
        return next((each for each in reversed(attached) if each.interactive), attached[-1])


async def _read_hello(connection: Connection) -> HelloFrame | None:
    text = await connection.read()
    if text is None:
        return None
    try:
        frame = decode_client_frame(text)
    except WireError as exc:
        await connection.write(encode(RefusedFrame(reason=str(exc))))
        return None
    return frame if isinstance(frame, HelloFrame) else None


def _outcome(receipt: Receipt | None) -> Literal["accepted", "denied", "refused", "failed"]:
    match receipt:
        case None:
            return "failed"
        case Receipt(kind=ReceiptKind.DENIED):
            return "denied"
        case Receipt(kind=ReceiptKind.REFUSED):
            return "refused"
        case _:
            return "accepted"
