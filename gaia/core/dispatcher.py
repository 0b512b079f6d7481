"""The dispatcher: where every inbound message enters, and is kept from then on.

`receive` returns once the message is committed, so that a channel acknowledges
nothing that a crash could lose. Turns and slash commands then run apart: a
command waits for no turn, but a turn waits for the commands given before it.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.orm import Session

from gaia.core import corrections, pairing, sentences, slash
from gaia.core.access import Access, Limits
from gaia.core.delivery import Delivery
from gaia.core.handler import Handlers
from gaia.core.plain_words import PlainWords
from gaia.core.shares import ALL, Share
from gaia.core.slash import Caller, Commands, Prepared, Reply
from gaia.core.strangers import Strangers
from gaia.core.turn_runner import TurnRunner
from gaia.core.workers import Workers
from gaia.logs import turn_in_log
from gaia.messages import CORRECTION, MAYBE_FORWARDED, Inbound, Receipt, ReceiptKind
from gaia.ports import Channel, Clock
from gaia.store import (
    batches,
    conversations,
    departures,
    edits,
    inbox,
    incognito,
    outbox,
    overheard,
    own_chats,
    senders,
)
from gaia.store.batches import Batch
from gaia.store.conversations import Conversation
from gaia.store.engine import Database, UnknownOutcomeError
from gaia.store.tables import InboxState
from gaia.store.users import User, Users
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
    """Takes messages in and hands them to handlers, or to the slash commands."""

    def __init__(
        self,
        *,
        database: Database,
        access: Access,
        strangers: Strangers,
        limits: Limits,
        plain_words: PlainWords,
        users: Users,
        runner: Swappable[TurnRunner],
        handlers: Handlers,
        delivery: Delivery,
        commands: Commands,
        channels: Mapping[str, Channel],
        clock: Clock,
        asked: set[int],
        share: Share[int] = ALL,
    ) -> None:
        self._database = database
        self._access = access
        self._strangers = strangers
        self._limits = limits
        self._plain_words = plain_words
        self._users = users
        self._runner = runner
        self._handlers = handlers
        self._delivery = delivery
        self._commands = commands
        self._channels = channels
        self._clock = clock
        self._asked = asked
        """Conversations in which a question waits for a yes or no, so that it is said when
        it is dropped. Handlers add to it."""
        self._last_words = corrections.LastWords()
        self._workers = Workers("command", self._work, clock, share)

    async def receive(self, inbound: Inbound) -> Receipt:
        """Commit a message and have it answered.

        Raises:
            StoreError: It could not be kept: the channel must not acknowledge it.
        """
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
            self._asked.discard(added.dropped)
            self._delivery.wake(added.dropped)
        return self._receipt(added.kind, added.user, inbound)

    def wake(self, conversation_id: int) -> None:
        """Say that a command waits in the inbox."""
        self._workers.wake(conversation_id)

    async def recover(self) -> None:
        """At start: take up the commands that an earlier process left."""
        waiting = await self._database.read(inbox.unfinished_conversations, is_command=True)
        for conversation_id in waiting:
            self._workers.wake(conversation_id)

    async def drain(self) -> None:
        """Return when the commands that run have ended."""
        await self._workers.drain()

    async def cancel(self) -> None:
        """Interrupt the commands, to be taken up at the next start."""
        await self._workers.cancel()

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
        settled = edits.settle(session, inbound, conversation_id, is_command=is_command)
        if isinstance(settled, ReceiptKind):
            return _Added(user, settled)
        inbound = settled
        if self._limits.is_one_too_many(sender.recent_messages, command, user, inbound):
            kind = self._limits.refuse(
                session, conversation, inbound, self._channels, now, is_command=is_command
            )
            is_told = kind is ReceiptKind.ACCEPTED
            wake = partial(self._delivery.wake, conversation_id) if is_told else None
            return _Added(user, kind, wake)
        if not inbox.record(session, inbound, conversation, is_command=is_command, now=now):
            # Where nobody could tell whether the first one was kept, nobody was woken either.
            workers = self._workers if is_command else self._handlers
            return _Added(user, ReceiptKind.DUPLICATE, partial(workers.wake, conversation_id))
        if inbound.album is not None and not inbound.direct:
            overheard.give(session, inbound.album, conversation)
        if CORRECTION in inbound.notes:
            corrections.take_back(session, inbound, conversation)
        if is_command:
            wake = partial(self._workers.wake, conversation_id)
        else:
            cue = self._runner.value.cue(session, user.user_id, inbound.text)
            wake = partial(self._handlers.expect, conversation, cue)
        if is_command or conversation_id not in self._asked:
            return _Added(user, ReceiptKind.ACCEPTED, wake)
        self._tell_dropped(session, conversation, now)
        return _Added(user, ReceiptKind.ACCEPTED, wake, dropped=conversation_id)

    def _tell_dropped(self, session: Session, conversation: Conversation, now: datetime) -> None:
        outbox.add(
            session,
            conversation_id=conversation.conversation_id,
            turn_id=None,
            chunks=sentences.split_notice(
                self._channels, conversation.channel, sentences.NOT_ANSWERED
            ),
            now=now,
        )

    async def _work(self, conversation_id: int) -> timedelta | None:
        taken = await self._database.write(self._take, conversation_id)
        if taken is None:
            return None
        conversation, channel, batch = taken
        with turn_in_log(batch.turn_id):
            try:
                written = await self._run(conversation, channel, batch)
            except UnknownOutcomeError:
                self._delivery.wake(conversation_id)
                self._handlers.wake(conversation_id)
                raise
        for written_to in (conversation_id, *written):
            self._delivery.wake(written_to)
        # What was written after the command has waited for it.
        self._handlers.wake(conversation_id)
        return timedelta(0)

    def _take(
        self, session: Session, conversation_id: int
    ) -> tuple[Conversation, Channel, Batch] | None:
        conversation = conversations.get(session, conversation_id)
        channel = self._channels.get(conversation.channel) if conversation else None
        if conversation is None or channel is None:
            return None
        batch = batches.take_command(session, conversation_id, turn_id=secrets.token_hex(5))
        return None if batch is None else (conversation, channel, batch)

    async def _run(
        self, conversation: Conversation, channel: Channel, batch: Batch
    ) -> Sequence[int]:
        """Run a command; returns the other conversations that it wrote to.

        Whose conversation it is may change while it is prepared: then nothing is done,
        and it is left to be taken again; once it is nobody's, it is ended.
        """
        command = slash.parse(batch.text)
        if command is None:
            raise ValueError(f"turn {batch.turn_id} is no command")
        user = await self._users.find(conversation.user_id)
        author = batch.messages[0].author
        caller = Caller(user, conversation, batch.inbox_id, batch.turn_id, batch.sent_at, author)
        try:
            run = await self._commands.prepare(command, caller)
            reply = await self._database.write(
                self._carry_out, conversation, user, run, channel, batch
            )
            if reply is None:
                return ()
        except UnknownOutcomeError:
            # What it answered may be kept already.
            raise
        except Exception:
            logger.exception("command /%s failed", command.name)
            reply = Reply(sentences.command_failed(command.name, batch.turn_id))
            await self._database.write(self._finish, channel, batch, InboxState.DEAD, reply)
        else:
            reply.committed()
            self._note_question(batch.conversation_id, reply)
            logger.info("command /%s done", command.name)
        return reply.wakes

    def _note_question(self, conversation_id: int, reply: Reply) -> None:
        if any(button.answer for button in reply.buttons):
            self._asked.add(conversation_id)
        else:
            self._asked.discard(conversation_id)

    def _carry_out(
        self,
        session: Session,
        conversation: Conversation,
        user: User,
        run: Prepared,
        channel: Channel,
        batch: Batch,
    ) -> Reply | None:
        present = conversations.get(session, conversation.conversation_id)
        if present is None or present.user_id != user.user_id:
            return None
        if not own_chats.is_own(session, present):
            departures.stop_messages(session, present, self._clock.now())
            return None
        reply = run(session)
        self._finish(session, channel, batch, InboxState.DONE, reply)
        return reply

    def _finish(
        self,
        session: Session,
        channel: Channel,
        batch: Batch,
        state: InboxState,
        reply: Reply,
    ) -> None:
        now = self._clock.now()
        inbox.finish(session, batch.turn_id, state, now)
        if batch.is_incognito:
            incognito.wipe_turn(session, batch.turn_id)
        outbox.add(
            session,
            conversation_id=batch.conversation_id,
            turn_id=batch.turn_id,
            chunks=channel.split(reply.text),
            now=now,
            buttons=reply.buttons,
            file=reply.file,
            is_incognito=batch.is_incognito,
            is_farewell=reply.is_farewell,
        )


def _is_from_before(inbound: Inbound, known_since: datetime) -> bool:
    """Whether a message that the channel asked its provider for was sent by a stranger,
    before the address became a user's."""
    # Providers tell times in whole seconds.
    return inbound.is_late and inbound.sent_at < known_since.replace(microsecond=0)
