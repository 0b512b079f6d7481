"""A conversation that idles is learned from, and what it told is known from then on."""

from __future__ import annotations

import pytest

from tests.harness.household import Household
from tests.harness.learning_model import LearningModel, Lesson

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECONDS = 1 / 60
SHORT = 1.2 * SECONDS
"""Minutes after which a conversation has idled out."""

VEGETARIAN = Lesson("I'm vegetarian.", "ada is vegetarian")
SISTER = Lesson("My sister is Grace", "Grace is ada's sister")
OLIVES = Lesson("I love olives", "bob loves olives", "preference")
LISBON = Lesson("I live in Lisbon", "ada lives in Lisbon")
PORTO = Lesson("I moved from Lisbon to Porto.", "ada lives in Porto", replaces="in Lisbon")
SPANISH = Lesson("Always answer in Spanish", "Always answer in Spanish", "rule")


def number_of(household: Household, text: str) -> int:
    """The number of the one memory that says this."""
    found = household.rows(f"SELECT memory_id FROM memories WHERE text = {text!r}")
    ((number,),) = found
    return int(number)


async def until_known(household: Household, *lessons: Lesson) -> None:
    """Return once all this is learned, each session is cleared, and the profiles say it."""
    texts = {lesson.said for lesson in lessons}

    def are_known() -> bool:
        rows = household.rows("SELECT text FROM memories WHERE status = 'active'")
        left = household.rows("SELECT 1 FROM digests WHERE state != 'cleared'")
        told = household.rows("SELECT CAST(bullets AS TEXT) FROM profiles")
        profiles = "".join(bullets for (bullets,) in told)
        facts = [each.said for each in lessons if each.kind != "rule"]
        return (
            texts <= {text for (text,) in rows}
            and not left
            and all(text in profiles for text in facts)
        )

    await household.until(are_known)


async def test_what_was_said_on_one_channel_is_known_on_the_other_once_it_idled(
    household: Household, reader: LearningModel
) -> None:
    reader.lessons = (VEGETARIAN, SISTER, OLIVES)
    await household.furnish(idle_minutes=SHORT)
    async with household.awake(), household.at_terminal("ada") as ada:
        await household.on_telegram("ada", "I'm vegetarian. My sister is Grace")
        await household.on_telegram("bob", "I love olives")
        await until_known(household, VEGETARIAN, SISTER, OLIVES)

        dinner = "What could I cook for dinner?"
        assert await ada.ask(dinner) == f"echo: {dinner}"
        request = household.model.requests[-1]
        assert '<USER_PROFILE>\nWhat "ada" has told you' in request.system
        assert "- I'm vegetarian.\n" in request.system
        assert "- My sister is Grace\n" in request.system
        assert "The last conversation, " in request.system
        assert list(request.user_texts) == [dinner]
        why = await ada.ask(f"/memory why {number_of(household, SISTER.said)}")
        assert "you said it in a conversation, which I read through on " in why
        assert "confirmed that I understood you: “Grace is ada's sister”" in why

        await household.on_telegram("bob", "What could I cook for dinner, with Grace?")
        told = str(household.model.requests[-1].body)
        assert "I love olives" in told
    bobs = [
        str(each.body)
        for each in (*household.model.requests, *household.model.shaped_requests)
        if "olives" in str(each.body)
    ]
    assert len(bobs) > 3
    assert not [each for each in bobs if "vegetarian" in each or "my sister" in each]
    assert "apscheduler" not in (household.home.logs / "gaia.log").read_text()


async def test_what_holds_no_longer_is_in_no_later_request_and_a_rule_is_in_all(
    household: Household, reader: LearningModel
) -> None:
    reader.lessons = (LISBON, PORTO, SPANISH)
    await household.furnish(protocol="gemini", idle_minutes=SHORT)
    async with household.awake(), household.at_terminal("ada") as ada:
        await household.on_telegram("ada", "I live in Lisbon")
        await until_known(household, LISBON)
        await household.on_telegram("ada", "I moved from Lisbon to Porto. Always answer in Spanish")
        await until_known(household, PORTO, SPANISH)
        asked = len(household.model.requests)
        await ada.ask("Where is the next market?")
        await household.on_telegram("ada", "Where do I live, in Lisbon?")
        later = household.model.requests[asked:]
        assert [each.protocol for each in later] == ["gemini", "gemini"]
        for request in later:
            assert f"- {PORTO.said}" in request.system
            assert 'Rules of "ada"' in request.system
            assert f"- {SPANISH.said}\n" in request.system
            assert LISBON.said not in str(request.body)
        why = await ada.ask(f"/memory why {number_of(household, PORTO.said)}")
        assert f"“{LISBON.said}”" in why.partition("Before that: ")[2]
        await household.on_telegram("bob", "Where is the next market?")
        assert "Rules of" not in household.model.requests[-1].system
