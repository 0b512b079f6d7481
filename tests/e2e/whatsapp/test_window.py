"""WhatsApp's 24-hour window, and what gaia says of its own accord when it is closed.

A stranger asks to be let in, which the owner is told: she has not written since yesterday.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from tests.harness.whatsapp_house import WhatsAppHouse
from tests.servers.twilio import Message

YESTERDAY = timedelta(hours=25)
RECENTLY = timedelta(hours=1)
EVE, MALLORY = "+4915100003000", "+4915100004000"


@asynccontextmanager
async def with_silent_owner(
    house: WhatsAppHouse,
    *,
    gaia_knows: timedelta = YESTERDAY,
    template: str = "",
    template_variable: str = "",
) -> AsyncIterator[None]:
    await house.furnish(template=template, template_variable=template_variable)
    await house.wrote("ada", gaia_knows=gaia_knows, really=YESTERDAY)
    async with house.serving():
        yield


async def test_a_template_with_a_variable_carries_what_there_is_to_say(
    house: WhatsAppHouse,
) -> None:
    template = house.twilio.template("gaia says: {{1}}")
    async with with_silent_owner(house, template=template, template_variable="1"):
        house.twilio.person(EVE, "Eve").writes("hello")
        (told,) = await house.until_arrived(house.person("ada"), 1)
    assert told.startswith(f"gaia says: Eve (whatsapp:{EVE}) asks for access. /approve 1")
    assert house.twilio.messages(house.person("ada"))[0].is_template


async def test_a_template_without_one_asks_once_and_what_waits_follows_the_answer(
    house: WhatsAppHouse,
) -> None:
    template = house.twilio.template("There is news. Write to read it.")
    ada, eve = house.person("ada"), house.twilio.person(EVE, "Eve")
    async with with_silent_owner(house, template=template):
        eve.writes("hello")
        await house.until_arrived(ada, 1)
        house.twilio.person(MALLORY, "Mallory").writes("hello")
        await house.until(lambda: waiting(house) == 2)
        assert house.twilio.texts(ada) == ["There is news. Write to read it."]
        assert "asked to write" in cause(house)
        ada.writes("/approve 1")
        _, first, second, done = await house.until_arrived(ada, 4)
        assert first.startswith("Eve ")
        assert second.startswith("Mallory ")
        assert done.startswith("Eve now has access")
        told, welcome = await house.until_arrived(eve, 2)
        assert "I don't know you" in told
        assert welcome.startswith("Hello Eve")
        await house.until(lambda: waiting(house) == 0)
    assert len(asked(house)) == 1


async def test_without_a_template_it_waits_and_the_status_says_so(
    house: WhatsAppHouse, run_gaia
) -> None:
    ada = house.person("ada")
    async with with_silent_owner(house):
        house.twilio.person(EVE, "Eve").writes("hello")
        await house.until(lambda: waiting(house) == 1)
        told = await run_gaia(house.home, "status")
        assert "24-hour window of WhatsApp is closed" in " ".join(told.stdout.split())
        as_json = json.loads((await run_gaia(house.home, "status", "--json")).stdout)
        (why,) = as_json["outbox"]["causes"]
        assert (why["waiting"], "waits until they write" in why["cause"]) == (1, True)
        assert house.twilio.accepted(ada) == []

        ada.writes("hi")
        first, second = await house.until_arrived(ada, 2)
        assert (first.startswith("Eve "), second) == (True, "echo: hi")
        assert house.status()["outbox"]["causes"] == []


async def test_a_window_that_is_closed_after_all_has_the_message_wait(house: WhatsAppHouse) -> None:
    ada = house.person("ada")
    async with with_silent_owner(house, gaia_knows=RECENTLY):
        house.twilio.person(EVE, "Eve").writes("hello")
        await house.until(lambda: waiting(house) == 1 and "closed" in cause(house))
        (lost,) = house.twilio.accepted(ada)
        assert lost.failure == 63016

        ada.writes("hi")
        first, second = await house.until_arrived(ada, 2)
        assert (first, second) == (lost.body, "echo: hi")


async def test_a_window_that_is_closed_after_all_has_the_template_carry_it(
    house: WhatsAppHouse,
) -> None:
    template = house.twilio.template("gaia says: {{text}}")
    ada = house.person("ada")
    async with with_silent_owner(
        house, gaia_knows=RECENTLY, template=template, template_variable="text"
    ):
        house.twilio.person(EVE, "Eve").writes("hello")
        (told,) = await house.until_arrived(ada, 1)
        lost, carried = house.twilio.accepted(ada)
        assert (lost.failure, carried.is_template) == (63016, True)
        assert told == f"gaia says: {lost.body}"


def waiting(house: WhatsAppHouse) -> int:
    return int(house.status()["outbox"]["waiting"])


def cause(house: WhatsAppHouse) -> str:
    return " ".join(each["cause"] for each in house.status()["outbox"]["causes"])


def asked(house: WhatsAppHouse) -> list[Message]:
    return [each for each in house.twilio.accepted(house.person("ada")) if each.is_template]
