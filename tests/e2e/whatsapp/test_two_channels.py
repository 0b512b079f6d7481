"""One person on Telegram and on WhatsApp: one memory, two conversations, and never a reply on
the wrong channel. The seed of what is written where is printed; GAIA_FAULT_SEED replays it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import pytest

from gaia.clock import SystemClock
from tests.harness.effort import FAULT_SEED, drawn
from tests.harness.house import PATIENCE_SECONDS
from tests.harness.whatsapp_house import WhatsAppHouse
from tests.servers.telegram import TelegramServer, running_telegram

SHOWN = re.compile(r"[A-Z2-9]{4}-[A-Z2-9]{4}")
ON_TELEGRAM = 100
MESSAGES = 24
PLACES = {True: "WhatsApp", False: "Telegram"}

POT = "The gate code note lies under the cobaltine pot"
TREE = "The viridine tree is pruned in March"
WHERE, WHEN = "Where is the gate code note?", "When is the viridine tree pruned?"


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with running_telegram(SystemClock()) as telegram:
        yield telegram
        assert telegram.violations == ()


async def test_one_person_on_both_has_one_memory_and_two_conversations(
    house: WhatsAppHouse, telegram: TelegramServer
) -> None:
    chance = drawn(FAULT_SEED)
    await house.furnish(telegram=telegram, remembers=True)
    here, there = house.person("ada"), telegram.person(ON_TELEGRAM, "Ada")
    bob = house.person("bob")

    async def on_telegram(count: int) -> list[str]:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await telegram.until(lambda: len(telegram.messages(there)) >= count)
        return telegram.texts(there)

    async with house.serving():
        here.writes("/link")
        code = SHOWN.search((await house.until_arrived(here, 1))[0])
        assert code
        there.writes(code[0])
        assert "I now know you on this channel too" in (await on_telegram(1))[0]

        here.writes(f"/remember {POT}")
        there.writes(f"/remember {TREE}")
        # It is told on the first channel as well what was linked.
        await house.until_arrived(here, 3)
        await on_telegram(2)
        there.writes(WHERE)
        here.writes(WHEN)
        bob.writes(WHERE)
        await house.until_arrived(here, 4)
        await on_telegram(3)
        await house.until_arrived(bob, 1)
        asked = [each.user_texts[-1] for each in house.asked_with(POT)]
        assert asked.count(WHERE) == 1, "Ada is asked with it on the other channel, and Bob not"
        assert WHEN in [each.user_texts[-1] for each in house.asked_with(TREE)]

        said: dict[bool, list[str]] = {True: [], False: []}
        for number in range(MESSAGES):
            is_here = chance.random() < 0.5
            text = f"{number} on {PLACES[is_here]}"
            (here if is_here else there).writes(text)
            said[is_here].append(f"echo: {text}")
            if chance.random() < 0.2:
                await house.until_arrived(here, 4 + len(said[True]))
        texts_here = await house.until_arrived(here, 4 + len(said[True]))
        texts_there = await on_telegram(3 + len(said[False]))
    assert texts_here[4:] == said[True]
    assert texts_there[3:] == said[False]
    chats = house.rows(
        "SELECT channel, chat FROM conversations WHERE user_id = "
        f"(SELECT user_id FROM identities WHERE sender = '{ON_TELEGRAM}') ORDER BY channel"
    )
    assert chats == [("telegram", str(ON_TELEGRAM)), ("whatsapp", here.address)]
    for each in house.model.requests:
        words = " ".join(each.user_texts).split()
        assert not set(PLACES.values()) <= set(words), "one conversation is told in the other"
