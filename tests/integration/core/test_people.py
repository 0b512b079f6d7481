"""People: learned from what is said, found by what they are to somebody, written to after a yes."""

from __future__ import annotations

import json

from gaia.memory.extraction import Extraction, Finding, Reader
from gaia.store.digest_tables import DigestState
from gaia.store.memory_tables import EntityRow, MemoryKind, RelationRow
from gaia.store.ops_tables import LetterRow
from gaia.store.people.users import Role
from gaia.testing.function_model import ToolCall
from tests.harness.digests import ScriptedAsk, ScriptedExtractor

SURE = [{"item": number, "verdict": "same"} for number in range(1, 10)]
TELLS = "asks me to tell you"

TOLD = {
    "My sister Grace is married to Tom": (
        ("Grace", "sister of", "Ada"),
        ("Grace", "married to", "Tom"),
    ),
    "Tom likes model trains": (("Tom", "likes", "model trains"),),
    "Ann is my girlfriend": (("Ann", "girlfriend of", "Ada"),),
    "Tom Baker is my boss": (("Tom Baker", "boss of", "Ada"),),
}


def people_told(read) -> Extraction:
    found = [
        Finding(MemoryKind.FACT, turn.words, turn.words, subject=s, predicate=p, object=o)
        for turn in read.window.turns
        for s, p, o in TOLD.get(turn.words, ())
    ]
    return Extraction("They talked.", found)


PAIR = ("ada", "ann")


def reader() -> Reader:
    judge = ScriptedAsk(lambda _: json.dumps({"verdicts": SURE}))
    return Reader(judge, ScriptedExtractor(people_told))


async def learn(core, *sentences: str) -> None:
    for sentence in sentences:
        await core.say(sentence)
    await core.say("/reset")
    await core.until_digested(DigestState.CLEARED)
    # What was kept is told, and would stand in the place of the next answer.
    while not any("I read through" in each.text for each in core.channel.sent):
        await core.channel.until_sent(len(core.channel.sent) + 1)


def told(core, sender: str) -> list[str]:
    """What somebody was told by others."""
    return [each.text for each in core.channel.sent if each.chat == sender and TELLS in each.text]


async def until_told(core, sender: str) -> str:
    while not told(core, sender):
        await core.channel.until_sent(len(core.channel.sent) + 1)
    return told(core, sender)[-1]


async def test_who_is_meant_is_found_over_two_steps(running_core):
    async with running_core(reader=reader(), provider="openai") as core:
        await learn(core, "My sister Grace is married to Tom", "Tom likes model trains")
        await core.say("What does my sister's husband like?")
        asked = str(core.model.requests[-1])
        assert "model trains" in asked


async def test_people_are_listed_with_what_is_between_them(running_core):
    async with running_core(reader=reader()) as core:
        assert "anybody yet" in await core.say("/people")
        await learn(core, *TOLD)
        listed = await core.say("/people")
        assert "Grace, sister of ada, 2026-" in listed
        shown = await core.say("/people my sister")
        assert shown.startswith("Grace (person)")
        assert "Grace, married to Tom, 2026-" in shown
        assert "anybody by that name" in await core.say("/people Zoe")
        assert "(#" in await core.say("/people tom baker")


async def test_two_names_are_asked_about_and_become_one_or_stay_two(running_core):
    async with running_core(reader=reader()) as core:
        await learn(core, *TOLD)
        assert "Are “Tom” and “Tom Baker” the same?" in await core.say("/people")
        assert "are one and the same to me" in await core.say("yes")
        assert "Tom (person), also called Tom Baker" in await core.say("/people Tom")
        assert "Tom and Tom Baker are the same." in await core.say("/memory")
        assert "the same?" not in await core.say("/people")
        assert "are two different ones to me" in await core.say("/people split Tom, Tom Baker")
        assert "also called" not in await core.say("/people Tom")
        assert "the same?" not in await core.say("/people")
        assert "are one and the same to me" in await core.say("/people merge Tom, Tom Baker")
        assert "Name both" in await core.say("/people merge Tom")


