"""Forgetting what was only said, and a memory of one word."""

from __future__ import annotations

from gaia.errors import ModelRefusedError
from gaia.store.archive import of_session
from tests.harness.traces import files_with

DAY = 24 * 3600


async def said(core, *texts: str) -> None:
    for text in texts:
        await core.say(text)
        core.clock.advance(DAY)


async def asked(core) -> list[str]:
    key = await core.key()
    return [turn.asked for turn in await core.database.read(of_session, key.session_id)]


async def test_what_was_only_said_is_shown_by_date_and_goes_after_a_yes(running_core, home):
    async with running_core() as core:
        await said(core, "Velociped repairs are dear", "hello", "my velociped is red")
        told = await core.say("/forget velociped")
        assert told.startswith(
            "No memory, but 2 messages of ours contain “velociped”: "
            "1 on 3 January 2026, 1 on 1 January 2026."
        )
        assert "Should I forget these 2? It cannot be undone." in told
        assert len([each for each in await asked(core) if "elociped" in each]) == 2
        assert (await core.say("yes")).startswith("Forgotten: what we said of it.")
        await core.app.forget_worker.flush()
        assert await asked(core) == ["[forgotten]", "hello", "[forgotten]"]
        assert not any("elociped" in line for line in await core.transcript())
    assert files_with(home.root, "elociped") == []


async def test_memories_and_messages_are_one_question(running_core):
    async with running_core() as core:
        await core.say("/remember my velociped is red")
        await said(core, "is the velociped red?")
        told = await core.say("/forget velociped")
        assert "#1" in told
        assert "And in 1 message of ours: 1 on 1 January 2026." in told
        assert "Should I forget these 2?" in told
        await core.say("yes")
        await core.app.forget_worker.flush()
        assert await asked(core) == ["[forgotten]"]


async def test_a_no_leaves_it_and_nothing_is_found_where_nothing_was_said(running_core):
    async with running_core() as core:
        await said(core, "my velociped is red")
        await core.say("/forget velociped")
        assert await core.say("no") == "Nothing was changed."
        assert await asked(core) == ["my velociped is red"]
        assert "there is nothing to forget" in await core.say("/forget tricycle")


async def test_a_memory_of_one_word_takes_out_itself_and_asks_about_the_others(running_core):
    async with running_core() as core:
        await said(core, "I saw Rome in spring", "the trains are late")
        await core.say("/remember Rome")
        await core.say("/forget 1")
        told = await core.say("yes")
        assert told.startswith("Forgotten: 1 memory.")
        assert "No memory, but 1 message of ours contains “Rome”: 1 on 1 January 2026." in told
        assert await core.say("no") == "Nothing was changed."
        await core.app.forget_worker.flush()
        assert await asked(core) == ["I saw Rome in spring", "the trains are late"]


async def test_a_yes_takes_out_the_others_as_well(running_core, home):
    async with running_core() as core:
        await said(core, "I saw Verona in spring", "the trains are late")
        await core.say("/remember Verona")
        await core.say("/forget 1")
        await core.say("yes")
        await core.say("yes")
        await core.app.forget_worker.flush()
        assert await asked(core) == ["[forgotten]", "the trains are late"]
    assert files_with(home.root, "Verona") == []


async def test_what_a_host_quotes_of_a_message_is_not_logged(running_core, caplog):
    def refuse(_: object) -> str:
        raise ModelRefusedError("the model refused: 'my velociped'", bare="the model refused")

    async with running_core(refuse) as core:
        await core.say("my velociped is red")
    # The log of a daemon is silent about what the agent kit says.
    told = [each.getMessage() for each in caplog.records if each.name.startswith("gaia.")]
    assert any("the model refused" in each for each in told)
    assert not any("velociped" in each for each in told)
