"""The command runner: carries out slash commands, each conversation's in order.

What a command changes, its answer and that it is done are one transaction.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta

from sqlalchemy.orm import Session

from gaia.core import sentences, slash
from gaia.core.delivery import Delivery
from gaia.core.handler import Handlers
from gaia.core.plain_words import OpenQuestions
from gaia.core.shares import ALL, Share
from gaia.core.slash import Caller, Commands, Prepared, Reply
from gaia.core.workers import Workers
from gaia.logs import turn_in_log
from gaia.ports import Channel, Clock
from gaia.store import batches, conversations, inbox, incognito, outbox
from gaia.store.batches import Batch
from gaia.store.conversations import Conversation
from gaia.store.engine import Database, UnknownOutcomeError
from gaia.store.people import departures, own_chats
from gaia.store.people.users import Users
from gaia.store.questions import HiddenQuestion
from gaia.store.tables import InboxState

logger = logging.getLogger(__name__)


class CommandRunner:
    """Runs the commands of all conversations."""

    def __init__(
        self,
        *,
        database: Database,
        users: Users,
        commands: Commands,
        channels: Mapping[str, Channel],
        handlers: Handlers,
        delivery: Delivery,
        clock: Clock,
        open_questions: OpenQuestions,
        share: Share[int] = ALL,
    ) -> None:
        self._database = database
        self._users = users
        self._commands = commands
        self._channels = channels
        self._handlers = handlers
        self._delivery = delivery
        self._clock = clock
        self._open_questions = open_questions
        self._workers = Workers("command", self._work, clock, share)

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
            # Its words were to be forgotten while it waited for a channel that was off.
            await self._database.write(
                self._carry_out, conversation, _tell_forgotten, channel, batch, InboxState.DEAD
            )
            return ()
        user = await self._users.find(conversation.user_id)
        author = batch.messages[0].author
        caller = Caller(user, conversation, batch.inbox_id, batch.turn_id, batch.sent_at, author)
        try:
            run = await self._commands.prepare(command, caller)
            reply = await self._database.write(
                self._carry_out, conversation, run, channel, batch, InboxState.DONE
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
            self._note_question(batch, reply)
            logger.info("command /%s done", command.name)
        return reply.wakes

    def _note_question(self, batch: Batch, reply: Reply) -> None:
        commands = {each.answer: each.command for each in reply.buttons if each.answer}
        if "yes" not in commands:
            self._open_questions.discard(batch.conversation_id)
            return
        now = self._clock.now()
        hidden = HiddenQuestion(batch.turn_id, commands) if batch.is_incognito else None
        self._open_questions.add(batch.conversation_id, now, hidden)

    def _carry_out(
        self,
        session: Session,
        conversation: Conversation,
        run: Prepared,
        channel: Channel,
        batch: Batch,
        state: InboxState,
    ) -> Reply | None:
        present = conversations.get(session, conversation.conversation_id)
        if present is None or present.user_id != conversation.user_id:
            return None
        if not own_chats.is_own(session, present):
            departures.stop_messages(session, present, self._clock.now())
            return None
        reply = run(session)
        self._finish(session, channel, batch, state, reply)
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


def _tell_forgotten(session: Session) -> Reply:
    return Reply(sentences.FORGOTTEN_UNREAD)
