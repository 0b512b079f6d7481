"""A core whose answers the test gives: the other side of a channel, without a model.

It keeps what the real core promises a channel: a message counts once however
often it arrives, chunks of a chat are sent in order, what could not be sent
waits, and a chunk tells how things stand with the person. Reports are only kept.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from gaia.errors import RetryableSendError, StoreError, UnknownSendError, UnreachableError
from gaia.messages import (
    Address,
    Contact,
    DeliveryReport,
    Inbound,
    MenuEntry,
    Outbound,
    OutboundFile,
    Receipt,
    ReceiptKind,
    SentCopy,
)
from gaia.ports import Channel, Clock

PATIENCE_SECONDS = 60


@dataclass(slots=True)
class CoreState:
    """What a core knows. Give it to the next core to play a restart."""

    received: list[Inbound] = field(default_factory=list)
    overheard: list[Inbound] = field(default_factory=list)
    waiting: list[Outbound] = field(default_factory=list)
    sent: list[Outbound] = field(default_factory=list)
    expected: list[Address] = field(default_factory=list)
    reachable: list[str] = field(default_factory=list)
    reports: list[DeliveryReport] = field(default_factory=list)
    files: dict[int, bytes] = field(default_factory=dict)
    contacts: dict[str, Contact] = field(default_factory=dict)
    moved: list[tuple[str, str]] = field(default_factory=list)
    on_their_way: list[tuple[datetime, SentCopy]] = field(default_factory=list)
    outbox_ids: int = 0


class ScriptedCore:
    """Implements `gaia.ports.Gateway` for one channel."""

    def __init__(self, channel: Channel, clock: Clock, state: CoreState | None = None) -> None:
        self.state = state or CoreState()
        self.denied_senders: set[str] = set()
        self.stranger_reply: str | None = None
        self.menu: tuple[MenuEntry, ...] = ()
        self.hasty_senders: set[str] = set()
        self.store_is_broken = False
        self._channel = channel
        self._clock = clock
        self._inbox: asyncio.Queue[Inbound] = asyncio.Queue()
        self._wakes: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._new_chats: asyncio.Queue[str] = asyncio.Queue()
        for outbound in self.state.waiting:
            self._wake(outbound.chat)

    async def run(self) -> None:
        """Serve the channel and deliver, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._channel.serve(self))
            while True:
                group.create_task(self._deliver(await self._new_chats.get()))

    async def receive(self, inbound: Inbound) -> Receipt:
        if self.store_is_broken:
            raise StoreError("the disk is full: make room")
        if inbound.address.sender in self.denied_senders:
            return Receipt(ReceiptKind.DENIED, stranger_reply=self.stranger_reply)
        if inbound.address.sender in self.hasty_senders:
            return Receipt(ReceiptKind.REFUSED)
        if inbound.is_overheard:
            self.state.overheard.append(inbound)
            return Receipt(ReceiptKind.OVERHEARD)
        known = {each.provider_message_id for each in self.state.received}
        if inbound.provider_message_id in known:
            return Receipt(ReceiptKind.DUPLICATE, menu=self.menu)
        self.state.received.append(inbound)
        self.state.contacts[inbound.chat] = Contact(inbound.sent_at)
        self._inbox.put_nowait(inbound)
        return Receipt(ReceiptKind.ACCEPTED, menu=self.menu)

    def reachable(self, chat: str) -> None:
        self.state.reachable.append(chat)
        self._wake(chat)

    async def moved(self, old_chat: str, new_chat: str) -> None:
        self.state.moved.append((old_chat, new_chat))
        self.state.waiting = [
            replace(each, chat=new_chat) if each.chat == old_chat else each
            for each in self.state.waiting
        ]
        self._wake(new_chat)

    async def reported(self, report: DeliveryReport) -> None:
        if self.store_is_broken:
            raise StoreError("the disk is full: make room")
        self.state.reports.append(report)

    async def on_their_way(self, since: datetime, until: datetime) -> Sequence[SentCopy]:
        return [copy for at, copy in self.state.on_their_way if since <= at <= until]

    async def file(self, outbox_id: int) -> bytes | None:
        if self.store_is_broken:
            raise StoreError("the disk is full: make room")
        return self.state.files.get(outbox_id)

    async def until_asks(self) -> None:
        """There is one process."""

    def expect(self, address: Address) -> None:
        self.state.expected.append(address)

    async def next_message(self) -> Inbound:
        """The next message that was received. One that does not come is an error soon: a
        program that waits for the test, and a test for it, would wait on."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self._inbox.get()

    def reply(
        self,
        inbound: Inbound,
        *chunks: str,
        file: OutboundFile | None = None,
        content: bytes = b"",
    ) -> None:
        """Answer a message with one or more chunks. A `file` with that content goes with
        the last."""
        for seq, text in enumerate(chunks):
            final = seq == len(chunks) - 1
            self._enqueue(
                inbound.chat,
                text,
                seq=seq,
                final=final,
                in_reply_to=(inbound.provider_message_id,),
                file=file if final else None,
            )
        if file is not None:
            self.state.files[self.state.outbox_ids] = content

    def say(self, chat: str, text: str) -> None:
        """Start a message by itself."""
        self._enqueue(chat, text, seq=0, final=True, in_reply_to=())

    def _enqueue(
        self,
        chat: str,
        text: str,
        *,
        seq: int,
        final: bool,
        in_reply_to: tuple[str, ...],
        file: OutboundFile | None = None,
    ) -> None:
        self.state.outbox_ids += 1
        outbound = Outbound(
            outbox_id=self.state.outbox_ids,
            chat=chat,
            text=text,
            seq=seq,
            final=final,
            in_reply_to=in_reply_to,
            file=file,
        )
        self.state.waiting.append(outbound)
        self._wake(chat)

    def _wake(self, chat: str) -> None:
        if chat not in self._wakes:
            self._new_chats.put_nowait(chat)
        self._wakes[chat].set()

    async def _deliver(self, chat: str) -> None:
        while True:
            await self._wakes[chat].wait()
            self._wakes[chat].clear()
            await self._deliver_what_waits(chat)

    async def _deliver_what_waits(self, chat: str) -> None:
        while outbound := next((o for o in self.state.waiting if o.chat == chat), None):
            contact = self.state.contacts.get(chat, Contact())
            try:
                await self._channel.send(replace(outbound, contact=contact))
            except UnreachableError as exc:
                if not self._still_reachable(chat, contact, exc):
                    return
            except RetryableSendError as exc:
                await self._clock.sleep(exc.after_seconds or 0)
            except UnknownSendError:
                continue
            else:
                self.state.waiting.remove(outbound)
                self.state.sent.append(outbound)

    def _still_reachable(self, chat: str, contact: Contact, exc: UnreachableError) -> bool:
        """Keep what became of the contact; whether the channel may now find another way."""
        is_lost = exc.contact_lost and contact.written_at is not None
        self.state.contacts[chat] = Contact(
            written_at=None if exc.contact_lost else contact.written_at,
            asked_at=self._clock.now() if exc.asked else contact.asked_at,
        )
        return is_lost
