"""Warming: while somebody is about to write, the model reads what it will need."""

from __future__ import annotations

import asyncio
import logging

from sqlalchemy.orm import Session

from gaia.agent.turn import Agent, Known, Scene
from gaia.core.turn_end import session_key
from gaia.current import Current
from gaia.errors import ModelError
from gaia.messages import Address
from gaia.ports import Clock
from gaia.store import conversations, identities
from gaia.store.engine import Database
from gaia.store.sessions import SessionKey
from gaia.store.users import Users

logger = logging.getLogger(__name__)


class Warming:
    """Warms the model for the address that was expected last."""

    def __init__(
        self, *, database: Database, users: Users, agent: Current[Agent], clock: Clock
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
        else:
            key = session_key(conversation, conversation.generation)
            turns = conversation.session_turns
        scene = Scene(key, user.name, turns)
        with self._agent.using() as agent:
            known = await self._database.read(_read, agent, scene)
            await agent.warm(scene, known, self._clock.now().astimezone())


def _read(session: Session, agent: Agent, scene: Scene) -> Known:
    return agent.read(session, scene, identities.memory_version(session, scene.key.user_id))
