"""What somebody took back by editing a message is not learned; what they say instead is."""

from __future__ import annotations

import pytest

from gaia.digest.sentences import sentences
from gaia.memory.extraction import Extraction, Finding, Reader
from gaia.store import archive
from gaia.store.digest_tables import DigestState
from gaia.store.memory_tables import MemoryKind
from gaia.testing.clock import until
from gaia.testing.function_model import ToolCall
from tests.harness.digests import Read, ScriptedAsk, ScriptedExtractor


def everything(read: Read) -> Extraction:
    """Each sentence of the user's own."""
    window = read.window
    found = [
        Finding(MemoryKind.FACT, each.text, each.text)
        for each in sentences(window.turns, in_group=window.in_group)
    ]
    return Extraction("They talked.", found)


@pytest.fixture
def extractor() -> ScriptedExtractor:
    return ScriptedExtractor(everything)


@pytest.fixture
def reader(extractor: ScriptedExtractor) -> Reader:
    return Reader(ScriptedAsk(lambda _: "{}"), extractor)


async def test_what_was_taken_back_is_not_learned(running_core, reader):
    async with running_core(reader=reader) as core:
        await core.say("I am vegan.", provider_message_id="m")
        await core.say("I live in Rome.")
        await core.say("I am not vegan.", provider_message_id="e", edit_of="m")
        await core.say("I am not quite vegan.", provider_message_id="e2", edit_of="m")
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        assert sorted(await core.facts()) == ["I am not quite vegan.", "I live in Rome."]


async def test_the_other_messages_of_a_burst_are_learned(running_core, reader):
    async with running_core(reader=reader, settles=True) as core:
        for number, said in enumerate(("I am vegan.", "I live in Rome.", "I am vegan.")):
            await core.channel.say(said, provider_message_id=f"m{number}")
        await core.clock.until_sleeping()
        core.clock.advance(2)
        await core.channel.until_sent(1)
        await core.channel.say("I am not vegan.", provider_message_id="e", edit_of="m0")
        await core.clock.until_sleeping()
        core.clock.advance(2)
        await core.channel.until_sent(2)
        await core.channel.say("I am not vegan!", provider_message_id="e2", edit_of="m2")
        await core.clock.until_sleeping()
        core.clock.advance(2)
        await core.channel.until_sent(3)
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        told = await core.facts()
        assert "I live in Rome." in told
        assert "I am vegan." not in told


async def test_what_is_taken_back_while_it_is_answered_is_not_learned(running_core, reader):
    async with running_core(reader=reader) as core:
        core.model.hold("I am vegan.")
        await core.channel.say("I am vegan.", provider_message_id="m")
        await core.model.until_asked("I am vegan.")
        await core.channel.say("I am not vegan.", provider_message_id="e", edit_of="m")
        core.model.let_go("I am vegan.")
        await core.channel.until_sent(2)
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        assert await core.facts() == ["I am not vegan."]


async def test_what_is_taken_back_while_it_is_read_is_not_learned(running_core, reader, extractor):
    async with running_core(reader=reader) as core:
        await core.say("I am vegan.", provider_message_id="m")
        await core.say("I live in Rome.")
        extractor.hold()
        await core.idle()
        await until(lambda: extractor.running == 1)
        await core.say("I am not vegan.", provider_message_id="e", edit_of="m")
        extractor.release()
        await core.until_digested(DigestState.CLEARED)
        assert await core.facts() == ["I live in Rome."]
        await core.idle()
        await core.until_digested(DigestState.CLEARED, DigestState.CLEARED)
        assert sorted(await core.facts()) == ["I am not vegan.", "I live in Rome."]


