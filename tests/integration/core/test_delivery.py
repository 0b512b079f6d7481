"""Delivery: in order, once, and with a defined end for each way to fail."""

from __future__ import annotations

from gaia.core.outcomes import SHORTEST_RETRY
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    UnknownSendError,
    UnreachableError,
)
from gaia.messages import Address, ReceiptKind
from gaia.settings.schema import DeliverySettings, Settings
from gaia.store import chunk_states, outbox
from gaia.store.sessions import SessionKey


def texts(sent) -> list[str]:
    return [outbound.marked_text for outbound in sent]


async def backlog(core) -> outbox.Backlog:
    return await core.database.read(outbox.backlog)


async def test_a_long_reply_is_sent_in_chunks_in_order(running_core):
    async with running_core(lambda request: "abcdefgh", longest=3) as core:
        await core.channel.say("spell")
        sent = await core.channel.until_sent(3)
        assert texts(sent) == ["abc", "def", "gh"]
        assert [each.seq for each in sent] == [0, 1, 2]
        assert [each.final for each in sent] == [False, False, True]


async def test_the_channel_says_when_to_try_again_and_later_chunks_wait_too(running_core):
    async with running_core(lambda request: "abcdef", longest=3) as core:
        core.channel.failures = [RetryableSendError("flood", after_seconds=30)]
        await core.channel.say("spell")
        await core.clock.until_sleeping()
        assert core.channel.sent == []
        core.clock.advance(30)
        assert texts(await core.channel.until_sent(2)) == ["abc", "def"]


async def test_without_a_wish_of_the_channel_the_pause_doubles(running_core):
    async with running_core() as core:
        core.channel.failures = [RetryableSendError("down"), RetryableSendError("down")]
        await core.channel.say("hello")
        await core.clock.until_sleeping()
        assert core.clock.sleeping == (1.0,)
        core.clock.advance(1)
        await core.channel.until_tried(0)
        await core.clock.until_sleeping()
        assert core.clock.sleeping == (2.0,)
        core.clock.advance(2)
        assert texts(await core.channel.until_sent(1)) == ["echo: hello"]


