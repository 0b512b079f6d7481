"""The gateway: the core as one channel sees it."""

from __future__ import annotations

from gaia.core.delivery import Delivery
from gaia.core.dispatcher import Dispatcher
from gaia.core.moving import move_chat
from gaia.core.observing import Observer
from gaia.core.warming import Warming
from gaia.messages import Address, DeliveryReport, Inbound, Receipt
from gaia.ports import Clock
from gaia.store import outbox
from gaia.store.engine import Database


class ChannelGateway:
    """Implements `ports.Gateway` for the channel called `channel`."""

    def __init__(
        self,
        channel: str,
        *,
        database: Database,
        clock: Clock,
        dispatcher: Dispatcher,
        delivery: Delivery,
        warming: Warming,
        observer: Observer,
    ) -> None:
        self._channel = channel
        self._database = database
        self._clock = clock
        self._dispatcher = dispatcher
        self._delivery = delivery
        self._warming = warming
        self._observer = observer

    async def receive(self, inbound: Inbound) -> Receipt:
        receipt = await self._dispatcher.receive(inbound)
        self._observer.received(self._channel, receipt.kind)
        return receipt

    def reachable(self, chat: str) -> None:
        self._delivery.reachable(self._channel, chat)

    async def moved(self, old_chat: str, new_chat: str) -> None:
        moved = await move_chat(self._database, self._clock, self._channel, old_chat, new_chat)
        for conversation_id in moved:
            self._delivery.wake(conversation_id)

    async def reported(self, report: DeliveryReport) -> None:
        await self._delivery.reported(self._channel, report)

    async def file(self, outbox_id: int) -> bytes | None:
        return await self._database.read(outbox.file_content, outbox_id)

    def expect(self, address: Address) -> None:
        self._warming.expect(address)
