"""What a provider tells of a chunk over a restart: nothing but the database remembers."""

from __future__ import annotations

from gaia.core.outcomes import CONFIRM_SECONDS
from gaia.errors import RetryableSendError, UnreachableError
from gaia.messages import DeliveryStage
from gaia.store import chunk_states, outbox
from gaia.store.tables import OutboxState
from gaia.testing.clock import FakeClock


async def killed_while_sending(core) -> None:
    await core.app.delivery.flush()
    await core.channel.say("hello")
    await core.app.handlers.flush()
    await core.database.write(chunk_states.begin, 1, repeated=False, now=core.clock.now())


async def state(core, outbox_id: int = 1) -> OutboxState:
    chunk = await core.database.read(outbox.get, outbox_id)
    assert chunk is not None
    return chunk.state


async def test_what_was_reported_before_the_kill_is_not_sent_again(running_core):
    async with running_core(reports=True) as core:
        await killed_while_sending(core)
        await core.channel.report(1, DeliveryStage.SENT)
    async with running_core(reports=True) as core:
        await core.app.delivery.flush()
        assert (core.channel.sent, await state(core)) == ([], OutboxState.SENT)
        await core.channel.report(1, DeliveryStage.DELIVERED)
        assert await state(core) is OutboxState.DELIVERED


async def test_what_is_reported_soon_after_the_start_is_not_sent_again(running_core):
    async with running_core(reports=True) as core:
        await killed_while_sending(core)
    async with running_core(reports=True) as core:
        await core.clock.until_sleeping()
        await core.channel.report(1, DeliveryStage.DELIVERED)
        core.clock.advance(CONFIRM_SECONDS)
        await core.app.delivery.flush()
        assert (core.channel.sent, await state(core)) == ([], OutboxState.DELIVERED)


async def test_what_nobody_tells_is_sent_again_and_marked_however_often_gaia_is_killed(
    running_core,
):
    async with running_core(reports=True) as core:
        await killed_while_sending(core)
    async with running_core(reports=True) as core:
        await core.clock.until_sleeping()
        await core.app.delivery.flush()
        await core.database.write(chunk_states.begin, 1, repeated=True, now=core.clock.now())
    async with running_core(reports=True) as core:
        await core.clock.until_sleeping()
        core.clock.advance(CONFIRM_SECONDS)
        (sent,) = await core.channel.until_sent(1)
        assert sent.is_repeat


async def test_what_failed_before_the_kill_is_sent_again_unmarked_when_it_is_time(running_core):
    clock = FakeClock()
    async with running_core(reports=True, clock=clock) as core:
        await killed_while_sending(core)
        failure = RetryableSendError("busy", after_seconds=60)
        await core.channel.report(1, DeliveryStage.FAILED, failure=failure)
    async with running_core(reports=True, clock=clock) as core:
        await clock.until_sleeping()
        assert clock.sleeping == (60.0,)
        clock.advance(60)
        (sent,) = await core.channel.until_sent(1)
        assert not sent.is_repeat


async def test_the_next_chunk_waits_for_the_one_before_over_a_restart(running_core):
    clock = FakeClock()
    async with running_core(longest=8, reports=True, clock=clock) as core:
        await core.channel.say("hello")
        await clock.until_sleeping()
        clock.advance(CONFIRM_SECONDS / 4)
    async with running_core(longest=8, reports=True, clock=clock) as core:
        await clock.until_sleeping()
        assert clock.sleeping == (CONFIRM_SECONDS * 3 / 4,)
        await core.channel.report(1, DeliveryStage.DELIVERED, copy=1)
        (sent,) = await core.channel.until_sent(1)
        assert (sent.outbox_id, sent.is_repeat) == (2, False)


async def test_a_clock_that_was_set_back_holds_nothing_up(running_core):
    async with running_core(longest=8, reports=True, clock=FakeClock()) as core:
        core.clock.advance(3600)
        await core.channel.say("hello")
        await core.clock.until_sleeping()
    async with running_core(longest=8, reports=True, clock=FakeClock()) as core:
        await core.channel.until_sent(1)


async def test_who_was_asked_to_write_is_known_over_a_restart_and_so_is_what_waits(running_core):
    async with running_core(reports=True) as core:
        closed = "closed: it waits"
        core.channel.failures = [UnreachableError(closed, asked=True), UnreachableError(closed)]
        await core.channel.say("hello")
        await core.channel.until_tried(1)
        await core.app.delivery.flush()
    async with running_core(reports=True, recover=False) as core:
        (cause,) = (await core.app.status.report()).outbox.causes
        assert (cause.waiting, cause.cause) == (1, "closed: it waits")
        await core.app.recover()
        (sent,) = await core.channel.until_sent(1)
        assert (sent.contact.asked_at, sent.is_repeat) == (core.clock.now(), False)
