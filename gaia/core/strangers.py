"""Strangers: what becomes of a message from an address that is nobody's.

A stranger is told so once an hour, with a code that an owner can let them in
by, and gets nothing else: no row in the inbox, no model. One who sends a code
of an invitation, or of another channel of theirs, is let in at once.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from gaia.core import pairing, sentences
from gaia.core.access import TERMINAL
from gaia.core.delivery import Delivery
from gaia.core.splitting import split_notice
from gaia.messages import Address, Button, Inbound
from gaia.ports import Channel, Clock
from gaia.store import (
    audit,
    codes,
    conversations,
    identities,
    inbox,
    outbox,
    pairings,
    strangers,
)
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.identities import User
from gaia.store.pairings import Pairing
from gaia.store.tables import InboxState, PairingPurpose

logger = logging.getLogger(__name__)

ATTEMPTS_A_CHANNEL = 30
"""So many codes all strangers of a channel may try within an hour: more are not
even compared."""


class Strangers:
    """Tells strangers what they are, and lets in those who have a code."""

    def __init__(
        self,
        *,
        database: Database,
        channels: Mapping[str, Channel],
        delivery: Delivery,
        clock: Clock,
    ) -> None:
        self._database = database
        self._channels = channels
        self._delivery = delivery
        self._clock = clock

    async def receive(self, inbound: Inbound) -> User | str | None:
        """The user who a stranger has become by their message; otherwise what to tell
        them, which is nothing most of the time.

        A late message is left alone: nobody waits for what it would be told.
        """
        if inbound.address.channel == TERMINAL or inbound.is_late:
            return None
        code = pairing.sent_code(inbound.text)
        user = await self._try_code(code, inbound) if code else None
        return user or await self._tell(inbound)

    async def recover(self) -> None:
        """Greet those who were let in while nobody could tell them."""
        async with self._database.read() as session:
            if not await pairings.to_greet(session):
                return
        async with self._database.write() as session:
            waiting = await pairings.to_greet(session)
            greeted = [await self.greet(session, each) for each in waiting]
        for conversation_id in greeted:
            if conversation_id is not None:
                self._delivery.wake(conversation_id)

    async def invite_owner(self) -> str | None:
        """A code by which the owner becomes known on a channel where no owner is; None
        when there is no such channel, or several owners who can invite each other."""
        channels = self._channels.keys() - {TERMINAL}
        async with self._database.read() as session:
            owners = await identities.owners(session)
            for owner in owners:
                known = await identities.addresses(session, owner.user_id)
                channels -= {address.channel for address in known}
        if not channels or len(owners) > 1:
            return None
        code = await codes.new_code()
        async with self._database.write() as session:
            await pairing.invite_owner(session, code, by=audit.GAIA, now=self._clock.now())
        return code.shown

    async def greet(self, session: AsyncSession, approved: Pairing) -> int | None:
        """Tell who made a request that they are in, within the caller's transaction;
        returns the conversation to deliver then. None while their channel is off."""
        terms, now = approved.terms, self._clock.now()
        if terms.address is None or terms.chat is None:
            return None
        user = await identities.resolve(session, terms.address)
        if terms.address.channel not in self._channels:
            return None
        await pairings.mark_greeted(session, approved.pairing_id, now)
        if user is None:
            return None
        conversation = await conversations.find_or_create(
            session,
            user_id=user.user_id,
            channel=terms.address.channel,
            chat=terms.chat,
            direct=bool(terms.direct),
            now=now,
        )
        # Their request was a message of theirs, though no inbox has it.
        await conversations.note_written(session, conversation.conversation_id, approved.created_at)
        welcome = sentences.welcome(user.name, is_group=user.is_group)
        await self._write(session, conversation, welcome)
        return conversation.conversation_id

    async def _try_code(self, code: str, inbound: Inbound) -> User | None:
        now = self._clock.now()
        async with self._database.read() as session:
            waiting = await pairings.to_send_back(session, now)
        if not waiting:
            return None
        if not await self._may_try(inbound.address):
            return None
        found = await pairings.matching(code, waiting)
        return None if found is None else await self._pair(found, inbound)

    async def _may_try(self, address: Address) -> bool:
        async with self._database.write() as session:
            now = self._clock.now()
            if await strangers.attempts_on(session, address.channel, now) >= ATTEMPTS_A_CHANNEL:
                logger.warning("too many codes were tried on channel %s", address.channel)
                return False
            return await strangers.may_try(session, address, now)

    async def _pair(self, found: Pairing, inbound: Inbound) -> User | None:
        conversation = None
        try:
            async with self._database.write() as session:
                now = self._clock.now()
                if await identities.resolve(session, inbound.address) is not None:
                    return None
                user = await pairing.pair(session, found, inbound, now)
                if user is None:
                    return None
                conversation = await self._welcome(session, user, found, inbound)
        finally:
            # Also for a channel that is cancelled while it is committed.
            if conversation is not None:
                self._delivery.wake(conversation.conversation_id)
        logger.info("an address on %s is user %s now", inbound.address.channel, user.user_id)
        return user

    async def _welcome(
        self, session: AsyncSession, user: User, found: Pairing, inbound: Inbound
    ) -> Conversation:
        """Record the message as answered, but for the code in it, and write the answer."""
        now, turn_id = self._clock.now(), secrets.token_hex(5)
        conversation = await conversations.find_or_create(
            session,
            user_id=user.user_id,
            channel=inbound.address.channel,
            chat=inbound.chat,
            direct=inbound.direct,
            now=now,
        )
        await inbox.record(
            session,
            replace(inbound, text=f"/{found.terms.purpose}", notes=(), attachments=()),
            conversation,
            is_command=True,
            now=now,
            state=InboxState.DONE,
            turn_id=turn_id,
        )
        if found.terms.purpose is PairingPurpose.LINK:
            text = sentences.linked(user.name)
        else:
            text = sentences.welcome(user.name, is_group=user.is_group)
        await self._write(session, conversation, text, turn_id=turn_id)
        return conversation

    async def _tell(self, inbound: Inbound) -> str | None:
        address = inbound.address
        async with self._database.read() as session:
            if not await strangers.may_be_told(session, address, self._clock.now()):
                return None
        code = await codes.new_code()
        told: Sequence[Conversation] = ()
        try:
            async with self._database.write() as session:
                now = self._clock.now()
                if not await strangers.may_be_told(session, address, now):
                    return None
                number = await pairing.request(session, code, inbound, now)
                await strangers.mark_told(session, address, now)
                await audit.record_denied(session, address, now)
                if number is not None:
                    told = await self._tell_owners(session, number, inbound)
        finally:
            # Also for a channel that is cancelled while it is committed.
            for conversation in told:
                self._delivery.wake(conversation.conversation_id)
        logger.warning("denied an unknown sender on channel %s", address.channel)
        if number is None:
            return sentences.COME_BACK_LATER
        return sentences.stranger(code.shown, is_group=not inbound.direct)

    async def _tell_owners(
        self, session: AsyncSession, number: int, inbound: Inbound
    ) -> Sequence[Conversation]:
        owners = [owner.user_id for owner in await identities.owners(session)]
        chats = [
            chat
            for chat in await conversations.direct_of(session, owners)
            if chat.channel in self._channels and chat.channel != TERMINAL
        ]
        text = sentences.somebody_asks(
            number, pairing.own_name(inbound), str(inbound.address), is_group=not inbound.direct
        )
        buttons = (Button("Let in", f"/approve {number}"), Button("No", f"/deny {number}"))
        for chat in chats:
            await self._write(session, chat, text, buttons=buttons)
        return chats

    async def _write(
        self,
        session: AsyncSession,
        conversation: Conversation,
        text: str,
        *,
        turn_id: str | None = None,
        buttons: Sequence[Button] = (),
    ) -> None:
        await outbox.add(
            session,
            conversation_id=conversation.conversation_id,
            turn_id=turn_id,
            chunks=split_notice(self._channels, conversation.channel, text),
            now=self._clock.now(),
            buttons=buttons,
        )
