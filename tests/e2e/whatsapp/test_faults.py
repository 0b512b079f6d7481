"""WhatsApp at its worst: every message is answered once, in order, whatever happens.

A few people write while requests fail in every way that Twilio has and what it tells of
messages comes late, twice, in any order or never; and once more while the daemon is killed
again and again, and what nobody took of Twilio has to be found. The seed is printed;
GAIA_FAULT_SEED replays it.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

import pytest
from sqlalchemy import text

from gaia.messages import MAYBE_FORWARDED, REPEAT_MARK
from tests.harness.databases import connected
from tests.harness.effort import FAULT_SEED, drawn, rounds
from tests.harness.whatsapp_house import WhatsAppHouse
from tests.servers.twilio import Person
from tests.servers.twilio.weather import Reports, Weather

PEOPLE = {f"person{n}": f"+491510000{n:04}" for n in range(rounds(4, thorough=6))}
MESSAGES_EACH = rounds(4, thorough=5)
LONG_MESSAGE = 3
LONG_WORDS = 200
"""So many of these words take two messages to answer."""
KILLS = rounds(5, thorough=12)
LATEST_KILL_SECONDS = 1.5
ALL_ANSWERED_SECONDS = 90

WANTED_LATER = "state = 'pending' AND error LIKE '%63018%'"
"""Chunks that WhatsApp wants again after a minute."""

ON_THE_MOVE = f"""
SELECT 1 FROM outbox AS chunk WHERE state IN ('pending', 'sending', 'unknown') AND NOT EXISTS (
    SELECT 1 FROM outbox WHERE {WANTED_LATER}
    AND conversation_id = chunk.conversation_id AND outbox_id <= chunk.outbox_id)
