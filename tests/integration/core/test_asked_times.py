"""The time of a reminder that gaia has to ask for, answered with the time alone."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("asked", "task"),
    [
        ("/remind buy milk for Tom", "buy milk for Tom"),
        ("/remind me to buy milk", "buy milk"),
        ("/remind me tomorrow at 6 to call Bob", "call Bob"),
        ("/remind erinnere mich morgen um 6 an die Milch", "die Milch"),
    ],
)
async def test_the_time_that_gaia_asks_for_may_be_said_alone(running_core, asked, task):
    async with running_core() as core:
        assert "can't find a future time" in await core.say(asked)
        assert [each.label for each in core.channel.sent[-1].buttons] == [
            "In an hour",
            "Tomorrow at 9:00",
        ]
        promise = await core.say("tomorrow at 6 pm")
        assert promise.startswith(f"I will remind you tomorrow at 18:00: “{task}” (#1)")


async def test_a_time_that_is_none_again_is_asked_for_again(running_core):
    async with running_core() as core:
        await core.say("/remind buy milk")
        command = core.channel.sent[-1].buttons[1].command
        assert "can't find a future time" in await core.say(command.replace("9:00", "6"))
        assert "tomorrow at 09:00: “buy milk”" in await core.say(command)


async def test_what_was_asked_elsewhere_answers_nothing(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        await core.say("/remind buy milk")
        command = core.channel.sent[-1].buttons[1].command
        told = await core.say(command, sender="bob")
        assert "milk" not in told


async def test_a_time_that_answers_nothing_is_a_message(running_core):
    async with running_core() as core:
        await core.say("/remind buy milk")
        await core.say("hello")
        assert await core.say("tomorrow at 6 pm") == "echo: tomorrow at 6 pm"
