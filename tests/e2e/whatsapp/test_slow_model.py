"""A model that thinks for minutes keeps nobody at Twilio waiting."""

from __future__ import annotations

from gaia.settings.schema import ModelSettings
from tests.harness.whatsapp_house import WhatsAppHouse

THINKING_SECONDS = 120
TWILIO_IS_ANSWERED_SECONDS = 1.0


async def test_twilio_is_answered_within_a_second_while_the_model_thinks_for_minutes(
    house: WhatsAppHouse,
) -> None:
    assert ModelSettings().timeout_seconds >= THINKING_SECONDS
    await house.furnish()
    ada, bob, twilio = house.person("ada"), house.person("bob"), house.twilio
    house.model.hold()
    async with house.serving():
        ada.writes("What is the meaning of it all?")
        await house.model.until_asked()
        bob.writes("/help")
        ada.writes("Well?")
        await twilio.until_told()
        (helped,) = await house.until_arrived(bob, 1)
        assert "/link" in helped
        told = [each for each in twilio.calls_made if each.url == twilio.webhook_url]
        assert [each.status for each in told] == [200] * 3
        assert max(each.seconds for each in told) < TWILIO_IS_ANSWERED_SECONDS
        status = house.status()
        assert (status["running_turns"], status["inbox"]["waiting"]) == (1, 2)
        assert twilio.texts(ada) == []
        assert twilio.typing(ada)

        house.model.release()
        answers = await house.until_arrived(ada, 2)
    assert answers == ["echo: What is the meaning of it all?", "echo: Well?"]
