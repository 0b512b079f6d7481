"""The end of a turn: with an answer, for another try, or without either; one transaction,
before which nothing of it is in the database."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy.orm import Session

from gaia.agent.plugins import Meter
from gaia.core import corrections, proposals, sentences
from gaia.core.budgets import BudgetNotices, Spending
from gaia.core.long_answers import within_messages
from gaia.core.message_text import own_words, render_messages
from gaia.core.running_turns import RunningTurn
from gaia.errors import (
    ModelFruitlessError,
    ModelMissingError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnreachableError,
)
from gaia.memory import archive
from gaia.ports import Clock
from gaia.sessions.service import stopped_turn, stored_events
from gaia.settings.schema import Settings
from gaia.store import (
    conversations,
    edits,
    forgets,
    inbox,
    incognito,
    memory_uses,
    outbox,
    sessions,
    tool_failures,
)
from gaia.store.archive import Ended
from gaia.store.batches import Batch
from gaia.store.conversations import Conversation
from gaia.store.sessions import SessionKey, StoredEvent
from gaia.store.tables import InboxState
from gaia.store.tool_failures import NO_TOOLS, ToolFates
from gaia.store.usage import Tariff
from gaia.swappable import Swappable
from gaia.text import cut

logger = logging.getLogger(__name__)

ENDS = (InboxState.DONE, InboxState.STOPPED)
"""How a turn ends that was part of the conversation. Of others the session holds nothing."""

ROOM = 2
"""How many times the characters of the longest message each text may have: there are
notes beside the words, and names. What is longer comes from a model that ran wild, or
from a burst that was stopped before anybody looked at its length."""

FAILURES = 3
"""A turn that failed so often is dead."""

FIRST_RETRY = timedelta(seconds=2)
HOPELESS = (
    ModelFruitlessError,
    ModelMissingError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnreachableError,
)
"""Failures that another try soon would only repeat."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run of a turn ended. `reply` goes out; `retry` says when to try again. `said`
    is what had been said of its answer when it was stopped, and `events` are what the session
    is to tell of it. `called_tools` says that tools may have proposed something, `recalled`
    are the memories that went with the message; `tools` tells how those fared."""

    state: InboxState
    reply: str | None = None
    retry: timedelta | None = None
    said: str = sentences.STOPPED_MARK
    events: Sequence[StoredEvent] = ()
    called_tools: bool = False
    recalled: Sequence[int] = ()
    tools: ToolFates = NO_TOOLS

    @property
    def answer(self) -> str:
        """The answer as the conversation has it, of a turn that came to its end."""
        return self.said if self.reply is None else self.reply


@dataclass(frozen=True, slots=True)
class End:
    """How a turn ended, whether its reply ends with a question, which conversations got a
    notice about a budget, and whether something incognito has gone with it. One that
    `is_silent` gets no reply, nor another try: it was stopped, or its user removed."""

    outcome: Outcome
    notified: Sequence[int] = ()
    asks: bool = False
    has_faded: bool = False
    is_silent: bool = False


class TurnEnds:
    """Writes all there is of turns that have ended."""

    def __init__(
        self,
        *,
        clock: Clock,
        settings: Swappable[Settings],
        spending: Spending,
        budgets: BudgetNotices,
    ) -> None:
        self._clock = clock
        self._settings = settings
        self._spending = spending
        self._budgets = budgets

    def write(
        self,
        session: Session,
        conversation: Conversation,
        batch: Batch,
        running: RunningTurn,
        outcome: Outcome,
        meter: Meter,
    ) -> End:
        """Write all there is of a turn: nothing of it is in the database before."""
        now = self._clock.now()
        if running.stopped and outcome.state is not InboxState.DONE:
            # Perhaps after it had failed: neither another try nor excuses.
            outcome = stopped(conversation, batch, outcome.said)
        is_part = outcome.state in ENDS
        present = conversations.end_turn(
            session, conversation, batch.generation, now, counts=is_part
        )
        if present is None:
            logger.info("the turn's user was removed meanwhile")
            return End(outcome, is_silent=True)
        if outcome.retry is not None:
            inbox.retry_later(session, batch.turn_id, now + outcome.retry)
        else:
            inbox.finish(session, batch.turn_id, outcome.state, now)
        question = None
        if outcome.called_tools:
            question = proposals.question(
                session, present.user_id, batch.turn_id, direct=conversation.direct
            )
        if outcome.reply is not None:
            most = self._settings.value.limits.answer_messages
            chunks, file = within_messages(running.channel, outcome.reply, most)
            asked = () if question is None else running.channel.split(question.text)
            outbox.add(
                session,
                conversation_id=conversation.conversation_id,
                turn_id=batch.turn_id,
                chunks=chunks,
                file=file,
                then=asked,
                now=now,
                buttons=() if question is None else question.buttons,
                is_incognito=batch.is_incognito,
            )
        is_wiped = batch.is_incognito and outcome.retry is None
        if is_wiped:
            incognito.wipe_turn(session, batch.turn_id)
        # Of one that is answered the last chunk is the last to go.
        has_faded = is_wiped and outcome.reply is None
        if has_faded:
            forgets.fade(session, present.user_id, now)
        if not batch.is_incognito:
            tool_failures.note(session, present.user_id, outcome.tools, now)
        if is_part and not batch.is_incognito:
            is_theirs = present.user_id == conversation.user_id
            key = session_key(present, batch.generation if is_theirs else present.generation)
            self._keep(session, present, key, batch, outcome)
        used = meter.usage()
        if used.calls:
            self._spending.add(session, present.user_id, used)
        written: Sequence[int] = ()
        if used.tariff is not Tariff.FREE:
            is_answered = outcome.state is InboxState.DONE
            written = self._budgets.after_turn(session, present, was_answered=is_answered)
        return End(
            outcome,
            written,
            asks=question is not None,
            has_faded=has_faded,
            is_silent=outcome.state is InboxState.STOPPED,
        )

    def _keep(
        self,
        session: Session,
        present: Conversation,
        key: SessionKey,
        batch: Batch,
        outcome: Outcome,
    ) -> None:
        """Keep a turn as one of the session, and in the archive. What was taken back meanwhile
        is not among its user's own words."""
        sessions.add(session, key, outcome.events)
        settings = self._settings.value
        if not settings.memory.enabled:
            return
        in_group, longest = not present.direct, ROOM * settings.limits.message_characters
        taken_back = edits.taken_back(session, batch.turn_id)
        words = own_words(batch.messages, in_group=in_group)
        turn = Ended(
            turn_id=batch.turn_id,
            user_id=key.user_id,
            conversation_id=batch.conversation_id,
            session_id=key.session_id,
            asked=cut(render_messages(batch.messages, in_group=in_group), longest),
            words=cut(corrections.without(words, taken_back, in_group=in_group), longest),
            answer=cut(outcome.answer, longest),
            said_at=batch.sent_at,
            context=batch.context,
        )
        archive.keep(session, turn)
        memory_uses.add(session, present.user_id, outcome.recalled, self._clock.now())


def failure_outcome(exc: Exception, batch: Batch, *, is_owner: bool) -> Outcome:
    """Whether a failed turn is tried again, or is dead and the user is told: an owner of
    gaia what to do about it."""
    if batch.failures + 1 < FAILURES and not isinstance(exc, HOPELESS):
        return Outcome(InboxState.QUEUED, retry=FIRST_RETRY * 3**batch.failures)
    return Outcome(InboxState.DEAD, sentences.failed(exc, batch.turn_id, to_owner=is_owner))


def stopped(conversation: Conversation, batch: Batch, said: str) -> Outcome:
    """The end of a turn that the user stopped, of which the session keeps what was said."""
    asked = render_messages(batch.messages, in_group=not conversation.direct)
    events = stored_events(stopped_turn(batch.turn_id, asked, said))
    return Outcome(InboxState.STOPPED, said=said, events=events)


def session_key(conversation: Conversation, generation: int) -> SessionKey:
    """The session of a conversation that a message belongs to."""
    return SessionKey(
        conversation.user_id, conversation.channel, conversation.first_chat, generation
    )
