"""Slash commands, as a person gives them."""

from __future__ import annotations

import pytest

from gaia.store.engine import UnknownOutcomeError
from gaia.store.people.users import Role


async def said(core, text: str, **changes: object) -> str:
    count = len(core.channel.sent)
    await core.channel.say(text, **changes)
    return (await core.channel.until_sent(count + 1))[count].text


async def test_reset_begins_a_session_that_knows_nothing_of_the_last(running_core):
    async with running_core() as core:
        await said(core, "hello")
        assert "New conversation" in await said(core, "/reset")
        await said(core, "again")
        assert await core.transcript(generation=1) == ["user: hello", "gaia: echo: hello"]
        assert await core.transcript(generation=2) == ["user: again", "gaia: echo: again"]


async def test_what_was_said_before_a_reset_belongs_to_the_session_before_it(running_core):
    async with running_core() as core:
        core.model.hold("first")
        await core.channel.say("first")
        await core.model.until_asked("first")
        await core.channel.say("before")
        await core.channel.say("/new")
        await core.channel.until_sent(1)
        await core.channel.say("after")
        core.model.let_go("first")
        await core.channel.until_sent(4)
        assert (await core.transcript(generation=1))[2] == "user: before"
        assert (await core.transcript(generation=2))[0] == "user: after"


async def test_a_redelivered_command_runs_once(running_core):
    async with running_core() as core:
        await said(core, "hello")
        await said(core, "/reset", provider_message_id="same")
        await core.channel.say("/reset", provider_message_id="same")
        assert "session 2," in await said(core, "/whoami")


async def test_help_lists_every_command_once(running_core):
    async with running_core() as core:
        text = await said(core, "/help")
        for name in ("start", "reset", "stop", "whoami", "status", "help"):
            assert text.count(f"\n/{name} - ") == 1
        assert "(also /new)" in text


async def test_whoami_names_the_person_and_the_session(running_core):
    async with running_core() as core:
        text = await said(core, "/whoami@gaia_bot")
        assert text.startswith("You are ada, member (u_")


async def test_status_tells_nothing_of_other_people(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        assert "function (embedded), not asked yet" in await said(core, "/status")
        await said(core, "hello", sender="bob")
        text = await said(core, "/status")
        assert "function (embedded), works" in text
        assert "0 turns, 0 waiting" in text
        assert "bob" not in text


@pytest.mark.parametrize("text", ["/etc/hosts", "/ reset", "/2", "look: /reset", "//reset"])
async def test_what_only_looks_like_a_command_goes_to_the_model(running_core, text):
    async with running_core() as core:
        assert await said(core, text) == f"echo: {text}"


async def test_an_unknown_command_is_answered_with_the_nearest(running_core):
    async with running_core() as core:
        assert "Did you mean /reset?" in await said(core, "/rest")
        assert core.model.requests == []


async def test_commands_are_answered_while_a_turn_runs(running_core):
    async with running_core() as core:
        core.model.hold("long")
        await core.channel.say("long")
        await core.model.until_asked("long")
        assert (await said(core, "/whoami")).startswith("You are ada")
        core.model.let_go("long")
        assert (await core.channel.until_sent(2))[1].text == "echo: long"


async def test_roles_are_read_again_for_each_command(running_core):
    async with running_core() as core:
        ada = await core.users.find("ada")
        await core.users.set_role(ada, Role.OWNER)
        assert (await said(core, "/whoami")).startswith("You are ada, owner")


async def test_a_command_whose_outcome_nobody_can_tell_is_answered_by_what_was_kept(
    running_core, monkeypatch
):
    async with running_core() as core:
        write, lost = core.database.write, []

        async def writes_and_breaks(function, *args, **kwargs):
            written = await write(function, *args, **kwargs)
            if function.__name__ == "_carry_out" and not lost:
                lost.append(written)
                raise UnknownOutcomeError("the connection was lost")
            return written

        monkeypatch.setattr(core.database, "write", writes_and_breaks)
        assert "I drink tea" in await core.say("/remember I drink tea")
        await core.app.command_runner.drain()
        assert len(core.channel.sent) == len(lost) == 1
