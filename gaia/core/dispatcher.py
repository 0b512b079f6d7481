"""The dispatcher: where every inbound message enters, and is kept from then on.

`receive` returns once the message is committed, so that a channel acknowledges
nothing that a crash could lose. Turns and slash commands then run apart, the
ones by handlers, the others by the command runner: a command waits for no turn,
but a turn waits for the commands given before it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from gaia.core import corrections, notices, pairing, slash
from gaia.core.access import Access, Limits
from gaia.core.command_runner import CommandRunner
from gaia.core.delivery import Delivery
from gaia.core.handler import Handlers
from gaia.core.plain_words import OpenQuestions, PlainWords
from gaia.core.slash import Commands
from gaia.core.strangers import Strangers
from gaia.core.turn_runner import TurnRunner
from gaia.messages import CORRECTION, MAYBE_FORWARDED, Address, Inbound, Receipt, ReceiptKind
from gaia.ports import Channel, Clock
from gaia.store import conversations, edits, inbox, overheard, senders
from gaia.store.conversations import Conversation
from gaia.store.engine import Database
from gaia.store.people.users import User
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Added:
    """What became of a user's message, and who is to be woken for it."""

    user: User
    kind: ReceiptKind
    wake: Callable[[], None] | None = None
    dropped: int | None = None
    """The conversation in which it takes the place of an answer to a question."""


