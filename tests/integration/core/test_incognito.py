"""Incognito: nothing of what is said is left in any file, and nothing of it is learned."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.core.sentences import ASKED_LONG_AGO, NOT_ANSWERED
from gaia.errors import ModelUnavailableError, RetryableSendError
from gaia.memory.extraction import Reader
from gaia.messages import CORRECTION, Address, ReceiptKind
from gaia.settings.schema import LimitsSettings, Settings
from gaia.store import forgets
from gaia.testing.clock import until
from gaia.testing.function_model import ToolCall, last_user_text
from tests.harness.digests import ScriptedAsk, ScriptedExtractor, likes
from tests.harness.traces import files_with
from tests.integration.core.test_link import Person

WORD = "zqxyloqz"
HALF_AN_HOUR = 30 * 60


async def until_faded(core) -> None:
    await core.app.forget_worker.flush()


async def test_no_byte_of_it_is_left(running_core, home):
    async with running_core(provider="openai") as core:
        assert (await core.say("/incognito")).startswith("You are incognito: I keep nothing")
        await core.say(f"I dreamt of {WORD}")
        told = await core.say("And what did I dream of?")
        assert told == "echo: And what did I dream of?"
        # It is remembered for as long as the session lasts.
        assert WORD in str(core.model.requests[-1].contents)
        assert "Incognito: nothing of this conversation is kept" in await core.say("/status")
        assert "no longer incognito" in await core.say("/incognito off")
        await until_faded(core)
        assert files_with(home.root, WORD) == []
        await core.say("What did I dream of?")
        assert WORD not in str(core.model.requests[-1].contents)


async def test_nothing_is_learned_and_no_session_is_left(running_core):
    extractor = ScriptedExtractor(likes)
    reader = Reader(ScriptedAsk(lambda _: "{}"), extractor)
    async with running_core(reader=reader) as core:
        await core.say("/incognito")
        await core.say("I like boats")
        await core.idle(HALF_AN_HOUR)
        assert await core.digests() == []
        # Who idles does not know that anything ended: it stays incognito.
        await core.say("I like trains")
        assert "no longer incognito" in await core.say("/reset")
        await core.idle(HALF_AN_HOUR)
        assert extractor.asked == []
        assert "nothing in your memory" in await core.say("/memory")
        assert await core.sessions() == []


async def test_what_was_said_before_is_learned_and_kept_apart(running_core):
    reader = Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(likes))
    async with running_core(reader=reader) as core:
        await core.say("I like boats")
        await core.say("/incognito")
        await core.say("I like trains")
        await core.say("/incognito off")
        await core.app.digest_worker.sweep()
        listed = await core.say("/memory")
        assert "trains" not in listed


async def test_commands_and_tools_keep_nothing(running_core):
    calls = [
        ToolCall("remember", {"fact": "Ada likes boats"}),
        ToolCall("remind", {"what": "call Bob", "when": "tomorrow at 9"}),
    ]

    def answer(request):
        if calls:
            return calls.pop()
        return str(request.contents[-1].parts[0].function_response.response)

    async with running_core(answer, provider="openai") as core:
        await core.say("/incognito")
        for text in ("/remember I like boats", "/remind tomorrow at 9 call Bob"):
            assert (await core.say(text)).startswith("You are incognito, so I keep nothing")
        assert "the user is incognito" in await core.say("I like boats, and must call Bob")
        assert "nothing in your memory" in await core.say("/memory")
        assert "There are no reminders" in await core.say("/reminders")


async def test_what_was_written_behind_the_command_is_incognito_as_well(running_core, home):
    async with running_core(provider="openai") as core:
        await core.channel.say("/incognito")
        await core.channel.say(f"I dreamt of {WORD}")
        await core.channel.until_sent(2)
        await core.say("/incognito off")
        await until_faded(core)
        assert files_with(home.root, WORD) == []


async def test_what_was_stopped_while_it_waited_or_refused_is_gone_too(running_core, home):
    limits = LimitsSettings(messages_per_minute=4)

    def fails(request):
        return ModelUnavailableError("down") if WORD in last_user_text(request) else "fine"

    async with running_core(fails, settings=Settings(limits=limits)) as core:
        await core.say("/incognito")
        await core.channel.say(f"I dreamt of {WORD}")
        await core.clock.until_sleeping()
        assert await core.say("/stop") == "Stopped."
        for number in range(5):
            await core.channel.say(f"{WORD} {number}")
        await core.channel.say("/stop")
        core.clock.advance(60)
        await core.channel.say("/incognito off")
        assert "no longer incognito" in (await core.channel.until_sent(5))[-1].text
        await until_faded(core)
        assert files_with(home.root, WORD) == []


async def test_a_turn_that_ends_after_it_is_over_is_gone_too(running_core, home):
    said = f"I dreamt of {WORD}"
    async with running_core() as core:
        await core.say("/incognito")
        core.model.hold(said, lingers=True)
        await core.channel.say(said)
        await core.model.until_asked(said)
        assert await core.say("/stop") == "Stopped."
        assert "no longer incognito" in await core.say("/incognito off")
        while await core.database.read(forgets.under_way):
            pass
        core.model.let_go(said)
        await until(lambda: not core.app.handlers.running_turns())
        await until_faded(core)
        assert files_with(home.root, WORD) == []


@pytest.mark.parametrize("by_command", [True, False])
async def test_what_waits_or_was_said_at_an_unlinked_address_is_gone(
    running_core, home, by_command
):
    def fails(request):
        waits = "tomorrow" in last_user_text(request)
        return ModelUnavailableError("down") if waits else "fine"

    async with running_core(fails, other_channels=("phone",)) as core:
        ada, phone = Person(core.channel, "ada"), Person(core.others["phone"], "+49151")
        await phone.ask(await ada.link_code())
        await phone.ask("/incognito")
        await phone.ask(f"I dreamt of {WORD}")
        await core.others["phone"].say(f"and tomorrow of {WORD}", sender="+49151")
        await core.clock.until_sleeping()
        if by_command:
            assert (await ada.ask("/unlink")).text.startswith("Undone")
        else:
            await core.users.unlink(Address("phone", "+49151"))
            core.app.forget_worker.wake()
        await until_faded(core)
        assert files_with(home.root, WORD) == []


async def test_an_edit_that_changes_no_word_of_it_is_not_answered(running_core):
    async with running_core() as core:
        await core.say("/incognito")
        assert (
            await core.say("see gaia.example", provider_message_id="m") == "echo: see gaia.example"
        )
        same = await core.channel.say("see gaia.example", provider_message_id="e", edit_of="m")
        assert same.kind is ReceiptKind.DUPLICATE
        for text in ("see gaia.test", "see gaia.example"):
            assert await core.say(text, edit_of="m") == f"echo: {CORRECTION}\n{text}"


async def test_what_is_overheard_of_an_album_is_gone_too(running_core, home):
    group = {"direct": False, "author": "1", "sender_name": "Ann"}
    async with running_core() as core:
        await core.say("/incognito", **group)
        await core.channel.say(f"my {WORD}", album="g1", is_overheard=True, **group)
        await core.say("/incognito off", **group)
        await until_faded(core)
        assert files_with(home.root, WORD) == []


async def test_a_context_in_between_keeps_nothing_and_does_not_say_so(running_core, home):
    async with running_core(provider="openai") as core:
        await core.say("/incognito")
        await core.say(f"I dreamt of {WORD}")
        told = await core.say("/context work")
        assert "keep nothing, since you are incognito" in told
        await core.say(f"I dreamt of {WORD} again")
        await core.say("/incognito off")
        await until_faded(core)
        assert files_with(home.root, WORD) == []
        assert "keep new things in it" in await core.say("/context play")


async def test_it_stays_incognito_over_a_restart(home, core_on):
    async with core_on(home) as core:
        await core.say("/incognito")
        await core.say(f"I dreamt of {WORD}")
    async with core_on(home) as core:
        # The channel counts its messages from the first again: these were taken before.
        await core.channel.say("/incognito")
        await core.channel.say("hello")
        await core.say(f"and of {WORD} again")
        assert "Incognito" in await core.say("/status")
        await core.say("/incognito off")
        await until_faded(core)
        assert files_with(home.root, WORD) == []


@pytest.mark.parametrize("words", ["please", "12"])
async def test_other_words_say_how_it_goes(running_core, words):
    async with running_core() as core:
        assert "/incognito off when you want me" in await core.say(f"/incognito {words}")
        assert await core.say("/incognito off") == "You are not incognito."


async def test_a_plain_yes_answers_a_question_and_other_words_drop_it(running_core):
    async with running_core() as core:
        await core.say("/remember I like boats")
        await core.say("/incognito")
        assert "Should I forget everything?" in await core.say("/forget")
        await core.channel.say("what about trains?")
        dropped, answer = (await core.channel.until_sent(5))[-2:]
        assert (dropped.text, answer.text) == (NOT_ANSWERED, "echo: what about trains?")
        assert await core.say("yes") == "echo: yes"
        await core.say("/forget")
        assert (await core.say("yes")).startswith("Forgot everything: 1 memory")
        await until_faded(core)
        await core.say("what did we talk about?")
        assert "trains" not in str(core.model.requests[-1].contents)


async def test_a_question_of_an_hour_ago_is_not_answered_any_more(running_core):
    async with running_core() as core:
        await core.say("/incognito")
        await core.say("/forget")
        core.clock.advance(3601)
        assert await core.say("yes") == ASKED_LONG_AGO


async def test_a_yes_that_was_written_before_the_question_answers_nothing(running_core):
    async with running_core() as core:
        await core.say("/remember I like boats")
        await core.say("/incognito")
        before = core.clock.now() - timedelta(minutes=1)
        await core.say("/forget")
        assert await core.say("yes", sent_at=before) == NOT_ANSWERED
        await core.channel.until_sent(5)
        await core.say("/incognito off")
        assert "I like boats" in await core.say("/memory")


async def test_a_yes_answers_no_question_that_has_not_been_seen(running_core):
    async with running_core() as core:
        await core.say("/remember I like boats")
        await core.say("/incognito")
        core.channel.failures.append(RetryableSendError("busy", after_seconds=60))
        await core.channel.say("/forget")
        await until(lambda: not core.channel.failures)
        await core.channel.say("yes")
        core.clock.advance(60)
        asked, told, echo = (await core.channel.until_sent(5))[2:]
        assert "Should I forget everything?" in asked.text
        assert (told.text, echo.text) == (NOT_ANSWERED, "echo: yes")


async def test_it_is_remembered_while_something_else_is_being_forgotten(running_core):
    async with running_core() as core:
        await core.say("/remember I like boats")
        await core.say("/incognito")
        await core.say(f"I dreamt of {WORD}")
        await core.app.forget_worker.cancel()
        await core.say("/forget 1")
        await core.say("yes")
        await core.say("And what did I dream of?")
        assert WORD in str(core.model.requests[-1].contents)
