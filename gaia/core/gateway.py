"""The gateway: the core as one channel sees it."""

from __future__ import annotations

from gaia.core.delivery import Delivery
from gaia.core.dispatcher import Dispatcher
from gaia.core.warming import Warming
from gaia.messages import Address, Inbound, Receipt


class ChannelGateway:
    """Implements `ports.Gateway` for the channel called `channel`."""

    def __init__(
        self, channel: str, *, dispatcher: Dispatcher, delivery: Delivery, warming: Warming
    ) -> None:
        self._channel = channel
        self._dispatcher = dispatcher
        self._delivery = delivery
        self._warming = warming

    async def receive(self, inbound: Inbound) -> Receipt:
        return await self._dispatcher.receive(inbound)

    def reachable(self, chat: str) -> None:
        self._delivery.reachable(self._channel, chat)

    def expect(self, address: Address) -> None:
        self._warming.expect(address)