class Dispatcher:
    """Takes messages in and hands them to handlers, or to the command runner."""

    def __init__(
        self,
        *,
        database: Database,
        access: Access,
        strangers: Strangers,
        limits: Limits,
        plain_words: PlainWords,
        runner: Swappable[TurnRunner],
        handlers: Handlers,
        command_runner: CommandRunner,
        delivery: Delivery,
        commands: Commands,
        channels: Mapping[str, Channel],
        clock: Clock,
        open_questions: OpenQuestions,
    ) -> None:
        self._database = database
        self._access = access
        self._strangers = strangers
        self._limits = limits
        self._plain_words = plain_words
        self._runner = runner
        self._handlers = handlers
        self._command_runner = command_runner
        self._delivery = delivery
        self._commands = commands
        self._channels = channels
        self._clock = clock
        self._open_questions = open_questions
        self._last_words = corrections.LastWords()

    async def receive(self, inbound: Inbound) -> Receipt:
        """Commit a message and have it answered.

        Raises:
            StoreError: It could not be kept: the channel must not acknowledge it.
        """
        if inbound.is_overheard and self._is_command_here(inbound):
            inbound = replace(inbound, is_overheard=False)
        if inbound.is_overheard:
            now = self._clock.now()
            if not await self._database.read(overheard.may_matter, inbound, now):
                return Receipt(ReceiptKind.OVERHEARD)
        while (added := await self._database.write(self._add, inbound)) is None:
            if inbound.is_overheard:
                return Receipt(ReceiptKind.OVERHEARD)
            if await self._access.admit(inbound.address) is None:
                return await self._receive_from_stranger(inbound)
        if added.kind is ReceiptKind.ACCEPTED:
            self._last_words.note(inbound)
        elif added.kind is not ReceiptKind.OVERHEARD:
            logger.info("a message on %s is a %s one", inbound.address.channel, added.kind)
        if added.wake is not None:
            added.wake()
        if added.dropped is not None:
            self._open_questions.discard(added.dropped)
            self._delivery.wake(added.dropped)
        return self._receipt(added.kind, added.user, inbound)

    def _is_command_here(self, inbound: Inbound) -> bool:
        """Whether a message is a command of gaia's, or a slip of one; another bot's is not."""
        command = slash.parse(inbound.text)
        if command is None:
            return False
        return self._commands.knows(command.name) or command.name in pairing.COMMANDS_WITH_CODE

    async def _receive_from_stranger(self, inbound: Inbound) -> Receipt:
        become = await self._strangers.receive(inbound)
        if isinstance(become, User):
            return self._receipt(ReceiptKind.ACCEPTED, become, inbound)
        return Receipt(ReceiptKind.DENIED, stranger_reply=become)

    def _receipt(self, kind: ReceiptKind, user: User, inbound: Inbound) -> Receipt:
        if kind in (ReceiptKind.DENIED, ReceiptKind.OVERHEARD):
            return Receipt(kind)
        return Receipt(kind, menu=self._commands.menu(user, direct=inbound.direct))

    def _add(self, session: Session, inbound: Inbound) -> _Added | None:
        """Keep a message; None if it is a stranger's."""
        now = self._clock.now()
        sender = senders.find(session, inbound.address, inbound.chat, now)
        if sender is None and (moved := _from_new_chat(session, inbound)) is not None:
            inbound, sender = moved, senders.find(session, moved.address, moved.chat, now)
        if sender is None:
            return None
        user = sender.user
        if _is_from_before(inbound, sender.known_since):
            return _Added(user, ReceiptKind.DENIED)
        if self._last_words.are_repeated(inbound):
            return _Added(user, ReceiptKind.DUPLICATE)
        inbound = pairing.code_as_command(session, inbound, now)
        conversation = sender.conversation or conversations.create(
            session,
            user_id=user.user_id,
            channel=inbound.address.channel,
            chat=inbound.chat,
            direct=inbound.direct,
            now=now,
        )
        conversation_id = conversation.conversation_id
        if inbound.is_overheard and not overheard.belongs(session, inbound, now):
            overheard.keep(session, inbound, conversation, now)
            return _Added(user, ReceiptKind.OVERHEARD)
        if MAYBE_FORWARDED not in inbound.notes and not inbound.is_overheard:
            inbound = self._plain_words.as_command(session, inbound, conversation, user, now)
        command = None if inbound.is_overheard else slash.parse(inbound.text)
        is_command = command is not None
        is_given = not is_command and _is_given_by_edit(session, inbound, conversation)
        settled = edits.settle(session, inbound, conversation_id, is_command=is_command)
        if isinstance(settled, ReceiptKind) and is_given:
            expect = partial(self._handlers.expect, conversation, None)
            return _Added(user, ReceiptKind.ACCEPTED, expect)
        if isinstance(settled, ReceiptKind):
            return _Added(user, settled)
        if self._limits.is_one_too_many(sender.recent_messages, command, user, settled):
            kind = self._limits.refuse(
                session, conversation, settled, self._channels, now, is_command=is_command
            )
            is_told = kind is ReceiptKind.ACCEPTED
            wake = partial(self._delivery.wake, conversation_id) if is_told else None
            return _Added(user, kind, wake)
        return self._record(session, settled, conversation, user, now, is_command=is_command)

    def _record(
        self,
        session: Session,
        inbound: Inbound,
        conversation: Conversation,
        user: User,
        now: datetime,
        *,
        is_command: bool,
    ) -> _Added:
        """Put a message into the inbox, with what belongs to it and what it ends."""
        conversation_id = conversation.conversation_id
        if not inbox.record(session, inbound, conversation, is_command=is_command, now=now):
            # Where nobody could tell whether the first one was kept, nobody was woken either.
            worker = self._command_runner if is_command else self._handlers
            return _Added(user, ReceiptKind.DUPLICATE, partial(worker.wake, conversation_id))
        if inbound.album is not None and not inbound.direct:
            overheard.give(session, inbound.album, conversation)
        if CORRECTION in inbound.notes:
            corrections.take_back(session, inbound, conversation)
        if is_command:
            wake = partial(self._command_runner.wake, conversation_id)
        else:
            cue = self._runner.value.cue(session, user.user_id, inbound.text)
            wake = partial(self._handlers.expect, conversation, cue)
        told = self._open_questions.dropped_by(session, conversation, inbound, now)
        if is_command or told is None:
            return _Added(user, ReceiptKind.ACCEPTED, wake)
        if told:
            notices.write(session, self._channels, conversation, told, now)
        return _Added(user, ReceiptKind.ACCEPTED, wake, dropped=conversation_id)


def _is_given_by_edit(session: Session, inbound: Inbound, conversation: Conversation) -> bool:
    """Whether an edit names gaia in an album that was overheard, which is for gaia now."""
    if inbound.edit_of is None or inbound.album is None or inbound.direct or inbound.is_overheard:
        return False
    return overheard.give(session, inbound.album, conversation)


def _from_new_chat(session: Session, inbound: Inbound) -> Inbound | None:
    """A message from a group that its channel has given another id meanwhile, as one from there;
    None if it has not. It came late, or is a button below what was said before."""
    channel = inbound.address.channel
    present = None if inbound.direct else conversations.moved_to(session, channel, inbound.chat)
    if present is None:
        return None
    return replace(inbound, address=Address(channel, present), chat=present)


def _is_from_before(inbound: Inbound, known_since: datetime) -> bool:
    """Whether a message that the channel asked its provider for was sent by a stranger,
    before the address became a user's."""
    # Providers tell times in whole seconds.
    return inbound.is_late and inbound.sent_at < known_since.replace(microsecond=0)
