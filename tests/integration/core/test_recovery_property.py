"""However far a process came before it was killed, the next one brings all to its end."""

from __future__ import annotations

import asyncio
import shutil
from datetime import timedelta

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gaia.agent.plugins import Meter
from gaia.core.running_turns import RunningTurn
from gaia.core.turn_end import Outcome, session_key
from gaia.paths import Home
from gaia.sessions.service import stopped_turn, stored_events
from gaia.store import batches, chunk_states, conversations, outbox
from gaia.store.batches import Batch
from gaia.store.outbox import Chunk
from gaia.store.tables import InboxState
from gaia.testing.function_model import last_user_text
from tests.harness.effort import rounds

STEPS = ("arrive", "begin", "close", "sending", "sent")
LONGEST_CHUNK = 6
"""`echo: 12` takes two chunks."""


class KilledProcess:
    """Does by hand, step by step, what a process does with the messages of one person.

    A step that is not due is left out.
    """

    def __init__(self, core) -> None:
        self.core = core
        self.said: list[str] = []
        self.answered: list[str] = []
        self.arrived: list[str] = []
        self.batch: Batch | None = None
        self.chunk: Chunk | None = None

    async def take(self, step: str) -> None:
        await getattr(self, f"_{step}")()

    async def _arrive(self) -> None:
        text = str(len(self.said) + 10)
        self.said.append(text)
        await self.core.channel.say(text)

    async def _begin(self) -> None:
        if self.batch is None and self.said:
            turn_id = f"turn-{len(self.answered)}"
            with self.core.database.writing() as session:
                self.batch = batches.take(
                    session,
                    await self._conversation_id(),
                    turn_id=turn_id,
                    settle=timedelta(0),
                    now=self.core.clock.now(),
                )

    async def _close(self) -> None:
        if self.batch is not None:
            conversation = await self.core.database.read(
                conversations.get, self.batch.conversation_id
            )
            assert session_key(conversation, self.batch.generation) == await self.core.key()
            running = RunningTurn(self.core.channel, conversation.chat, self.batch.turn_id)
            text = self.batch.text
            events = stored_events(stopped_turn(self.batch.turn_id, text, f"echo: {text}"))
            outcome = Outcome(InboxState.DONE, f"echo: {text}", events=events)
            await self.core.database.write(
                self.core.app.handlers._ends.write,
                conversation,
                self.batch,
                running,
                outcome,
                Meter(),
            )
            self.answered.append(text)
            self.batch = None

    async def _sending(self) -> None:
        if self.chunk is None and self.said:
            with self.core.database.writing() as session:
                due = outbox.next_due(session, await self._conversation_id())
                self.chunk = None if due is None else due.chunk
                if self.chunk is not None:
                    chunk_states.begin(
                        session, self.chunk.outbox_id, repeated=False, now=self.core.clock.now()
                    )

    async def _sent(self) -> None:
        if self.chunk is not None:
            await self.core.database.write(chunk_states.mark_taken, self.chunk.outbox_id, "sent")
            self.arrived.append(self.chunk.text)
            self.chunk = None

    async def _conversation_id(self) -> int:
        user = await self.core.users.find("ada")
        with self.core.database.reading() as session:
            conversation = conversations.find(
                session, user_id=user.user_id, channel=self.core.channel.name, chat="ada"
            )
            assert conversation is not None
        return conversation.conversation_id


async def kill_and_restart(core_on, home: Home, steps: list[str]) -> None:
    async with core_on(home, longest=LONGEST_CHUNK, recover=False) as core:
        await core.app.handlers.drain()
        await core.app.delivery.flush()
        killed = KilledProcess(core)
        for step in steps:
            await killed.take(step)
    async with core_on(home, longest=LONGEST_CHUNK) as core:
        await core.app.handlers.flush()
        await core.app.delivery.flush()
        sent = core.channel.sent
        assert killed.arrived + [each.text for each in sent] == [
            chunk for text in killed.said for chunk in core.channel.split(f"echo: {text}")
        ]
        uncertain = [killed.chunk.outbox_id] if killed.chunk else []
        assert [each.outbox_id for each in sent if each.is_repeat] == uncertain
        asked = [last_user_text(request) for request in core.model.requests]
        assert asked == [text for text in killed.said if text not in killed.answered]
        assert await core.transcript() == [
            line for text in killed.said for line in (f"user: {text}", f"gaia: echo: {text}")
        ]


ONE_TURN = list(STEPS)


@settings(
    max_examples=rounds(8, thorough=18),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    steps=st.lists(
        st.one_of(
            st.sampled_from(STEPS).map(lambda step: [step]),
            st.integers(1, len(STEPS)).map(lambda count: ONE_TURN[:count]),
        ),
        max_size=6,
    ).map(lambda groups: [step for group in groups for step in group])
)
@example(steps=["arrive", "arrive", *ONE_TURN, *ONE_TURN[1:], "begin"])
@example(steps=[*ONE_TURN[:-1], *ONE_TURN[:4]])
@example(steps=[*ONE_TURN, "sending"])
def test_whatever_was_done_before_a_kill_each_message_is_answered_once_and_in_order(
    core_on, new_home, tmp_path, steps
):
    shutil.rmtree(tmp_path / "home", ignore_errors=True)
    home = new_home(tmp_path / "home")
    asyncio.run(kill_and_restart(core_on, home, steps))