UNION ALL SELECT 1 FROM inbox WHERE state IN ('queued', 'running')
"""

ALL_RECORDED = "SELECT provider_message_id FROM inbox"

RECORDED = """
SELECT provider_message_id FROM inbox JOIN conversations USING (conversation_id)
WHERE chat = '{}' ORDER BY inbox_id
"""


def text_of(number: str, index: int) -> str:
    """What somebody writes: short messages, and one that takes two to answer."""
    words = LONG_WORDS if index == LONG_MESSAGE else 1
    return f"{index} of {number}: " + " ".join(f"{number[-4:]}w{n}" for n in range(words))


@pytest.fixture
def chance() -> random.Random:
    return drawn(FAULT_SEED)


@pytest.mark.timeout(300)
async def test_each_message_is_answered_once_and_in_order_in_any_weather(
    house: WhatsAppHouse, chance: random.Random
) -> None:
    weather = Weather(chance, likelihood=0.15, hangs=1)
    twilio = house.twilio
    await house.furnish(PEOPLE)
    people = [twilio.person(number) for number in PEOPLE.values()]
    twilio.faults, twilio.callbacks = weather, Reports(chance, failing=0.05)
    async with house.awake():
        for index in range(MESSAGES_EACH):
            for person in people:
                person.writes(text_of(person.address, index))
            await twilio.until_told()
            twilio.redeliver()
        await twilio.until_told()
        with suppress(TimeoutError):
            await house.until(lambda: not house.rows(ON_THE_MOVE), seconds=ALL_ANSWERED_SECONDS)
    let_a_minute_pass(house)
    twilio.callbacks = Reports(chance)
    async with house.awake():
        await until_answered(house)
    assert twilio.given_up == ()
    for person in people:
        assert written(house, person) == [
            text_of(person.address, index) for index in range(MESSAGES_EACH)
        ]
    check(house, people, weather)
    for person in people:
        for each in twilio.texts(person):
            if each.startswith(REPEAT_MARK):
                assert (person.address, each.removeprefix(REPEAT_MARK)) in weather.uncertain


@pytest.mark.timeout(300)
async def test_kills_in_any_weather_lose_nothing(
    house: WhatsAppHouse, chance: random.Random
) -> None:
    weather = Weather(chance, likelihood=0.1)
    twilio = house.twilio
    await house.furnish(PEOPLE)
    people = [twilio.person(number) for number in PEOPLE.values()]
    twilio.faults, twilio.callbacks = weather, Reports(chance, failing=0.1)
    told = [(person, index) for index in range(MESSAGES_EACH) for person in people]
    for life in range(KILLS):
        writing = told[life * len(told) // KILLS : (life + 1) * len(told) // KILLS]
        # Of the first life at least, Twilio reaches nobody: something has to be found.
        before = chance.randint(0, len(writing)) if life else len(writing)
        twilio.attempts = chance.choice((1, 2)) if life else 1
        await live_and_die(house, writing, before, chance)
        assert acknowledged(house) <= {sid for (sid,) in house.rows(ALL_RECORDED)}
        twilio.redeliver()
        let_a_minute_pass(house)
    await twilio.until_told()
    assert twilio.given_up, "Twilio reached gaia each time, and nothing had to be found"
    twilio.callbacks = Reports(chance)
    async with house.awake():
        await until_answered(house)
    for person in people:
        assert sorted(written(house, person)) == [
            text_of(person.address, index) for index in range(MESSAGES_EACH)
        ]
    check(house, people, weather)


async def live_and_die(
    house: WhatsAppHouse, writing: Sequence[tuple[Person, int]], before: int, chance: random.Random
) -> None:
    """Start a daemon, have people write so much before that, the rest after it, and kill
    it soon."""
    twilio = house.twilio
    for person, index in writing[:before]:
        person.writes(text_of(person.address, index))
    await house.daemons.start()
    requests = len(twilio.requests()) + chance.randint(1, 30)
    with suppress(TimeoutError):
        async with asyncio.timeout(chance.uniform(0.3, LATEST_KILL_SECONDS)):
            # It looks for messages: it is there.
            await twilio.until(lambda: len(twilio.requests()) > requests - 30)
            for person, index in writing[before:]:
                person.writes(text_of(person.address, index))
            before = len(writing)
            await twilio.until(lambda: len(twilio.requests()) >= requests)
            await asyncio.sleep(chance.uniform(0, 0.03))
    house.daemons.kill()
    await house.daemons.ended()
    for person, index in writing[before:]:
        person.writes(text_of(person.address, index))


def acknowledged(house: WhatsAppHouse) -> set[str]:
    """What Twilio was told that gaia has."""
    twilio = house.twilio
    told = [each for each in twilio.calls_made if each.url == twilio.webhook_url]
    return {each.form["MessageSid"] for each in told if each.status == 200}


def let_a_minute_pass(house: WhatsAppHouse) -> None:
    """Have what WhatsApp wants again after a minute be due. No daemon may run."""
    with connected(house.home) as connection:
        connection.execute(text(f"UPDATE outbox SET not_before = NULL WHERE {WANTED_LATER}"))


async def until_answered(house: WhatsAppHouse) -> None:
    """Return once nothing is missing, or it is too late to hope for it."""
    expected = len(PEOPLE) * (MESSAGES_EACH + 1)

    def is_complete() -> bool:
        return len(house.twilio.messages()) >= expected and len(plain(house)) >= expected

    with suppress(TimeoutError):
        async with asyncio.timeout(ALL_ANSWERED_SECONDS):
            await house.twilio.until(is_complete)


def plain(house: WhatsAppHouse) -> set[tuple[str, str]]:
    return {(each.person, each.body.removeprefix(REPEAT_MARK)) for each in house.twilio.messages()}


def written(house: WhatsAppHouse, person: Person) -> list[str]:
    """What somebody wrote, in the order in which gaia took it."""
    sids = house.rows(RECORDED.format(person.address))
    return [house.twilio.world.messages[sid].body for (sid,) in sids]


def check(house: WhatsAppHouse, people: Sequence[Person], weather: Weather) -> None:
    """Nothing is given up, missing, doubled or out of order."""
    assert weather.met, "the weather was too fine to prove anything"
    assert house.rows("SELECT error FROM outbox WHERE state = 'dead'") == []
    for person in people:
        texts = house.twilio.texts(person)
        unmarked = [each for each in texts if not each.startswith(REPEAT_MARK)]
        assert max(Counter(unmarked).values(), default=0) <= 1
        first_copies = list(dict.fromkeys(each.removeprefix(REPEAT_MARK) for each in texts))
        expected = [f"echo: {text}" for text in written(house, person)]
        # The model is told of what no webhook told of.
        echoed = " ".join(first_copies).replace(MAYBE_FORWARDED, "")
        assert echoed.split() == " ".join(expected).split()
