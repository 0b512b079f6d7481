"""Reminders that could not be delivered at their time are said once, with when they were due."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from gaia.errors import RetryableSendError
from gaia.memory import forget, pending
from gaia.memory.reminders import reminders
from gaia.messages import Address
from gaia.store import outbox, redaction
from gaia.store.tables import OutboxRow, OutboxState
from gaia.testing.clock import FakeClock, until

MINUTE, HOUR, DAY = 60, 3600, 86_400


def heads(channel) -> list[str]:
    """The first lines of what was sent."""
    return [each.text.split("\n")[0] for each in channel.sent]


async def change_chunks(core, *which, **values) -> None:
    """Have the chunks of reminders be otherwise."""
    change = update(OutboxRow).where(OutboxRow.reminder_id.is_not(None), *which)
    await core.database.write(lambda session: session.execute(change.values(**values)))


async def waiting(core) -> int:
    return (await core.database.read(outbox.backlog)).open


async def pass_time(core, seconds: int, step: int) -> None:
    """Let time pass, and have gaia say what is due in it and try to deliver it."""
    for _ in range(seconds // step):
        core.clock.advance(step)
        await core.app.reminder_worker.say_due()
        await until(lambda: not core.app.delivery._workers._tasks)


async def come_back(core) -> list[str]:
    """What somebody is sent who can be reached again."""
    before = len(core.channel.sent)
    core.channel.reachable("ada")
    await until(lambda: not core.app.delivery._workers._tasks)
    return heads(core.channel)[before:]


async def test_what_waited_for_days_says_when_it_was_due(running_core):
    async with running_core() as core:
        await core.say("/remind in two hours take the cake out")
        await core.say("/remind every day at 8:00 take my pill")
        core.channel.absent.add("ada")
        await pass_time(core, 5 * DAY, HOUR)
        assert await waiting(core) == 2
        assert await come_back(core) == [
            "Reminder (it was due on Thursday, 1 January at 14:00): take the cake out",
            "Reminder (it was due today at 08:00): take my pill",
        ]
        assert [each.label for each in core.channel.sent[-1].buttons] == ["Done", "Snooze an hour"]


async def test_however_often_it_was_due_it_is_said_once(running_core):
    async with running_core() as core:
        await core.say("/remind every 10 minutes drink water")
        core.channel.absent.add("ada")
        await pass_time(core, DAY, 10 * MINUTE)
        assert await waiting(core) == 1
        # It has just been due.
        assert await come_back(core) == ["Reminder: drink water"]


async def test_one_that_its_channel_refused_for_a_while_says_so(running_core):
    async with running_core() as core:
        await core.say("/remind in one hour feed the cat")
        core.channel.failures.append(RetryableSendError("busy", after_seconds=20 * MINUTE))
        core.clock.advance(HOUR)
        await core.app.reminder_worker.say_due()
        await core.channel.until_tried(0)
        core.clock.advance(20 * MINUTE)
        await core.channel.until_sent(2)
        assert heads(core.channel)[1:] == ["Reminder (it was due today at 13:00): feed the cat"]


async def test_what_waited_over_a_restart_says_when_it_was_due(home, core_on):
    clock = FakeClock()
    async with core_on(home, clock=clock) as core:
        await core.say("/remind in one hour feed the cat")
        core.channel.absent.add("ada")
        await pass_time(core, HOUR, HOUR)
    clock.advance(3 * DAY)
    async with core_on(home, clock=clock) as core:
        await core.channel.until_sent(1)
        assert heads(core.channel) == [
            "Reminder (it was due on Thursday, 1 January at 13:00): feed the cat"
        ]


async def test_what_may_have_arrived_is_repeated_word_for_word(home, core_on):
    clock = FakeClock()
    async with core_on(home, clock=clock) as core:
        await core.say("/remind every day at 13:00 feed the cat")
        core.channel.absent.add("ada")
        await pass_time(core, HOUR, HOUR)
        # As a kill leaves it while it is sent.
        await change_chunks(core, state=OutboxState.SENDING)
    clock.advance(3 * HOUR)
    async with core_on(home, clock=clock) as core:
        await core.channel.until_sent(1)
        assert heads(core.channel) == ["Reminder: feed the cat"]
        assert core.channel.sent[0].is_repeat


async def test_it_is_said_again_where_its_user_writes_now_and_nowhere_else(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        pigeon = core.others["pigeon"]
        await core.users.link(await core.users.find("ada"), Address("pigeon", "ada"))
        await core.say("/remind every day at 13:00 feed the cat")
        core.channel.absent.add("ada")
        await pass_time(core, HOUR, HOUR)
        await core.say("hello", pigeon)
        await pass_time(core, DAY, DAY)
        await pigeon.until_sent(2)
        assert heads(pigeon)[1:] == ["Reminder: feed the cat"]
        assert await come_back(core) == []
        assert await waiting(core) == 0


async def test_one_that_is_sent_while_it_is_due_again_gives_way(running_core):
    async with running_core() as core:
        await core.say("/remind every day at 13:00 feed the cat")
        core.channel.absent.add("ada")
        await pass_time(core, HOUR, HOUR)
        await change_chunks(core, state=OutboxState.SENDING)
        core.clock.advance(DAY)
        await core.database.write(core.app.reminder_worker._say, core.clock.now())
        await change_chunks(core, state=OutboxState.PENDING)
        assert await waiting(core) == 2
        assert await come_back(core) == ["Reminder: feed the cat"]
        assert await waiting(core) == 0


@pytest.mark.parametrize("end", [reminders.done, reminders.cancel])
async def test_one_that_is_over_while_it_waits_is_not_said(running_core, end):
    async with running_core() as core:
        ada = await core.users.find("ada")
        await core.say("/remind in one hour feed the cat")
        core.channel.absent.add("ada")
        await pass_time(core, HOUR, HOUR)
        await core.database.write(end, ada.user_id, 1, core.clock.now())
        assert await come_back(core) == []
        assert await waiting(core) == 0


@pytest.mark.parametrize("is_redacted", [False, True])
async def test_one_that_is_forgotten_while_it_waits_is_not_said(running_core, is_redacted):
    async with running_core() as core:
        ada = await core.users.find("ada")
        await core.say("/remind in one hour feed the cat")
        core.channel.absent.add("ada")
        await pass_time(core, HOUR, HOUR)
        await core.database.write(forget.forget, ada.user_id, [1], now=core.clock.now())
        if is_redacted:
            await change_chunks(core, text=redaction.REPLACEMENT, buttons=[])
        assert await come_back(core) == []
        assert await waiting(core) == 0


async def test_one_that_is_put_off_while_it_waits_is_said_at_its_new_time(running_core):
    async with running_core() as core:
        ada = await core.users.find("ada")
        await core.say("/remind in one hour feed the cat")
        core.channel.absent.add("ada")
        await pass_time(core, HOUR, HOUR)
        later = core.clock.now().replace(hour=18)
        await core.database.write(reminders.snooze, ada.user_id, 1, later)
        assert await come_back(core) == []
        await pass_time(core, 5 * HOUR, 5 * HOUR)
        assert heads(core.channel)[1:] == ["Reminder: feed the cat"]


async def test_one_whose_week_is_over_is_said_all_the_same(running_core):
    async with running_core() as core:
        await core.say("/remind in one hour feed the cat")
        core.channel.absent.add("ada")
        await pass_time(core, HOUR, HOUR)
        core.clock.advance(8 * DAY)
        assert await core.database.write(pending.expire, core.clock.now()) == 1
        assert await come_back(core) == [
            "Reminder (it was due on Thursday, 1 January at 13:00): feed the cat"
        ]


async def test_one_in_pieces_gives_way_as_a_whole_or_goes_to_its_end(running_core):
    async with running_core(longest=25) as core:
        await core.say("/remind every 10 minutes feed the cat")
        await until(lambda: not core.app.delivery._workers._tasks)
        core.channel.absent.add("ada")
        await pass_time(core, HOUR, 10 * MINUTE)
        assert await waiting(core) == 3
        await change_chunks(core, OutboxRow.seq == 0, state=OutboxState.SENT)
        await pass_time(core, 10 * MINUTE, 10 * MINUTE)
        assert await waiting(core) == 5
        said = await come_back(core)
        assert len(said) == 5
        assert [each.startswith("Reminder") for each in said] == [False, False, True, False, False]
