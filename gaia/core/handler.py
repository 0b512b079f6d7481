"""Handlers: each conversation's turns, in order and never two at once.

A turn ends in one transaction: its messages are done, its reply is in the
outbox, its tokens are counted, and the archive has it. Whatever interrupts it
before that, the turn is taken up again under the same id, and the model is not
asked for an answer that the session already holds.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from sqlalchemy.orm import Session

from gaia.agent.plugins import Meter
from gaia.agent.turn import Scene
from gaia.core import sentences, turn_end
from gaia.core.budgets import BudgetNotices, Spending
from gaia.core.delivery import Delivery
from gaia.core.incognito import IncognitoSessions
from gaia.core.message_text import is_forgotten
from gaia.core.outcomes import Observer
from gaia.core.patience import kept
from gaia.core.plain_words import OpenQuestions
from gaia.core.running_turns import RunningTurn, RunningTurns, TurnStoppedError
from gaia.core.shares import ALL, Share
from gaia.core.turn_end import End, Outcome, TurnEnds, failure_outcome
from gaia.core.turn_runner import Sight, TurnRunner, scene_of
from gaia.core.turns import Slots, Turns
from gaia.core.workers import Workers
from gaia.errors import GaiaError, ModelError
from gaia.logs import turn_in_log
from gaia.memory.search.recall import Cue
from gaia.ports import Channel, Clock
from gaia.settings.schema import Settings
from gaia.store import batches, conversations, inbox, senders
from gaia.store.batches import Batch
from gaia.store.conversations import Conversation
from gaia.store.engine import Database, UnknownOutcomeError
from gaia.store.people import departures, identities
from gaia.store.people.users import Role, User
from gaia.store.sessions import SessionKey
from gaia.store.tables import InboxState
from gaia.store.usage import Tariff
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

BeforeTurn = Callable[[SessionKey], Awaitable[None]]
"""Makes a session fit to be read by a turn: nothing in it was to be forgotten."""

INTERRUPTIONS = 40
"""A turn that a crash interrupted so often is dead: it may be what crashes gaia.
Far more than a machine in trouble restarts gaia in the middle of one turn."""


@dataclass(frozen=True, slots=True)
class _Expected:
    """Whose turn comes next in a conversation, and what was seen of its message; no cue
    where nobody looked at it, or where it asks nothing of memory."""

    user_id: str
    cue: Cue | None = None


@dataclass(frozen=True, slots=True)
class _Taken:
    """A turn that begins, and what there was to read for it. `refusal` is what is answered
    in its place where a budget is used up."""

    conversation: Conversation
    user: User
    channel: Channel
    batch: Batch
    sight: Sight
    refusal: str | None
    is_forgetting: bool

    @property
    def scene(self) -> Scene:
        return scene_of(self.conversation, self.user, self.batch)


class Handlers:
    """The handlers of all conversations."""

    def __init__(
        self,
        *,
        database: Database,
        runner: Swappable[TurnRunner],
        channels: Mapping[str, Channel],
        delivery: Delivery,
        clock: Clock,
        settings: Swappable[Settings],
        turns: Turns,
        spending: Spending,
        budgets: BudgetNotices,
        before_turn: BeforeTurn,
        after_turn: Callable[[End], None],
        observer: Observer,
        open_questions: OpenQuestions,
        share: Share[int] = ALL,
    ) -> None:
        self._database = database
        self._open_questions = open_questions
        self._runner = runner
        self._channels = channels
        self._delivery = delivery
        self._clock = clock
        self._turns = turns
        self._budgets = budgets
        self._before_turn = before_turn
        self._after_turn = after_turn
        self._observer = observer
        self._settings = settings
        self._ends = TurnEnds(clock=clock, settings=settings, spending=spending, budgets=budgets)
        self._slots = Slots(settings.value.limits.concurrent_turns)
        self._running = RunningTurns()
        self._incognito = IncognitoSessions()
        self._expected: dict[int, _Expected] = {}
        self._workers = Workers("handler", self._work, clock, share)

    def wake(self, conversation_id: int) -> None:
        """Say that a message waits in the inbox."""
        self._workers.wake(conversation_id)

    def expect(self, conversation: Conversation, cue: Cue | None) -> None:
        """Say that a message has just come into the inbox, and what was seen of it."""
        conversation_id = conversation.conversation_id
        self._expected[conversation_id] = _Expected(conversation.user_id, cue)
        channel = self._channels.get(conversation.channel)
        settle = self._settle_time(channel) if channel else timedelta(0)
        self._workers.wake(conversation_id, after=settle)

    async def recover(self) -> None:
        """At start: take up what an earlier process left."""
        waiting = await self._database.read(inbox.unfinished_conversations, is_command=False)
        for conversation_id in waiting:
            self.wake(conversation_id)

    def stop_turn(self, turn_id: str) -> bool:
        """Interrupt a turn that runs by the database; False when its answer is there already."""
        return self._running.stop(turn_id)

    def running_turns(self) -> int:
        """How many turns run at the moment."""
        return len(self._running)

    async def drain(self) -> None:
        """Begin no turn, and return when those that run have ended."""
        await self._workers.drain()

    async def flush(self) -> None:
        """Return when no message is left that could be answered at once; then begin no turn."""
        await self._workers.flush()

    async def cancel(self) -> None:
        """Interrupt all turns, to be taken up at the next start."""
        await self._workers.cancel()

    async def _work(self, conversation_id: int) -> timedelta | None:
        expected = self._expected.pop(conversation_id, None)
        if expected is None:
            expected = await self._database.read(_find_expected, conversation_id)
        if expected is None:
            return None
        async with self._present_slots().taken(expected.user_id):
            if self._workers.closed:
                return None
            with self._runner.lease() as runner:
                cue = expected.cue
                if cue is not None:
                    cue = await runner.with_meaning(expected.user_id, cue)
                taken = await self._database.write(self._take, runner, conversation_id, cue)
                if not isinstance(taken, _Taken):
                    if taken is not None:
                        self._expected.setdefault(conversation_id, expected)
                    return taken
                with turn_in_log(taken.batch.turn_id), self._turns.one_running():
                    return await self._run(runner, taken)

    def _take(
        self, session: Session, runner: TurnRunner, conversation_id: int, cue: Cue | None
    ) -> _Taken | timedelta | None:
        """Begin the next turn, and read all that it needs; or say when to look again."""
        talk = senders.talk(session, conversation_id)
        channel = self._channels.get(talk.conversation.channel) if talk else None
        if talk is None or channel is None:
            return None
        now = self._clock.now()
        if not talk.is_theirs:
            departures.stop_messages(session, talk.conversation, now)
            return None
        batch = batches.take(
            session,
            conversation_id,
            turn_id=secrets.token_hex(5),
            settle=self._settle_time(channel),
            now=now,
        )
        if not isinstance(batch, Batch):
            return batch
        scene = scene_of(talk.conversation, talk.user, batch)
        sight = self._read(session, runner, scene, talk.memory_version, batch, cue)
        costs_nothing = runner.tariff is Tariff.FREE
        return _Taken(
            talk.conversation,
            talk.user,
            channel,
            batch,
            sight,
            None if costs_nothing else self._budgets.refusal(session, talk.conversation),
            talk.is_forgetting,
        )

    def _read(
        self,
        session: Session,
        runner: TurnRunner,
        scene: Scene,
        memory_version: int,
        batch: Batch,
        cue: Cue | None,
    ) -> Sight:
        sight = runner.read(session, scene, memory_version, batch, cue)
        if batch.is_incognito:
            return sight.with_events(self._incognito.events(scene.key.session_id))
        return sight

    def _read_again(
        self, session: Session, runner: TurnRunner, scene: Scene, batch: Batch
    ) -> Sight:
        version = identities.memory_version(session, scene.key.user_id)
        return self._read(session, runner, scene, version, batch, None)

    def _settle_time(self, channel: Channel) -> timedelta:
        if not channel.settles:
            return timedelta(0)
        return timedelta(seconds=self._settings.value.sessions.settle_seconds)

    def _present_slots(self) -> Slots:
        """The slots; those of turns that wait or run stay theirs when the number changes."""
        total = self._settings.value.limits.concurrent_turns
        if total != self._slots.total:
            self._slots = Slots(total)
        return self._slots

    async def _run(self, runner: TurnRunner, taken: _Taken) -> timedelta | None:
        """Run a turn to its end; returns when to look for the next one."""
        conversation, channel, batch = taken.conversation, taken.channel, taken.batch
        started_at = self._clock.monotonic()
        meter = Meter()
        running = RunningTurn(channel, conversation.chat, batch.turn_id)
        with self._running.begun(running):
            running.begin(batch.provider_message_ids)
            outcome = await self._outcome(runner, taken, running, meter)
            end = await self._kept(conversation, batch, running, outcome, meter)
            if end.is_silent:
                running.unanswered = batch.provider_message_ids
        if batch.is_incognito:
            self._incognito.add(taken.scene.key.session_id, outcome.events)
        if end.asks:
            self._open_questions.add(conversation.conversation_id, self._clock.now())
        seconds = self._clock.monotonic() - started_at
        logger.info("turn %s after %.1f s", end.outcome.state, seconds)
        self._observer.turn_ended(end.outcome.state, seconds)
        for written_to in {conversation.conversation_id, *end.notified}:
            self._delivery.wake(written_to)
        self._after_turn(end)
        return timedelta(0) if batch.more_wait else end.outcome.retry

    async def _kept(
        self,
        conversation: Conversation,
        batch: Batch,
        running: RunningTurn,
        outcome: Outcome,
        meter: Meter,
    ) -> End:
        write = partial(
            self._database.write, self._ends.write, conversation, batch, running, outcome, meter
        )
        try:
            return await kept(self._clock, write)
        except UnknownOutcomeError:
            self._delivery.wake(conversation.conversation_id)
            raise

    async def _outcome(
        self, runner: TurnRunner, taken: _Taken, running: RunningTurn, meter: Meter
    ) -> Outcome:
        batch = taken.batch
        try:
            return await self._answer(runner, taken, running, meter)
        except TurnStoppedError as stop:
            said = f"{stop.said}\n{sentences.STOPPED_MARK}".strip()
            return turn_end.stopped(taken.conversation, batch, said)
        except Exception as exc:
            outcome = failure_outcome(exc, batch, is_owner=taken.user.role is Role.OWNER)
            then = "it is tried again" if outcome.retry else "it is dead"
            if isinstance(exc, GaiaError):
                # Hosts of models quote what they were sent.
                cause = exc.bare if isinstance(exc, ModelError) else exc
                logger.error("turn failed, %s: %s", then, cause)
            else:
                logger.exception("turn failed, %s", then)
            return outcome

    async def _answer(
        self, runner: TurnRunner, taken: _Taken, running: RunningTurn, meter: Meter
    ) -> Outcome:
        batch, scene, sight = taken.batch, taken.scene, taken.sight
        if taken.is_forgetting:
            await self._before_turn(scene.key)
            sight = await self._database.read(self._read_again, runner, scene, batch)
        if batch.stopped:
            raise TurnStoppedError("")
        if batch.starts - batch.failures > INTERRUPTIONS:
            return Outcome(InboxState.DEAD, sentences.interrupted(batch.turn_id))
        if is_forgotten(batch.messages):
            return Outcome(InboxState.DEAD, sentences.FORGOTTEN_UNREAD)
        longest = self._settings.value.limits.message_characters
        if len(batch.text) > longest:
            too_long = sentences.too_long(len(batch.text), longest)
            return Outcome(InboxState.DEAD, too_long)
        if taken.refusal is not None:
            return Outcome(InboxState.REFUSED, taken.refusal)
        answer = await running.run(runner.answer(scene, batch, sight, running, meter))
        return Outcome(
            InboxState.DONE,
            answer.text,
            events=answer.events,
            called_tools=answer.called_tools,
            recalled=answer.recalled,
            tools=answer.tools,
        )


def _find_expected(session: Session, conversation_id: int) -> _Expected | None:
    conversation = conversations.get(session, conversation_id)
    return None if conversation is None else _Expected(conversation.user_id)
