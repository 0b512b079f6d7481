"""Reminders from the first word to the last: set, said where their user wrote last, answered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from gaia.memory.reminders import reminders
from gaia.memory.reminders.recurrence import Due
from gaia.memory.reminders.requests import Wanted
from gaia.messages import Address
from gaia.store.memory_tables import MemoryRow, MemorySource
from gaia.store.people.users import Role
from gaia.testing.clock import FakeClock
from gaia.testing.function_model import ToolCall

MINUTE, HOUR, DAY = 60, 3600, 86_400


async def say_due(core) -> None:
    await core.app.reminder_worker.say_due()


async def until_said(core, count: int, channel=None) -> str:
    await say_due(core)
    channel = channel or core.channel
    await channel.until_sent(count)
    return channel.sent[-1].text


async def keep_due_in_an_hour(core, user, *tasks: str) -> None:
    now = core.clock.now()
    due = Due(now + timedelta(hours=1), None)
    for task in tasks:
        await core.database.write(
            reminders.add, user.user_id, Wanted(task, due), now, source=MemorySource.USER
        )


def tell_a_password(session) -> None:
    """Have all memories tell one, as none that is written today does."""
    session.execute(update(MemoryRow).values(text="my password is 'hunter2'"))


async def test_plain_words_set_a_reminder_that_comes_once(running_core):
    async with running_core() as core:
        promise = await core.say("Remind me in two hours to feed the cat, please")
        assert promise == "I will remind you today at 14:00: “feed the cat” (#1)"
        core.clock.advance(2 * HOUR - 1)
        await say_due(core)
        core.clock.advance(1)
        told = await until_said(core, 2)
        assert told == "Reminder: feed the cat\n\nAnswer “done”, or “snooze an hour”."
        assert [each.label for each in core.channel.sent[-1].buttons] == ["Done", "Snooze an hour"]
        await say_due(core)
        core.clock.advance(DAY)
        await say_due(core)
        assert len(core.channel.sent) == 2


@pytest.mark.parametrize("done", ["done", "Done!", "ok", "👍", "erledigt", "listo", "完了"])
async def test_done_in_plain_words_ends_it(running_core, done):
    async with running_core() as core:
        await core.say("/remind in one hour feed the cat")
        core.clock.advance(HOUR)
        await until_said(core, 2)
        assert await core.say(done) == "Done: “feed the cat”."
        assert "There are no reminders" in await core.say("/reminders")
        assert await core.say("done") == "echo: done"


@pytest.mark.parametrize(
    ("words", "told", "seconds"),
    [
        ("snooze an hour", "today at 14:00", HOUR),
        ("later", "today at 14:00", HOUR),
        ("in 10 minutes", "today at 13:10", 10 * MINUTE),
        ("snooze until tomorrow at 8", "tomorrow at 08:00", 19 * HOUR),
        ("remind me again in 20 min", "today at 13:20", 20 * MINUTE),
    ],
)
async def test_it_is_put_off_in_plain_words(running_core, words, told, seconds):
    async with running_core() as core:
        await core.say("/remind in one hour feed the cat")
        core.clock.advance(HOUR)
        await until_said(core, 2)
        assert await core.say(words) == f"I will remind you again {told}: “feed the cat”."
        core.clock.advance(seconds)
        assert "feed the cat" in await until_said(core, 4)


async def test_anything_else_is_for_the_model(running_core):
    async with running_core() as core:
        await core.say("/remind in one hour feed the cat")
        core.clock.advance(HOUR)
        await until_said(core, 2)
        assert await core.say("she is fine") == "echo: she is fine"
        assert "overdue, today at 13:00: “feed the cat”" in await core.say("/reminders")


async def test_it_comes_where_its_user_wrote_last(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        ada = await core.users.find("ada")
        await core.users.link(ada, Address("pigeon", "ada"))
        await core.say("/remind in one hour feed the cat")
        core.clock.advance(MINUTE)
        await core.say("hello", core.others["pigeon"])
        core.clock.advance(HOUR)
        told = await until_said(core, 2, core.others["pigeon"])
        assert "feed the cat" in told
        assert len(core.channel.sent) == 1


async def test_what_was_missed_says_when_it_was_due(running_core):
    async with running_core() as core:
        await core.say("/remind every day at 14:00 walk")
        core.clock.advance(3 * DAY)
        told = await until_said(core, 2)
        assert told.startswith("Reminder (it was due on Thursday, 1 January at 14:00): walk")
        assert "today at 14:00 and every day: “walk”" in await core.say("/reminders")


async def test_the_clocks_change_and_the_hour_stays(home, core_on):
    clock = FakeClock(datetime(2026, 3, 28, 12, 0, tzinfo=UTC))
    async with core_on(home, clock=clock) as core:
        await core.say("/timezone Lisbon")
        told = await core.say("/remind every day at 9:00 walk")
        assert told.startswith("I will remind you tomorrow at 09:00 and every day (Europe/Lisbon)")
        core.clock.advance(20 * HOUR - 1)
        await say_due(core)
        assert len(core.channel.sent) == 2
        core.clock.advance(1)
        # Nine o'clock in summer time is eight o'clock in UTC.
        assert core.clock.now().hour == 8
        await until_said(core, 3)
        core.clock.advance(DAY)
        await until_said(core, 4)


async def test_a_zone_is_asked_for_once_and_moves_what_was_set(running_core):
    async with running_core() as core:
        await core.say("/remember I live in Lisbon with Ann")
        told = await core.say("/remind tomorrow at 9 call Bob")
        assert "Is Europe/Lisbon your time zone? It is 12:00 there." in told
        assert await core.say("yes") == (
            "Your time zone is Europe/Lisbon: it is 12:00 there. "
            "Your reminders keep their time of day."
        )
        assert "time zone" not in await core.say("/remind tomorrow at 10 call Ann")
        assert "Your time zone is Europe/Lisbon" in await core.say("/timezone")


async def test_without_a_zone_it_says_by_which_it_goes(running_core):
    async with running_core() as core:
        told = await core.say("/remind tomorrow at 9 call Bob")
        assert "I don't know your time zone yet and go by this computer's" in told
        assert "You have not told me your time zone" in await core.say("/timezone")
        assert "I don't know a time zone called" in await core.say("/timezone Atlantis")
        assert "Which one? /timezone Europe/Lisbon" in await core.say("/timezone Portugal")


async def test_a_condition_that_nobody_checks_is_named(running_core):
    async with running_core() as core:
        promise = await core.say("remind me at 17:00 to cut the grass unless it rains")
        assert "“cut the grass unless it rains” (#1)\n\nI can't check what it depends on" in promise
        assert "check" not in await core.say("remind me at 17:00 to ask Bob if he is coming")


async def test_bad_words_say_what_to_do(running_core):
    async with running_core() as core:
        assert "/remind on Friday at nine" in await core.say("/remind")
        assert "can't find a future time" in await core.say("/remind buy milk")
        assert "can't find a future time" in await core.say("/remind yesterday buy milk")
        assert "no open reminder" in await core.say("/reminders done 7")
        assert "no open reminder" in await core.say("/reminders done")
        assert "Write /reminders for the list" in await core.say("/reminders burn 7")
        assert "There are no reminders" in await core.say("/reminders")


LATE = {"sent_at": datetime(2026, 6, 1, 22, 0, tzinfo=UTC), "is_late": True}
"""Written on a Monday evening, and taken on the next day at seven."""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("remind me tomorrow at 9 to take my pills", "on Tuesday, 2 June at 09:00: “take my"),
        ("/remind tomorrow at 9 take my pills", "on Tuesday, 2 June at 09:00: “take my"),
        (
            "remind me every day at 6 am to run",
            "on Wednesday, 3 June at 06:00 and every day",
        ),
        ("remind me in 30 minutes to turn off the oven", "it was yesterday at 22:30. Say another"),
        ("/remind in 30 minutes turn off the oven", "it was yesterday at 22:30. Say another"),
    ],
)
async def test_what_was_written_before_counts_from_when_it_was_written(core_on, home, words, told):
    async with core_on(home, clock=FakeClock(datetime(2026, 6, 1, 8, 0, tzinfo=UTC))) as core:
        await core.say("hello")
        core.clock.advance(23 * HOUR)
        assert told in await core.say(words, **LATE)


async def test_a_late_snooze_counts_from_when_it_was_written(core_on, home):
    async with core_on(home, clock=FakeClock(datetime(2026, 6, 1, 20, 0, tzinfo=UTC))) as core:
        await core.say("/remind in one hour feed the cat")
        core.clock.advance(11 * HOUR)
        await until_said(core, 2)
        told = await core.say("/reminders snooze 1 tomorrow at 9", **LATE)
        assert "again on Tuesday, 2 June at 09:00" in told
        assert "it was yesterday at 23:00" in await core.say("/reminders snooze 1 an hour", **LATE)


async def test_the_model_sets_one_by_when_the_message_was_written(core_on, home):
    calls = [
        ToolCall("remind", {"what": "call Bob", "when": each})
        for each in ("an hour", "tomorrow at 9")
    ]

    def answer(request):
        if calls and not request.contents[-1].parts[0].function_response:
            return calls.pop()
        return str(request.contents[-1].parts[0].function_response.response)

    clock = FakeClock(datetime(2026, 6, 1, 8, 0, tzinfo=UTC))
    async with core_on(home, answer, clock=clock, provider="openai") as core:
        await core.say("/help")
        clock.advance(23 * HOUR)
        assert "Tuesday 2 June 2026, 09:00" in await core.say("Bob, tomorrow at nine", **LATE)
        assert "had passed when the message came" in await core.say("Bob, in an hour", **LATE)


async def test_nobody_touches_anothers_reminder(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        await core.say("/remind in one hour feed the cat")
        for verb in ("done", "snooze", "cancel", "restore"):
            told = await core.say(f"/reminders {verb} 1", sender="bob")
            assert "no open reminder" in told
        assert "There are no reminders" in await core.say("/reminders", sender="bob")
        core.clock.advance(HOUR)
        await say_due(core)
        assert "feed the cat" in await core.say("/reminders")


async def test_the_model_sets_one_by_the_words_for_when(running_core):
    calls = [ToolCall("remind", {"what": "call Bob", "when": "tomorrow at 9"})]

    def answer(request):
        return calls.pop() if calls else "It is set."

    async with running_core(answer, provider="openai") as core:
        assert await core.say("I must not forget Bob tomorrow morning") == "It is set."
        assert "tomorrow at 09:00: “call Bob”" in await core.say("/reminders")


async def test_a_time_that_cannot_be_placed_is_asked_back(running_core):
    calls = [ToolCall("remind", {"what": "call Bob", "when": "some day"})]

    def answer(request):
        if calls:
            return calls.pop()
        return str(request.contents[-1].parts[0].function_response.response)

    async with running_core(answer, provider="openai") as core:
        assert "names no time to come" in await core.say("remind me of Bob some day")
        assert "There are no reminders" in await core.say("/reminders")


async def test_a_reminder_that_is_forgotten_is_not_said(running_core):
    async with running_core() as core:
        await core.say("/remind in one hour feed the cat")
        await core.say("/forget 1")
        await core.say("yes")
        core.clock.advance(HOUR)
        await say_due(core)
        assert all("Reminder:" not in each.text for each in core.channel.sent)


async def test_a_channel_that_is_off_holds_up_nobody_elses(running_core):
    many = 2 * reminders.AT_ONCE
    async with running_core(other_channels=("pigeon",)) as core:
        bob = await core.users.create("bob", Role.MEMBER, Address("pigeon", "bob"))
        pigeon = core.others["pigeon"]
        await core.say("hello", pigeon, sender="bob")
        await keep_due_in_an_hour(core, bob, *(f"walk dog {number}" for number in range(many)))
        await core.say("/remind in one hour call Bob")
        core.clock.advance(5)
        await core.say("/remind in one hour call Carl")
        core.app.channels.pop("pigeon")
        core.clock.advance(HOUR - 5)
        # What waits for a channel makes nothing else late.
        assert await core.app.reminder_worker.say_due() == 5
        core.clock.advance(5)
        await until_said(core, 4)
        assert [each.text.split("\n")[0] for each in core.channel.sent[2:]] == [
            "Reminder: call Bob",
            "Reminder: call Carl",
        ]
        core.app.channels["pigeon"] = pigeon
        while await core.app.reminder_worker.say_due() == 0:
            pass
        assert len(await pigeon.until_sent(1 + many)) == 1 + many


async def test_what_is_told_to_nobody_holds_up_nothing(running_core):
    async with running_core() as core:
        ada = await core.users.find("ada")
        await keep_due_in_an_hour(core, ada, *(f"wait {n}" for n in range(reminders.AT_ONCE)))
        await core.database.write(tell_a_password)
        await core.say("/remind in one hour call Bob")
        core.clock.advance(HOUR)
        assert "call Bob" in await until_said(core, 2)
        assert await core.database.read(reminders.next_due, core.clock.now()) is None


async def test_a_group_hears_of_it_in_the_topic_where_it_asked(running_core):
    trips = {"sender": "family", "chat": "family:7", "direct": False, "sender_name": "Bob"}
    food = {**trips, "chat": "family:8"}
    async with running_core(senders=("family",)) as core:
        await core.say("/remind in 10 minutes book the train", **trips)
        core.clock.advance(60)
        assert "Mention me" in await core.say("/start", **food)
        core.clock.advance(9 * 60)
        assert (await until_said(core, 3)).startswith("Reminder: book the train")
        assert core.channel.sent[-1].chat == "family:7"


async def test_who_names_no_task_is_asked_for_it(running_core):
    async with running_core() as core:
        assert "What should I remind you of" in await core.say("/remind tomorrow")
        assert "There are no reminders" in await core.say("/reminders")


@pytest.mark.parametrize(("small", "told"), [(True, "Say when"), (False, "echo: remind me")])
async def test_the_embedded_model_promises_no_reminder(running_core, small, told):
    async with running_core(is_small=small) as core:
        assert told in await core.say("remind me twice a day to stretch")
