"""Whatever a provider reports, in whatever order, and wherever gaia is killed: a chunk that
has arrived is not sent again, and one that has not is not forgotten."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gaia.core.delivery import Delivery
from gaia.core.outcomes import CONFIRM_SECONDS, LONGEST_RETRY
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    SendError,
    UnknownSendError,
    UnreachableError,
)
from gaia.messages import Address, DeliveryReport, DeliveryStage, Outbound, ReceiptKind
from gaia.paths import Home
from gaia.settings.schema import Settings
from gaia.store import conversations, outbox
from gaia.store.engine import Database
from gaia.store.people.users import Role, Users
from gaia.store.tables import InboxState, OutboxState
from gaia.swappable import Swappable
from gaia.testing.clock import FakeClock
from tests.harness.databases import opened
from tests.harness.effort import rounds


class Unobserved:
    """Nobody counts."""

    def received(self, channel: str, kind: ReceiptKind) -> None:
        pass

    def turn_ended(self, state: InboxState, seconds: float) -> None:
        pass

    def chunk(self, channel: str, outcome: str) -> None:
        pass


ARRIVED = {DeliveryStage.DELIVERED: OutboxState.DELIVERED, DeliveryStage.READ: OutboxState.READ}
CHATS = itertools.count()

FAILURES: dict[str, SendError | None] = {
    "refused": RetryableSendError("busy"),
    "nobody": UnreachableError("nobody"),
    "lost": UnreachableError("closed", contact_lost=True),
    "asked": UnreachableError("closed", asked=True),
    "never": PermanentSendError("blocked"),
    "unsure": UnknownSendError("cut off"),
    "unexplained": None,
}
ANSWERS = ("taken", "refused", "nobody", "lost", "asked", "never", "unsure", "killed")

REPORTS = st.tuples(
    st.integers(0, 1),
    st.integers(0, 3),
    st.sampled_from(DeliveryStage),
    st.sampled_from(sorted(FAILURES)),
)
STEPS = st.lists(
    st.one_of(
        st.just("work"),
        st.just("work"),
        st.sampled_from(ANSWERS),
        st.sampled_from(("taken", "passes", "writes")),
        REPORTS,
        REPORTS,
    ),
    max_size=16,
)


@dataclass
class Copy:
    """A copy of a chunk that the provider was given."""

    sid: str
    is_there: bool = True
    has_failed: bool = False
    is_known: bool = True
    was_reported: bool = False


@dataclass
class Sent:
    """What the provider knows of a chunk."""

    copies: list[Copy] = field(default_factory=list)
    reached: set[DeliveryStage] = field(default_factory=set)


class Provider:
    """A channel whose answers, and reports, are those that the test gives. It holds
    delivery to what it must never do."""

    name = "fake"
    reports = True

    def __init__(self) -> None:
        self.chunks: dict[int, Sent] = {}
        self.may_give_up = False
        self.faults: list[str] = []
        self.called = asyncio.Event()
        self.answer: asyncio.Future[str] | None = None
        self.copy: Copy | None = None

    async def send(self, outbound: Outbound) -> str:
        sent = self.chunks.setdefault(outbound.outbox_id, Sent())
        earlier = [copy for copy in sent.copies if copy.is_there]
        doubtful = [copy for copy in earlier if not copy.is_known]
        # Delivery would take an assertion that fails here for a fault of the channel.
        if sent.reached:
            self.faults.append("what has arrived is sent again")
        if not outbound.is_repeat and not all(copy.has_failed for copy in earlier):
            self.faults.append("a possible repeat is not marked")
        if outbound.is_repeat and not doubtful:
            self.faults.append("what surely did not arrive is marked as a possible repeat")
        self.copy = Copy(f"{outbound.outbox_id}-{len(sent.copies)}")
        sent.copies.append(self.copy)
        self.answer = asyncio.get_running_loop().create_future()
        self.called.set()
        try:
            return await self.answer
        finally:
            self.answer = None


class Play:
    """Two chunks of a reply, their delivery, and the provider."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = FakeClock()
        self.provider = Provider()
        self.delivery = self._start()
        self.sending: asyncio.Task[object] | None = None
        self.conversation_id = 0
        self.outbox_ids: tuple[int, ...] = ()

    def _start(self) -> Delivery:
        delivery = Delivery(
            database=self.database,
            channels={"fake": self.provider},
            clock=self.clock,
            settings=Swappable(Settings()),
            observer=Unobserved(),
        )
        # Its one worker is the test itself.
        delivery.wake = lambda conversation_id: None
        return delivery

    async def begin(self) -> None:
        users = Users(self.database, self.clock)
        chat = f"chat-{next(CHATS)}"
        user = await users.create(chat, Role.MEMBER, Address("fake", chat))
        now = self.clock.now()
        with self.database.writing() as session:
            conversation = conversations.find_or_create(
                session, user_id=user.user_id, channel="fake", chat=chat, direct=True, now=now
            )
            self.conversation_id = conversation.conversation_id
            outbox.add(
                session,
                conversation_id=self.conversation_id,
                turn_id=None,
                chunks=("one", "two"),
                now=now,
            )
            first = outbox.next_due(session, self.conversation_id)
        assert first is not None
        self.outbox_ids = (first.chunk.outbox_id, first.chunk.outbox_id + 1)

    async def take(self, step: object) -> None:
        match step:
            case "work":
                await self.work()
            case "passes":
                self.clock.advance(CONFIRM_SECONDS)
            case "writes":
                with self.database.writing() as session:
                    now = self.clock.now()
                    conversations.note_written(session, self.conversation_id, now)
            case str():
                await self.answer(step)
            case (int(number), int(copy), DeliveryStage() as stage, str(failure)):
                await self.report(self.outbox_ids[number], copy, stage, FAILURES[failure])

    async def work(self) -> bool:
        """Have delivery go on; returns whether it has something to do by itself."""
        if self.sending is not None:
            return True
        self.provider.called.clear()
        self.sending = asyncio.create_task(self.delivery._work(self.conversation_id))
        await self.until_called_or_done(self.sending)
        if not self.sending.done():
            return True
        task, self.sending = self.sending, None
        return await task is not None

    async def until_called_or_done(self, sending: asyncio.Task[object]) -> None:
        called = asyncio.create_task(self.provider.called.wait())
        await asyncio.wait((sending, called), return_when=asyncio.FIRST_COMPLETED)
        called.cancel()

    async def answer(self, answer: str) -> None:
        """Have the provider answer what is being sent, if anything is."""
        provider, task = self.provider, self.sending
        if task is None or provider.answer is None or provider.copy is None:
            return
        copy = provider.copy
        if copy.was_reported and answer not in ("taken", "killed"):
            answer = "unsure"
        copy.is_there = answer in ("taken", "unsure", "killed")
        copy.is_known = answer not in ("unsure", "killed")
        provider.may_give_up |= answer in ("never", "unsure")
        provider.called.clear()
        if answer == "killed":
            task.cancel()
            self.delivery = self._start()
        elif answer == "taken":
            provider.answer.set_result(copy.sid)
        else:
            provider.answer.set_exception(FAILURES[answer] or AssertionError(answer))
        await self.until_called_or_done(task)
        if task.done():
            self.sending = None
            assert task.cancelled() or task.exception() is None

    async def report(
        self, outbox_id: int, number: int, stage: DeliveryStage, failure: SendError | None
    ) -> None:
        sent = self.provider.chunks.setdefault(outbox_id, Sent())
        if number >= len(sent.copies) or not sent.copies[number].is_there:
            return
        copy = sent.copies[number]
        copy.was_reported = True
        if stage in ARRIVED:
            sent.reached.add(stage)
        elif stage is DeliveryStage.FAILED:
            copy.has_failed = True
            self.provider.may_give_up |= isinstance(failure, PermanentSendError)
        report = DeliveryReport(outbox_id, copy.sid, stage, failure)
        await self.delivery.reported("fake", report)

    async def end(self) -> None:
        """Go on until all is done: from here on the provider takes everything."""
        for _ in range(40):
            goes_on = await self.work()
            await self.answer("taken")
            self.clock.advance(LONGEST_RETRY.total_seconds())
            if not goes_on and self.sending is None:
                break
        assert self.provider.faults == []
        for outbox_id in self.outbox_ids:
            chunk = await self.database.read(outbox.get, outbox_id)
            assert chunk is not None
            self.check(chunk, self.provider.chunks.get(outbox_id, Sent()))

    def check(self, chunk: outbox.Chunk, sent: Sent) -> None:
        if sent.reached:
            furthest = max(ARRIVED[stage] for stage in sent.reached)
            assert chunk.state is furthest
        elif chunk.state is OutboxState.DEAD:
            assert self.provider.may_give_up
        else:
            assert chunk.state in (OutboxState.QUEUED, OutboxState.SENT)
            assert any(copy.is_there and not copy.has_failed for copy in sent.copies)


async def play(home: Home, steps: list[object]) -> None:
    database = opened(home)
    try:
        play = Play(database)
        await play.begin()
        for step in steps:
            await play.take(step)
        await play.end()
        await play.delivery.cancel()
    finally:
        await database.close()


@settings(
    deadline=None,
    max_examples=rounds(15, thorough=40),
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
@example(steps=["work", (0, 0, DeliveryStage.DELIVERED, "never"), "unsure"])
@example(steps=["work", "unsure", "passes", "work", "refused"])
def test_what_has_arrived_is_not_sent_again_and_what_has_not_is_not_forgotten(
    home: Home, steps: list[object]
) -> None:
    asyncio.run(play(home, steps))
