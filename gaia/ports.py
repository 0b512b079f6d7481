"""The seams: what gaia expects of the outside, as protocols.

Each has a real implementation and a fake in `gaia.testing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from gaia.messages import (
    Address,
    Attachment,
    DeliveryReport,
    Health,
    HookAnswer,
    HookRequest,
    Inbound,
    Outbound,
    Receipt,
    SentCopy,
    TurnEvent,
)


class Clock(Protocol):
    """Time. Everything that waits or stamps gets it from here."""

    def now(self) -> datetime:
        """The present time, aware UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never jump; only differences mean something."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        ...


class Gateway(Protocol):
    """The core, as a channel sees it."""

    async def receive(self, inbound: Inbound) -> Receipt:
        """Commit `inbound`; only then may the channel acknowledge it.

        Raises `StoreError` when it cannot be stored: do not acknowledge.
        """
        ...

    def reachable(self, chat: str) -> None:
        """Say that somebody listens on `chat` again, so what waits is sent."""
        ...

    async def moved(self, old_chat: str, new_chat: str) -> None:
        """Say that the provider gave a chat another id. Its conversation goes on,
        and what waits for it is sent to the new one. Idempotent.

        Raises `StoreError` when that cannot be stored.
        """
        ...

    async def reported(self, report: DeliveryReport) -> None:
        """Say what became of a chunk that the provider took. Idempotent, in any order.

        Raises `StoreError` when that cannot be stored.
        """
        ...

    async def on_their_way(self, since: datetime, until: datetime) -> Sequence[SentCopy]:
        """What the channel sent in that time, and of which it has not reported that it arrived
        or failed, the latest first.

        Raises `StoreError` when it cannot be read.
        """
        ...

    async def file(self, outbox_id: int) -> bytes | None:
        """The content of the file that goes with a chunk; None if there is none (any more).

        Raises `StoreError` when it cannot be read.
        """
        ...

    async def until_asks(self) -> None:
        """Return when this process is the one that asks the provider for messages: where
        several work together, one does. It is to be awaited before it is asked first."""
        ...

    def expect(self, address: Address) -> None:
        """Say that a message from `address` is likely soon, so that the model
        may get ready. Never blocks, never fails, stores nothing."""
        ...


class Channel(Protocol):
    """One way to reach people: Telegram, WhatsApp, the terminal.

    An adapter translates the provider's objects and errors and knows nothing
    of users or memory.
    """

    @property
    def name(self) -> str:
        """The channel's name in settings, addresses and logs."""
        ...

    @property
    def settles(self) -> bool:
        """Whether messages in quick succession are one turn."""
        ...

    @property
    def reports(self) -> bool:
        """Whether the provider tells later what became of a message, by
        `Gateway.reported`. The next chunk for a chat waits for that, but not long."""
        ...

    async def serve(self, gateway: Gateway) -> None:
        """Run until cancelled; clean up on cancellation.

        An exception means that the channel broke: the supervisor logs it and
        calls `serve` again after a pause.
        """
        ...

    def split(self, text: str) -> Sequence[str]:
        """Cut a reply, Markdown, into chunks that the channel can send, in order,
        with room for `REPEAT_MARK`. A chunk is in the form that `send` takes, which
        may be the channel's own formatting. No word of the text is lost."""
        ...

    def takes(self, media_type: str) -> bool:
        """Whether a file of that kind can go with a chunk. Asked before one is made."""
        ...

    async def send(self, outbound: Outbound) -> str:
        """Send one chunk, as `marked_text` has it, and return the provider's id for it.

        A channel that recognises a chunk by its `outbox_id` may drop the second
        copy, or leave out the mark where the first certainly did not arrive.

        Raises one of the four kinds of `SendError`, and nothing else.
        The text goes without a file that the channel does not take, or that is gone.
        """
        ...

    async def fetch(self, attachment: Attachment, *, limit_bytes: int) -> bytes:
        """The content of a file that came with a message of this channel.

        Raises `AttachmentError` when it cannot be had, or is longer than `limit_bytes`.
        """
        ...

    def watch(self, event: TurnEvent) -> None:
        """Show that a turn runs (typing, a preview), or ignore it.

        Called on the loop: must neither block nor raise.
        """
        ...

    def health(self) -> Health:
        """Whether the channel works at the moment."""
        ...


@runtime_checkable
class Moderated(Protocol):
    """A channel that knows who runs a group."""

    async def administers(self, chat: str, person: str) -> bool | None:
        """Whether a person, an `Inbound.author`, is an admin of a group; None where that
        cannot be known. Never raises."""
        ...


@runtime_checkable
class Hooked(Protocol):
    """A channel whose provider calls gaia over HTTP, below `/hooks/<channel>`."""

    async def hook(self, request: HookRequest) -> HookAnswer:
        """Take a request of whoever knows the address: check first that it is the
        provider's, in constant time. Answer success only for what is committed."""
        ...
