"""/reset: gaia tells at once that it begins again, later what it learned, and takes that back."""

from __future__ import annotations

import pytest

from tests.harness.household import PEOPLE, Household
from tests.harness.learning_model import LearningModel, Lesson

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEA = Lesson("I only drink cobaltine tea", "ada only drinks cobaltine tea", "preference")


async def test_what_was_left_is_told_once_it_is_read_and_messages_do_not_wait_for_it(
    household: Household, reader: LearningModel
) -> None:
    reader.lessons = (TEA,)
    await household.furnish()
    async with household.awake():
        await household.on_telegram("ada", "I only drink cobaltine tea")
        reader.hold()
        begun = await household.on_telegram("ada", "/reset")
        assert "New conversation. I will read through our last message" in begun
        await household.until(lambda: reader.reading == 1)
        assert await household.on_telegram("ada", "What is new?") == "echo: What is new?"
        (new,) = household.asked_with("What is new?")
        assert list(new.user_texts) == ["What is new?"]
        assert "cobaltine" not in str(new.body)
        reader.release()
        announced = await household.until_told("ada", f"“{TEA.said}”")
        assert "/undo undoes it" in announced.text

        household.telegram.person(PEOPLE["ada"]).presses(announced, "Undo")
        undone = await household.until_told("ada", "Undone, and no longer in your memory")
        assert TEA.said in undone.text
        assert "nothing in your memory yet" in await household.on_telegram("ada", "/memory")
        assert "nothing to undo" in await household.on_telegram("ada", "/undo")
        await household.on_telegram("ada", "And now?")
        assert TEA.said not in str(household.model.requests[-1].body)