@pytest.mark.parametrize(
    ("before", "after", "facts"),
    [
        ("I am vegan.", "I am not vegan.", ["I am not vegan."]),
        ("I am vegan. I have a dog.", "I have a dog. I eat all.", ["I eat all.", "I have a dog."]),
        (
            "I have a dog. He is called Rex.",
            "I have a dog. He is called Max.",
            ["I have a dog. He is called Max."],
        ),
        (
            "I am vegan. I have a dog.",
            "I eat all. I have two dogs.",
            ["I am vegan.", "I eat all.", "I have a dog.", "I have two dogs."],
        ),
    ],
)
async def test_what_was_learned_gives_way_to_the_one_sentence_in_its_place(
    running_core, reader, before, after, facts
):
    async with running_core(reader=reader) as core:
        await core.say(before, provider_message_id="m")
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        await core.say(after, provider_message_id="e", edit_of="m")
        await core.idle()
        await core.until_digested(DigestState.CLEARED, DigestState.CLEARED)
        assert sorted(await core.facts()) == facts


async def test_a_chain_of_edits_replaces_what_was_learned_of_the_first(running_core, reader):
    async with running_core(reader=reader) as core:
        await core.say("I am vegan.", provider_message_id="m")
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        await core.say("I am not vegan.", provider_message_id="e", edit_of="m")
        await core.say("I eat all.", provider_message_id="e2", edit_of="m")
        await core.idle()
        await core.until_digested(DigestState.CLEARED, DigestState.CLEARED)
        assert await core.facts() == ["I eat all."]


async def test_in_a_group_only_the_message_goes_that_was_edited(running_core):
    async with running_core(settles=True) as core:
        group = {"direct": False, "sender_name": "Grace"}
        await core.channel.say("I am vegan.\nOr so.", provider_message_id="m", **group)
        await core.channel.say("I have a dog.", **group)
        await core.clock.until_sleeping()
        core.clock.advance(2)
        await core.channel.until_sent(1)
        await core.channel.say("I eat all.", provider_message_id="e", edit_of="m", **group)
        await core.clock.until_sleeping()
        core.clock.advance(2)
        await core.channel.until_sent(2)
        turns = await core.database.read(archive.of_session, (await core.key()).session_id)
        assert [turn.words for turn in turns] == ["Grace: I have a dog.", "Grace: I eat all."]
        assert "I am vegan." in turns[0].asked


async def test_an_edit_of_a_request_changes_its_reminder(running_core):
    async with running_core() as core:
        await core.say("remind me at 17:00 to call Bob", provider_message_id="m")
        again = await core.say(
            "remind me at 18:00 to call Bob", provider_message_id="e", edit_of="m"
        )
        assert "today at 18:00: “call Bob” (#2)\nIt takes the place of #1." in again
        told = await core.say("/remind at 19:00 call Ann", provider_message_id="e2", edit_of="m")
        assert "“call Ann” (#3)\nIt takes the place of #2." in told
        listed = await core.say("/reminders")
        assert "#3 today at 19:00" in listed
        assert "#1" not in listed
        assert "#2" not in listed


async def test_an_edit_that_names_no_time_leaves_the_reminder_and_says_so(running_core):
    async with running_core() as core:
        await core.say("remind me at 17:00 to call Bob", provider_message_id="m")
        told = await core.say("call Bob some day", provider_message_id="e", edit_of="m")
        assert "can't find a future time" in told
        assert "What you asked for before your edit stands: #1." in told
        assert "#1 today at 17:00" in await core.say("/reminders")


async def test_what_the_model_sets_after_an_edit_takes_the_place_of_the_first(running_core):
    times = ["tomorrow at 10", "tomorrow at 9"]
    calls = [ToolCall("remind", {"what": "call Bob", "when": each}) for each in times]

    def answer(request):
        is_told = request.contents[-1].parts[0].function_response is not None
        return "It is set." if is_told else calls.pop()

    async with running_core(answer, provider="openai") as core:
        await core.say("I must call Bob at nine", provider_message_id="m")
        await core.say("I must call Bob at ten", provider_message_id="e", edit_of="m")
        listed = await core.say("/reminders")
        assert "tomorrow at 10:00" in listed
        assert "tomorrow at 09:00" not in listed
