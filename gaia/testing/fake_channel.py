"""A channel in memory: a test writes through it and reads what was sent."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from gaia.errors import AttachmentError, SendError, UnknownSendError, UnreachableError
from gaia.messages import (
    Address,
    Attachment,
    DeliveryReport,
    DeliveryStage,
    Health,
    Inbound,
    Outbound,
    Receipt,
    TurnEvent,
)
from gaia.ports import Clock, Gateway


class FakeChannel:
    """Implements `gaia.ports.Channel`.

    `sent` holds what arrived, in order. `failures` are raised by the next sends,
    one each; nobody listens on the chats in `absent`. `longest` cuts replies
    into chunks of so many characters. `files` are what `fetch` finds, by their ids;
    it never comes back from those in `stuck`. `fetched` lists what it was asked for.
    Of the people in `admins` it knows whether they run groups.
    Files of the media types `taken` go with a chunk. `hasty` are told by the provider
    while `send` runs, of the next chunk each. Of the next `unanswered` chunks nobody learns
    that they were taken. Each copy of a chunk has an id of its own.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        name: str = "fake",
        settles: bool = False,
        reports: bool = False,
        longest: int | None = None,
    ) -> None:
        self.name = name
        self.settles = settles
        self.reports = reports
        self.sent: list[Outbound] = []
        self.events: list[TurnEvent] = []
        self.failures: list[SendError] = []
        self.absent: set[str] = set()
        self.files: dict[str, bytes] = {}
        self.taken: set[str] = set()
        self.stuck: set[str] = set()
        self.admins: dict[str, bool] = {}
        self.hasty: list[tuple[DeliveryStage, SendError | None]] = []
        self.unanswered = 0
        self.fetched: list[str] = []
        self._clock = clock
        self._longest = longest
        self._gateway: Gateway | None = None
        self._ids = itertools.count(1)
        self._copies = Counter[int]()
        self._changed = asyncio.Condition()

    async def serve(self, gateway: Gateway) -> None:
        self._gateway = gateway
        try:
            await asyncio.Event().wait()
        finally:
            self._gateway = None

    def connect(self, gateway: Gateway) -> None:
        """Serve without a task of its own."""
        self._gateway = gateway

    def split(self, text: str) -> Sequence[str]:
        size = self._longest or len(text) or 1
        return [text[start : start + size] for start in range(0, len(text), size)]

    def takes(self, media_type: str) -> bool:
        return media_type in self.taken

    async def send(self, outbound: Outbound) -> str:
        async with self._changed:
            self._changed.notify_all()
            if self.failures:
                raise self.failures.pop(0)
            if self._gateway is None or outbound.chat in self.absent:
                raise UnreachableError(f"nobody listens on {outbound.chat!r}")
            self.sent.append(outbound)
            self._copies[outbound.outbox_id] += 1
        if self.hasty:
            stage, failure = self.hasty.pop(0)
            await self.report(outbound.outbox_id, stage, failure=failure)
        if self.unanswered:
            self.unanswered -= 1
            raise UnknownSendError("cut off")
        return self.provider_id(outbound.outbox_id)

    async def fetch(self, attachment: Attachment, *, limit_bytes: int) -> bytes:
        self.fetched.append(attachment.file_id)
        if attachment.file_id in self.stuck:
            await asyncio.Event().wait()
        content = self.files.get(attachment.file_id)
        if content is None or len(content) > limit_bytes:
            raise AttachmentError(f"no {attachment.kind} of at most {limit_bytes} bytes is there")
        return content

    async def administers(self, chat: str, person: str) -> bool | None:
        return self.admins.get(person)

    def watch(self, event: TurnEvent) -> None:
        self.events.append(event)

    def health(self) -> Health:
        return Health(ok=True) if self._gateway else Health(ok=False, detail="not serving")

    async def say(self, text: str, *, sender: str = "ada", **changes: object) -> Receipt:
        """Write to gaia; `changes` replace fields of the message."""
        if self._gateway is None:
            raise RuntimeError("the channel is not served")
        inbound = Inbound(
            address=Address(self.name, sender),
            chat=sender,
            provider_message_id=f"message-{next(self._ids)}",
            text=text,
            sent_at=self._clock.now(),
        )
        return await self._gateway.receive(replace(inbound, **changes))  # type: ignore[arg-type]

    def reachable(self, chat: str) -> None:
        """Tell gaia that somebody listens on `chat` again."""
        self.absent.discard(chat)
        if self._gateway is not None:
            self._gateway.reachable(chat)

    def provider_id(self, outbox_id: int, copy: int | None = None) -> str:
        """What the provider calls a copy of a chunk, counted from 1; the last one if none
        is named."""
        if copy is None:
            copy = self._copies[outbox_id]
        return f"sent-{outbox_id}" if copy <= 1 else f"sent-{outbox_id}-{copy}"

    async def report(
        self,
        outbox_id: int,
        stage: DeliveryStage,
        *,
        failure: SendError | None = None,
        copy: int | None = None,
        of_question: bool = False,
    ) -> None:
        """Have the provider tell what became of a copy of a chunk, the last one if none
        is named, or of the question whether somebody writes."""
        if self._gateway is None:
            raise RuntimeError("the channel is not served")
        provider_id = self.provider_id(outbox_id, copy)
        report = DeliveryReport(outbox_id, provider_id, stage, failure, of_question)
        await self._gateway.reported(report)

    async def until_sent(self, count: int) -> Sequence[Outbound]:
        """What was sent, once it is at least `count` chunks."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.sent) >= count)
        return self.sent

    async def until_tried(self, remaining_failures: int) -> None:
        """Return once no more than so many `failures` are left."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.failures) <= remaining_failures)
