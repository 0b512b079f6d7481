"""What a provider tells later of a chunk: the order of chunks, what failed after all, and
what a crash left unknown."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.core.outcomes import CONFIRM_SECONDS
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    UnknownSendError,
    UnreachableError,
)
from gaia.messages import Contact, DeliveryStage, OutboundFile
from gaia.settings.schema import DeliverySettings, Settings
from gaia.store import outbox
from gaia.store.outbox import NewFile
from gaia.store.tables import OutboxState

DELIVERED, FAILED, READ, SENT = (
    DeliveryStage.DELIVERED,
    DeliveryStage.FAILED,
    DeliveryStage.READ,
    DeliveryStage.SENT,
)


async def chunk(core, outbox_id: int = 1) -> outbox.Chunk:
    found = await core.database.read(outbox.get, outbox_id)
    assert found is not None
    return found


async def until_in(core, state: OutboxState, outbox_id: int = 1) -> outbox.Chunk:
    while (found := await chunk(core, outbox_id)).state is not state:
        pass
    return found


def texts(core) -> list[str]:
    return [sent.marked_text for sent in core.channel.sent]


async def test_what_the_provider_took_is_queued_until_it_tells_more(running_core):
    async with running_core(reports=True) as core:
        await core.say("hello")
        await until_in(core, OutboxState.QUEUED)
        states = []
        for stage in (SENT, DELIVERED, READ):
            await core.channel.report(1, stage)
            states.append((await chunk(core)).state)
        assert states == [OutboxState.SENT, OutboxState.DELIVERED, OutboxState.READ]


async def test_a_channel_without_reports_has_sent_what_it_took(running_core):
    async with running_core() as core:
        await core.say("hello")
        await until_in(core, OutboxState.SENT)


async def test_the_next_chunk_leaves_once_the_one_before_was_delivered(running_core):
    async with running_core(lambda request: "abcdef", longest=3, reports=True) as core:
        await core.channel.say("spell")
        await core.clock.until_sleeping()
        assert (texts(core), core.clock.sleeping) == (["abc"], (CONFIRM_SECONDS,))
        await core.channel.report(1, SENT)
        await core.channel.report(1, DELIVERED)
        await core.channel.until_sent(2)
        assert texts(core) == ["abc", "def"]
        assert core.clock.now() == (await chunk(core)).created_at


async def test_the_next_chunk_does_not_wait_long_for_a_provider_that_tells_nothing(running_core):
    async with running_core(lambda request: "abcdef", longest=3, reports=True) as core:
        await core.channel.say("spell")
        await core.clock.until_sleeping()
        core.clock.advance(CONFIRM_SECONDS)
        await core.channel.until_sent(2)


async def test_that_a_chunk_is_on_its_way_makes_the_next_wait_no_longer(running_core):
    async with running_core(lambda request: "abcdef", longest=3, reports=True) as core:
        await core.channel.say("spell")
        await core.clock.until_sleeping()
        core.clock.advance(CONFIRM_SECONDS - 1)
        await core.channel.report(1, SENT)
        core.clock.advance(1)
        await core.channel.until_sent(2)
        assert texts(core) == ["abc", "def"]


async def test_the_next_chunk_waits_for_one_that_is_known_to_be_sent_by_a_report_alone(
    running_core,
):
    async with running_core(lambda request: "abcdef", longest=3, reports=True) as core:
        core.channel.hasty, core.channel.unanswered = [(SENT, None)], 1
        await core.channel.say("spell")
        await core.clock.until_sleeping()
        assert ((await chunk(core)).state, core.clock.sleeping) == (
            OutboxState.SENT,
            (CONFIRM_SECONDS,),
        )
        assert texts(core) == ["abc"]
        await core.channel.report(1, DELIVERED)
        await core.channel.until_sent(2)
        assert texts(core) == ["abc", "def"]


async def test_a_report_that_is_faster_than_the_answer_to_the_sending_stays(running_core):
    async with running_core(lambda request: "abcdef", longest=3, reports=True) as core:
        core.channel.hasty = [(DELIVERED, None), (READ, None)]
        await core.channel.say("spell")
        await core.channel.until_sent(2)
        await until_in(core, OutboxState.READ, 2)
        assert (await chunk(core)).state is OutboxState.DELIVERED


async def test_another_chat_does_not_wait_for_a_report(running_core):
    async with running_core(senders=("ada", "bob"), reports=True) as core:
        await core.say("one")
        await core.channel.say("two", sender="bob")
        assert texts(core) == ["echo: one"]
        await core.channel.until_sent(2)


async def test_what_the_provider_could_not_deliver_for_now_is_sent_again_unmarked(running_core):
    async with running_core(reports=True) as core:
        await core.say("hello")
        await until_in(core, OutboxState.QUEUED)
        await core.channel.report(1, FAILED, failure=RetryableSendError("30001: queue overflow"))
        await core.clock.until_sleeping()
        assert core.clock.sleeping == (1.0,)
        core.clock.advance(1)
        await core.channel.until_sent(2)
        assert texts(core) == ["echo: hello", "echo: hello"]


@pytest.mark.parametrize("failure", [None, UnknownSendError("30008: unknown error")])
async def test_a_failure_without_a_known_cause_is_one_that_may_pass(running_core, failure):
    async with running_core(reports=True) as core:
        await core.say("hello")
        await until_in(core, OutboxState.QUEUED)
        await core.channel.report(1, FAILED, failure=failure)
        await core.clock.until_sleeping()
        core.clock.advance(1)
        await core.channel.until_sent(2)
        assert texts(core)[1] == "echo: hello"


async def test_reported_failures_are_limited_as_others_are(running_core):
    settings = Settings(delivery=DeliverySettings(attempts=2))
    async with running_core(settings=settings, reports=True) as core:
        await core.say("hello")
        for copy in (1, 2):
            await until_in(core, OutboxState.QUEUED)
            await core.channel.report(1, FAILED, failure=RetryableSendError("busy"))
            if copy == 1:
                await core.clock.until_sleeping()
                core.clock.advance(1)
                await core.channel.until_sent(2)
        assert (await chunk(core)).state is OutboxState.DEAD


async def test_what_never_can_be_delivered_ends_what_has_not_left_of_its_reply(running_core):
    async with running_core(lambda request: "abcdef", longest=3, reports=True) as core:
        await core.channel.say("spell")
        await core.clock.until_sleeping()
        await core.channel.report(1, FAILED, failure=PermanentSendError("63024: no recipient"))
        assert (await chunk(core, 1)).error == "63024: no recipient"
        assert (await chunk(core, 2)).state is OutboxState.DEAD
        assert (await core.say("more")) == "abc"


async def test_what_has_left_of_a_reply_does_not_end_with_an_earlier_chunk(running_core):
    async with running_core(lambda request: "abcdef", longest=3, reports=True) as core:
        await core.channel.say("spell")
        await core.clock.until_sleeping()
        core.clock.advance(CONFIRM_SECONDS)
        await core.channel.until_sent(2)
        await until_in(core, OutboxState.QUEUED, 2)
        await core.channel.report(1, FAILED, failure=PermanentSendError("no"))
        assert (await chunk(core, 2)).state is OutboxState.QUEUED


async def test_a_chunk_knows_when_the_person_wrote_and_whether_they_were_asked_to(running_core):
    async with running_core(reports=True) as core:
        written_at = core.clock.now()
        await core.say("hello")
        assert core.channel.sent[0].contact == Contact(written_at)
        core.clock.advance(60)
        core.channel.failures = [UnreachableError("closed", asked=True)]
        await core.channel.say("more", sent_at=written_at - timedelta(hours=1))
        await core.channel.until_tried(0)
        await core.app.handlers.flush()
        core.channel.reachable("ada")
        await core.channel.until_sent(2)
        assert core.channel.sent[1].contact == Contact(written_at, core.clock.now())


async def test_who_wrote_while_they_were_asked_to_can_be_asked_again(running_core):
    async with running_core(reports=True) as core:
        core.channel.failures = [UnreachableError("closed", asked=True)]
        await core.channel.say("hello", sent_at=core.clock.now() - timedelta(days=2))
        await core.channel.until_tried(0)
        while not (await chunk(core)).error:
            pass
        await core.channel.say("I'm back")
        core.channel.reachable("ada")
        await core.channel.until_sent(1)
        assert core.channel.sent[0].contact == Contact(core.clock.now(), None)


async def test_who_was_not_asked_after_all_is_asked_when_something_is_sent_again(running_core):
    async with running_core(reports=True) as core:
        core.channel.failures = [UnreachableError("closed", asked=True)]
        await core.channel.say("hello", sent_at=core.clock.now() - timedelta(days=2))
        await core.channel.until_tried(0)
        while not (await chunk(core)).error:
            pass
        unasked = UnreachableError("they could not be asked")
        for stage in (SENT, FAILED, FAILED):
            await core.channel.report(1, stage, failure=unasked, copy=7, of_question=True)
        waiting = await chunk(core)
        assert (waiting.state, waiting.error) == (OutboxState.PENDING, "they could not be asked")
        assert core.channel.sent == []
        core.channel.reachable("ada")
        (sent,) = await core.channel.until_sent(1)
        assert sent.contact.asked_at is None


async def test_who_turns_out_not_to_be_in_contact_is_tried_in_another_way_once(running_core):
    async with running_core(reports=True) as core:
        lost = UnreachableError("63016: the window is closed", contact_lost=True)
        await core.say("hello")
        await until_in(core, OutboxState.QUEUED)
        await core.channel.report(1, FAILED, failure=lost)
        await core.channel.until_sent(2)
        assert core.channel.sent[1].contact == Contact()
        await until_in(core, OutboxState.QUEUED)
        await core.channel.report(1, FAILED, failure=lost)
        await core.app.delivery.flush()
        assert (len(core.channel.sent), (await chunk(core)).state) == (2, OutboxState.PENDING)


async def test_what_waits_for_a_person_by_a_report_is_sent_when_they_are_there(running_core):
    async with running_core(reports=True) as core:
        core.channel.hasty = [(FAILED, UnreachableError("nobody"))]
        await core.say("hello")
        while not (await chunk(core)).error:
            pass
        core.channel.reachable("ada")
        await core.channel.until_sent(2)
        assert texts(core)[1] == "echo: hello"


async def test_who_has_written_since_is_tried_again_soon(running_core):
    async with running_core(lambda request: "yes", reports=True) as core:
        await core.say("hello")
        await until_in(core, OutboxState.QUEUED)
        core.clock.advance(CONFIRM_SECONDS)
        assert await core.say("are you there?") == "yes"
        await until_in(core, OutboxState.QUEUED, 2)
        await core.channel.report(1, FAILED, failure=UnreachableError("63016", contact_lost=True))
        await core.clock.until_sleeping()
        core.clock.advance(CONFIRM_SECONDS)
        await core.channel.until_sent(3)
        assert core.channel.sent[2].contact.written_at is not None


async def test_an_unknown_outcome_that_the_provider_tells_in_time_is_not_repeated(running_core):
    async with running_core(reports=True) as core:
        core.channel.failures = [UnknownSendError("timeout")]
        await core.channel.say("hello")
        await core.clock.until_sleeping()
        await core.channel.report(1, SENT, copy=1)
        core.clock.advance(CONFIRM_SECONDS)
        await core.app.delivery.flush()
        assert (texts(core), (await chunk(core)).state) == ([], OutboxState.SENT)


async def test_an_unknown_outcome_that_nobody_tells_is_repeated(running_core):
    async with running_core(reports=True) as core:
        core.channel.failures = [UnknownSendError("timeout")]
        await core.channel.say("hello")
        await core.clock.until_sleeping()
        core.clock.advance(CONFIRM_SECONDS)
        await core.channel.until_sent(1)
        assert texts(core) == ["(possible repeat) echo: hello"]


async def test_a_report_on_another_channel_or_an_unknown_chunk_is_left_alone(running_core):
    async with running_core(reports=True, other_channels=("other",)) as core:
        await core.say("hello")
        await until_in(core, OutboxState.QUEUED)
        await core.others["other"].report(1, DELIVERED)
        await core.channel.report(99, DELIVERED)
        assert (await chunk(core)).state is OutboxState.QUEUED


async def test_the_file_of_a_chunk_is_announced(running_core):
    async with running_core() as core:
        await core.app.delivery.flush()
        await core.channel.say("hello")
        await core.app.handlers.flush()
        with core.database.writing() as session:
            file = NewFile("a.txt", "text/plain", b"abc")
            outbox._add_file(session, 1, (await chunk(core)).conversation_id, file)
    async with running_core() as core:
        (sent,) = await core.channel.until_sent(1)
        assert sent.file == OutboundFile("a.txt", "text/plain", 3)
