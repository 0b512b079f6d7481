"""The gateway: the core as one channel sees it.

A chat that its provider gives another id goes on under that one. While somebody is about to
write, the model reads what it will need.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.agent.turn import Agent, Known, Scene
from gaia.core.delivery import Delivery
from gaia.core.dispatcher import Dispatcher
from gaia.core.outcomes import Observer
from gaia.core.shares import Shares
from gaia.core.turn_end import session_key
from gaia.errors import ModelError, StoreError
from gaia.memory.contexts import GLOBAL
from gaia.messages import Address, DeliveryReport, Inbound, Receipt, ReceiptKind, SentCopy
from gaia.ports import Clock
from gaia.store import chunk_states, conversations, outbox
from gaia.store.engine import Database
from gaia.store.people import identities
from gaia.store.people.users import Users
from gaia.store.sessions import SessionKey
from gaia.swappable import Swappable
from gaia.zones import zone_of

logger = logging.getLogger(__name__)


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
        warmer: ModelWarmer,
        observer: Observer,
        shares: Shares,
    ) -> None:
        self._channel = channel
        self._database = database
        self._clock = clock
        self._dispatcher = dispatcher
        self._delivery = delivery
        self._warmer = warmer
        self._observer = observer
        self._shares = shares
        self._take_overs: set[asyncio.Task[None]] = set()

    async def receive(self, inbound: Inbound) -> Receipt:
        await self._shares.here(self._channel, inbound.chat)
        receipt = await self._dispatcher.receive(inbound)
        if receipt.kind is not ReceiptKind.OVERHEARD:
            self._observer.received(self._channel, receipt.kind)
        return receipt

    def reachable(self, chat: str) -> None:
        self._delivery.reachable(self._channel, chat)
        taking_over = asyncio.create_task(self._take_over(chat), name=f"take-over-{chat}")
        self._take_overs.add(taking_over)
        taking_over.add_done_callback(self._take_overs.discard)

    async def _take_over(self, chat: str) -> None:
        try:
            for conversation_id in await self._shares.here(self._channel, chat):
                self._delivery.wake(conversation_id)
        except StoreError as exc:
            logger.warning("a chat cannot be taken over: %s", exc)

    async def moved(self, old_chat: str, new_chat: str) -> None:
        moved = await self._database.write(self._write_move, old_chat, new_chat)
        logger.info(
            "a chat on %s has another id now: %d conversations follow", self._channel, len(moved)
        )
        for conversation_id in moved:
            self._delivery.wake(conversation_id)

    def _write_move(self, session: Session, old_chat: str, new_chat: str) -> Sequence[int]:
        moved = conversations.move_chat(session, self._channel, old_chat, new_chat)
        identities.move_address(session, self._channel, old_chat, new_chat, self._clock.now())
        return moved

    async def reported(self, report: DeliveryReport) -> None:
        await self._delivery.reported(self._channel, report)

    async def on_their_way(self, since: datetime, until: datetime) -> Sequence[SentCopy]:
        return await self._database.read(chunk_states.on_their_way, self._channel, since, until)

    async def file(self, outbox_id: int) -> bytes | None:
        return await self._database.read(outbox.file_content, outbox_id)

    async def until_asks(self) -> None:
        await self._shares.until_leads()

    def expect(self, address: Address) -> None:
        self._warmer.expect(address)


class ModelWarmer:
    """Warms the model for the address that was expected last."""

    def __init__(
        self, *, database: Database, users: Users, agent: Swappable[Agent], clock: Clock
    ) -> None:
        self._database = database
        self._users = users
        self._agent = agent
        self._clock = clock
        self._expected: asyncio.Queue[Address] = asyncio.Queue(maxsize=1)

    def expect(self, address: Address) -> None:
        """Ask for warming of the direct chat with `address`, which is named like it.

        An earlier wish that was not begun is dropped.
        """
        if self._expected.full():
            self._expected.get_nowait()
        self._expected.put_nowait(address)

    async def run(self) -> None:
        """Warm whenever asked, until cancelled."""
        while True:
            address = await self._expected.get()
            try:
                await self._warm(address)
            except ModelError as exc:
                logger.warning("the model could not be warmed: %s", exc.bare)

    async def _warm(self, address: Address) -> None:
        user = await self._users.resolve(address)
        if user is None:
            return
        conversation = await self._database.read(
            conversations.find, user_id=user.user_id, channel=address.channel, chat=address.sender
        )
        if conversation is None:
            key, turns = SessionKey(user.user_id, address.channel, address.sender, 1), 0
            context = GLOBAL
        else:
            key = session_key(conversation, conversation.generation)
            turns, context = conversation.session_turns, conversation.context
        scene = Scene(key, user.name, turns, zone=user.zone, context=context)
        with self._agent.lease() as agent:
            known = await self._database.read(_read, agent, scene)
            await agent.warm(scene, known, self._clock.now().astimezone(zone_of(user.zone)))


def _read(session: Session, agent: Agent, scene: Scene) -> Known:
    return agent.read(session, scene, identities.memory_version(session, scene.key.user_id))