async def test_what_belongs_to_another_context_leads_nowhere(running_core):
    async with running_core(reader=reader(), provider="openai") as core:
        await core.say("/context work")
        await learn(core, *TOLD)
        assert "Grace" in await core.say("/people")
        await core.say("/context off")
        assert "anybody yet" in await core.say("/people")
        assert "don't know whom" in await core.say("/tell my girlfriend hello")


async def test_nothing_stays_of_whom_is_forgotten(running_core):
    async with running_core(reader=reader()) as core:
        await learn(core, "My sister Grace is married to Tom")
        await core.say("/forget Grace")
        await core.say("yes")
        with core.database.reading() as session:
            assert session.query(EntityRow).count() == 0
            assert session.query(RelationRow).count() == 0
        assert "anybody yet" in await core.say("/people")


async def test_somebody_is_told_after_a_yes(running_core):
    async with running_core(reader=reader(), senders=PAIR) as core:
        await core.say("Hello", sender="ann")
        await learn(core, "Ann is my girlfriend")
        asked = await core.say("/tell my girlfriend I am late")
        assert "Should I tell ann" in asked
        assert "“I am late”" in asked
        assert told(core, "ann") == []
        await core.say("yes")
        assert await until_told(core, "ann") == "ada asks me to tell you: I am late"
        with core.database.reading() as session:
            assert session.query(LetterRow).count() == 0


async def test_nobody_is_told_after_a_no_or_twice(running_core):
    async with running_core(senders=PAIR) as core:
        await core.say("Hello", sender="ann")
        assert "Should I tell ann" in await core.say("/tell Ann: I am late")
        assert "not sent" in await core.say("no")
        assert "no longer waiting" in await core.say("/tell yes 1")
        await core.say("/tell Ann: I am late")
        core.clock.advance(3601)
        assert "no longer waiting" in await core.say("/tell yes 2")
        assert told(core, "ann") == []


async def test_several_are_asked_about_and_none_is_explained(running_core):
    senders = ("ada", "ann baker", "ann cook")
    async with running_core(reader=reader(), senders=senders) as core:
        for sender in senders[1:]:
            await core.say("Hello", sender=sender)
        asked = await core.say("/tell Ann: hello")
        assert "Whom do you mean: ann baker, ann cook?" in asked
        assert "Should I tell ann cook" in await core.say("/tell Ann Cook hello there")
        await learn(core, "My sister Grace is married to Tom")
        assert "That is “Grace”" in await core.say("/tell my sister: hello")
        assert "don't know whom" in await core.say("/tell Zoe: hello")
        assert "Whom should I tell what?" in await core.say("/tell Ann")


async def test_the_model_only_proposes_to_tell(running_core):
    calls = [ToolCall("send_message", {"to": "my girlfriend", "text": "I am late"})]

    def answer(request):
        return calls.pop() if calls and "Please tell" in str(request.contents) else "Done."

    async with running_core(answer, reader=reader(), provider="openai", senders=PAIR) as core:
        await core.say("Hello", sender="ann")
        await learn(core, "Ann is my girlfriend")
        assert await core.say("Please tell my girlfriend that I am late") == "Done."
        sent = await core.channel.until_sent(len(core.channel.sent))
        while "Should I tell ann" not in sent[-1].text:
            sent = await core.channel.until_sent(len(core.channel.sent) + 1)
        assert told(core, "ann") == []
        await core.say("yes")
        assert await until_told(core, "ann") == "ada asks me to tell you: I am late"


async def test_guests_and_people_who_are_incognito_tell_nobody(running_core):
    async with running_core(senders=("ada", "ann", "gus")) as core:
        gus = await core.users.find("gus")
        await core.users.set_role(gus, Role.GUEST)
        await core.say("Hello", sender="ann")
        assert "don't know /tell" in await core.say("/tell Ann: hello", sender="gus")
        await core.say("/incognito")
        assert "send nothing to others" in await core.say("/tell Ann: hello")