async def test_a_retry_holds_up_no_other_chat(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        core.channel.failures = [RetryableSendError("flood", after_seconds=300)]
        await core.channel.say("one", sender="ada")
        await core.clock.until_sleeping()
        await core.channel.say("two", sender="bob")
        assert texts(await core.channel.until_sent(1)) == ["echo: two"]


async def test_an_unknown_outcome_is_sent_once_more_and_marked(running_core):
    async with running_core() as core:
        core.channel.failures = [UnknownSendError("timeout")]
        await core.channel.say("hello")
        assert texts(await core.channel.until_sent(1)) == ["(possible repeat) echo: hello"]


async def test_a_second_unknown_outcome_ends_it_and_the_next_reply_goes_out(running_core):
    async with running_core() as core:
        core.channel.failures = [UnknownSendError("timeout"), UnknownSendError("timeout")]
        await core.channel.say("one")
        await core.channel.say("two")
        assert texts(await core.channel.until_sent(1)) == ["echo: two"]
        assert (await backlog(core)).dead == 1


async def test_what_can_never_be_sent_is_dead_and_the_next_reply_goes_out(running_core):
    async with running_core() as core:
        core.channel.failures = [PermanentSendError("blocked")]
        await core.channel.say("one")
        await core.channel.say("two")
        assert texts(await core.channel.until_sent(1)) == ["echo: two"]
        assert (await backlog(core)).dead == 1


async def test_a_reply_to_nobody_waits_until_somebody_listens(running_core):
    async with running_core() as core:
        core.channel.failures = [UnreachableError("nobody")]
        await core.channel.say("hello")
        await core.channel.until_tried(0)
        await core.app.handlers.flush()
        assert (await backlog(core)).open == 1
        core.channel.reachable("ada")
        (sent,) = await core.channel.until_sent(1)
        assert (sent.text, sent.is_repeat) == ("echo: hello", False)


async def test_a_channel_that_refuses_for_days_is_given_up(running_core):
    async with running_core() as core:
        core.channel.failures = [
            RetryableSendError("flood", after_seconds=4 * 86_400),
            RetryableSendError("flood"),
        ]
        await core.channel.say("hello")
        await core.clock.until_sleeping()
        core.clock.advance(4 * 86_400)
        await core.channel.until_tried(0)
        await core.app.delivery.flush()
        assert (await backlog(core)).dead == 1


async def test_a_channel_that_breaks_while_sending_may_have_sent(running_core):
    async with running_core() as core:
        core.channel.failures = [ValueError("a bug"), KeyError("another")]
        await core.channel.say("one")
        await core.channel.say("two")
        assert texts(await core.channel.until_sent(1)) == ["echo: two"]
        assert (await backlog(core)).dead == 1


async def test_a_reply_that_waited_for_days_is_not_given_up_at_the_first_refusal(running_core):
    async with running_core() as core:
        core.channel.failures = [UnreachableError("nobody"), RetryableSendError("flood")]
        await core.channel.say("hello")
        await core.channel.until_tried(1)
        await core.app.handlers.flush()
        core.clock.advance(4 * 86_400)
        core.channel.reachable("ada")
        await core.clock.until_sleeping()
        core.clock.advance(10)
        assert texts(await core.channel.until_sent(1)) == ["echo: hello"]


async def test_refusals_before_a_long_wait_for_somebody_do_not_count_after_it(running_core):
    settings = Settings(delivery=DeliverySettings(attempts=3))
    async with running_core(settings=settings) as core:
        core.channel.failures = [
            RetryableSendError("flood"),
            UnreachableError("nobody"),
            RetryableSendError("flood"),
        ]
        await core.channel.say("hello")
        await core.clock.until_sleeping()
        core.clock.advance(10)
        await core.channel.until_tried(1)
        await core.app.handlers.flush()
        core.clock.advance(4 * 86_400)
        core.channel.reachable("ada")
        await core.channel.until_tried(0)
        await core.clock.until_sleeping()
        core.clock.advance(10)
        assert texts(await core.channel.until_sent(1)) == ["echo: hello"]


async def test_a_dead_chunk_ends_its_reply_and_not_the_next_one(running_core):
    async with running_core(longest=4) as core:
        core.channel.failures = [PermanentSendError("too long")]
        await core.channel.say("one")
        await core.channel.until_tried(0)
        await core.app.handlers.flush()
        await core.app.delivery.flush()
        assert (await backlog(core)).dead == 3


async def test_what_was_given_up_is_sent_in_order_once_it_is_revived(running_core):
    async with running_core(longest=4) as core:
        core.channel.failures = [PermanentSendError("blocked")]
        await core.channel.say("one")
        await core.channel.say("two")
        assert texts(await core.channel.until_sent(3)) == ["echo", ": tw", "o"]
        revived = await core.database.write(chunk_states.revive)
        assert len(revived) == 3
        await core.app.recover()
        assert texts(await core.channel.until_sent(6))[3:] == ["echo", ": on", "e"]
        assert (await backlog(core)).dead == 0


async def test_a_revived_chunk_of_unknown_outcome_stays_marked(running_core):
    async with running_core() as core:
        core.channel.failures = [UnknownSendError("cut"), UnknownSendError("cut")]
        await core.channel.say("one")
        await core.channel.until_tried(0)
        await core.app.handlers.flush()
        await core.database.write(chunk_states.revive)
        await core.app.recover()
        assert texts(await core.channel.until_sent(1)) == ["(possible repeat) echo: one"]


async def test_after_so_many_attempts_a_chunk_is_given_up(running_core):
    settings = Settings(delivery=DeliverySettings(attempts=2))
    async with running_core(settings=settings) as core:
        core.channel.failures = [RetryableSendError("flood"), RetryableSendError("flood")]
        await core.channel.say("hello")
        await core.clock.until_sleeping()
        core.clock.advance(1)
        await core.channel.until_tried(0)
        await core.app.delivery.flush()
        assert (await backlog(core)).dead == 1


async def test_the_time_of_refusals_outlives_a_restart(running_core):
    settings = Settings(delivery=DeliverySettings(give_up_after_hours=1))
    async with running_core(settings=settings) as core:
        core.channel.failures = [RetryableSendError("flood", after_seconds=2 * 3600)]
        await core.channel.say("hello")
        await core.clock.until_sleeping()
    async with running_core(settings=settings, recover=False) as core:
        core.clock.advance(2 * 3600)
        core.channel.failures = [RetryableSendError("flood")]
        await core.app.recover()
        await core.channel.until_tried(0)
        await core.app.delivery.flush()
        assert (await backlog(core)).dead == 1


async def test_a_channel_that_wants_a_chunk_again_at_once_is_not_asked_in_a_loop(running_core):
    async with running_core() as core:
        core.channel.failures = [RetryableSendError("not yet", after_seconds=0)]
        await core.channel.say("hello")
        await core.clock.until_sleeping()
        assert core.clock.sleeping == (SHORTEST_RETRY.total_seconds(),)


async def test_what_still_comes_from_a_group_that_moved_is_said_where_it_goes_on(running_core):
    group = {"direct": False, "author": "ada", "sender_name": "Ada"}
    async with running_core(senders=("home",)) as core:
        await core.channel.say("one", sender="home", **group)
        await core.channel.until_sent(1)
        await core.app.gateway("fake").moved("home", "larger")
        receipt = await core.channel.say("/help", sender="home", is_pressed=True, **group)
        assert receipt.kind is ReceiptKind.ACCEPTED
        assert (await core.channel.until_sent(2))[1].chat == "larger"
        receipt = await core.channel.say("hello", sender="elsewhere", **group)
        assert receipt.kind is ReceiptKind.DENIED


async def test_a_chat_that_moved_gets_what_waits_and_keeps_its_session(running_core):
    async with running_core() as core:
        core.channel.failures = [RetryableSendError("moved", after_seconds=60)]
        await core.channel.say("one")
        await core.clock.until_sleeping()
        await core.app.gateway("fake").moved("ada", "ada-2")
        core.clock.advance(60)
        (sent,) = await core.channel.until_sent(1)
        assert sent.chat == "ada-2"
        await core.channel.say("two", sender="ada-2")
        assert (await core.channel.until_sent(2))[1].chat == "ada-2"
        user = await core.users.resolve(Address("fake", "ada-2"))
        assert user is not None
        assert await core.users.resolve(Address("fake", "ada")) is None
        key = SessionKey(user.user_id, "fake", "ada", 1)
        events = await core.events(key)
        assert len(events) == 4
