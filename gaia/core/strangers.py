"""Strangers: what becomes of a message from an address that is nobody's.

A stranger is told so once an hour, with a code that an owner can let them in
by, and gets nothing else: no row in the inbox, no model. One who sends a code
of an invitation, or of another channel of theirs, is let in at once.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto

from sqlalchemy.orm import Session

from gaia.core import notices, pairing, sentences
from gaia.core.access import TERMINAL
from gaia.core.delivery import Delivery
from gaia.messages import Address, Button, Inbound
from gaia.ports import Channel, Clock
from gaia.store import audit, conversations, inbox
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.people import identities, own_chats, pairings, strangers
from gaia.store.people.identities import User
from gaia.store.people.pairings import Code, Pairing
from gaia.store.tables import InboxState

logger = logging.getLogger(__name__)

COUNTED_ON_A_CHANNEL = 30
"""So many wrong codes of all strangers of a channel are counted within an hour. More cost no
write; a right one counts all the same, unless its own sender has tried too many."""

TOLD_ON_A_CHANNEL = 30
"""So many strangers of a channel are told within an hour that they are none of gaia's people. Of
more of them nothing is kept."""


@dataclass(frozen=True, slots=True)
class _Request:
    """A stranger's request by its number, None when too many wait, and whom it was told to."""

    number: int | None
    told: Sequence[Conversation]


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

        A late message gets no answer: its sender no longer expects one.
        """
        if inbound.address.channel == TERMINAL or inbound.is_late:
            return None
        code = pairing.sent_code(inbound)
        become = await self._try_code(code, inbound) if code else None
        return become or await self._tell(inbound)

    async def recover(self) -> None:
        """Greet those who were let in while nobody could tell them."""
        if not await self._database.read(pairings.to_greet):
            return
        greeted = await self._database.write(self._greet_all)
        for conversation_id in greeted:
            if conversation_id is not None:
                self._delivery.wake(conversation_id)

    def _greet_all(self, session: Session) -> Sequence[int | None]:
        return [self.greet(session, each) for each in pairings.to_greet(session)]

    async def invite_owner(self) -> str | None:
        """A code by which the owner becomes known on a channel where no owner is; None
        when there is no such channel, or several owners who can invite each other."""
        channels = self._channels.keys() - {TERMINAL}
        if not await self._database.read(_lacks_owner, channels):
            return None
        code = await asyncio.to_thread(pairings.new_code)
        await self._database.write(pairing.invite_owner, code, by=audit.GAIA, now=self._clock.now())
        return code.shown

    def greet(self, session: Session, approved: Pairing) -> int | None:
        """Tell who made a request that they are in, within the caller's transaction;
        returns the conversation to deliver then. None while their channel is off."""
        terms, now = approved.terms, self._clock.now()
        if terms.address is None or terms.chat is None:
            return None
        user = identities.resolve(session, terms.address)
        if terms.address.channel not in self._channels:
            return None
        pairings.mark_greeted(session, approved.pairing_id, now)
        if user is None:
            return None
        conversation = conversations.find_or_create(
            session,
            user_id=user.user_id,
            channel=terms.address.channel,
            chat=terms.chat,
            direct=bool(terms.direct),
            now=now,
        )
        # Their request was a message of theirs, though no inbox has it.
        conversations.note_written(
            session,
            conversation.conversation_id,
            approved.created_at,
            sender=terms.address.sender,
        )
        welcome = sentences.welcome(user.name, is_group=user.is_group)
        notices.write(session, self._channels, conversation, welcome, now)
        return conversation.conversation_id

    async def _try_code(self, code: str, inbound: Inbound) -> User | str | None:
        now, address = self._clock.now(), inbound.address
        waiting = await self._database.read(pairings.to_send_back, now)
        if not waiting:
            return None
        likely = pairings.possible(code, waiting)
        if not likely and await self._database.read(_is_flooded, address.channel, now):
            return None
        if not await self._database.write(strangers.may_try, address, now):
            return None
        found = await asyncio.to_thread(pairings.matching, code, likely)
        if found is None:
            return None
        if pairing.is_by_link(inbound) and pairing.needs_typing(found):
            whose = await self._database.read(pairing.whose, found)
            return sentences.type_the_code(whose)
        return await self._pair(found, inbound)

    async def _pair(self, found: Pairing, inbound: Inbound) -> User | None:
        paired = await self._database.write(self._let_in, found, inbound)
        if paired is None:
            return None
        user, written_to = paired
        for conversation in written_to:
            self._delivery.wake(conversation.conversation_id)
        logger.info("an address on %s is user %s now", inbound.address.channel, user.user_id)
        return user

    def _let_in(
        self, session: Session, found: Pairing, inbound: Inbound
    ) -> tuple[User, Sequence[Conversation]] | None:
        if identities.resolve(session, inbound.address) is not None:
            return None
        user = pairing.pair(session, found, inbound, self._clock.now())
        return None if user is None else (user, self._welcome(session, user, found, inbound))

    def _welcome(
        self, session: Session, user: User, found: Pairing, inbound: Inbound
    ) -> Sequence[Conversation]:
        """Record the message as answered, but for the code in it, and write the answer; returns
        whom to deliver to."""
        now, turn_id = self._clock.now(), secrets.token_hex(5)
        conversation = conversations.find_or_create(
            session,
            user_id=user.user_id,
            channel=inbound.address.channel,
            chat=inbound.chat,
            direct=inbound.direct,
            now=now,
        )
        inbox.record(
            session,
            replace(inbound, text=f"/{found.terms.purpose}", notes=(), attachments=()),
            conversation,
            is_command=True,
            now=now,
            state=InboxState.DONE,
            turn_id=turn_id,
        )
        told: Sequence[Conversation] = ()
        if found.terms.user_id is not None:
            text = sentences.linked(user)
            told = self._tell_linked(session, user, conversation, inbound.address)
        else:
            text = sentences.welcome(user.name, is_group=user.is_group)
        notices.write(session, self._channels, conversation, text, now, turn_id=turn_id)
        return (conversation, *told)

    def _tell_linked(
        self, session: Session, user: User, linked: Conversation, address: Address
    ) -> Sequence[Conversation]:
        """Tell a user in their other chats that an address has become theirs."""
        chats = self._chats_of(session, [user.user_id])
        others = [each for each in chats if each.conversation_id != linked.conversation_id]
        told, now = sentences.address_linked(str(address)), self._clock.now()
        for chat in others:
            notices.write(session, self._channels, chat, told, now)
        return others

    async def _tell(self, inbound: Inbound) -> str | None:
        address = inbound.address
        answer = await self._database.read(_answer_to, address, self._clock.now())
        if answer is _Answer.NOTHING:
            return None
        # To make one is slow.
        has_code = answer is _Answer.CODE
        code = await asyncio.to_thread(pairings.new_code) if has_code else None
        noted = await self._database.write(self._note_request, code, inbound)
        if noted is None:
            return None
        for conversation in noted.told:
            self._delivery.wake(conversation.conversation_id)
        logger.warning("denied an unknown sender on channel %s", address.channel)
        if noted.number is None or code is None:
            return sentences.COME_BACK_LATER
        return sentences.stranger(code.shown, is_group=not inbound.direct)

    def _note_request(
        self, session: Session, code: Code | None, inbound: Inbound
    ) -> _Request | None:
        """Keep that somebody asks to be let in; None if they were told so meanwhile."""
        address, now = inbound.address, self._clock.now()
        if not strangers.may_be_told(session, address, now):
            return None
        number = None if code is None else pairing.request(session, code, inbound, now)
        strangers.mark_told(session, address, now)
        audit.record_denied(session, address, now)
        told = () if number is None else self._tell_owners(session, number, inbound)
        return _Request(number, told)

    def _tell_owners(
        self, session: Session, number: int, inbound: Inbound
    ) -> Sequence[Conversation]:
        chats = self._chats_of(session, [each.user_id for each in identities.owners(session)])
        text = sentences.somebody_asks(
            number, pairing.own_name(inbound), str(inbound.address), is_group=not inbound.direct
        )
        buttons = (
            Button("Let in", f"/approve {number}", "yes"),
            Button("No", f"/deny {number}", "no"),
        )
        now = self._clock.now()
        for chat in chats:
            notices.write(session, self._channels, chat, text, now, buttons=buttons)
        return chats

    def _chats_of(self, session: Session, user_ids: Sequence[str]) -> Sequence[Conversation]:
        """The direct chats of users in which they can be told something: at the terminal nobody
        may sit."""
        return [
            chat
            for chat in own_chats.direct_of(session, user_ids)
            if chat.channel in self._channels and chat.channel != TERMINAL
        ]


class _Answer(Enum):
    """What a stranger is told."""

    NOTHING = auto()
    LATER = auto()
    CODE = auto()


def _answer_to(session: Session, address: Address, now: datetime) -> _Answer:
    if not strangers.may_be_told(session, address, now):
        return _Answer.NOTHING
    if strangers.told_on(session, address.channel, now) >= TOLD_ON_A_CHANNEL:
        return _Answer.NOTHING
    waiting = pairings.count_requests(session, address.channel, now)
    return _Answer.LATER if waiting >= pairing.REQUESTS_A_CHANNEL else _Answer.CODE


def _is_flooded(session: Session, channel: str, now: datetime) -> bool:
    return strangers.attempts_on(session, channel, now) >= COUNTED_ON_A_CHANNEL


def _lacks_owner(session: Session, channels: Set[str]) -> bool:
    """Whether the one owner, or nobody so far, has no address on one of the channels."""
    owners = identities.owners(session)
    known = [
        address for owner in owners for address in identities.addresses(session, owner.user_id)
    ]
    return bool(channels - {address.channel for address in known}) and len(owners) <= 1
