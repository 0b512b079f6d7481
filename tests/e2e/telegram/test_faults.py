"""Telegram at its worst: every message is answered once, in order, whatever happens.

A hundred people write while requests fail in every way that Telegram has, and once more
while the daemon is killed again and again; two hundred and thirty times in a thorough run.
The seed is printed; GAIA_FAULT_SEED replays it.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

import pytest

from gaia.clock import SystemClock
from gaia.messages import REPEAT_MARK
from gaia.paths import Home
from gaia.store import outbox
from gaia.store.opener import open_database
from gaia.store.people.users import Role
from gaia.store.tables import OutboxState
from tests.harness.effort import FAULT_SEED, drawn, rounds
from tests.harness.scripted_daemon import Daemons, daemons
from tests.harness.telegram_home import furnish
from tests.servers.model_server import Step, spawned_model_server
from tests.servers.telegram import Person, TelegramServer, running_telegram
from tests.servers.telegram.weather import Weather

PEOPLE = range(1000, 1000 + rounds(100, thorough=200))
ROLES = {1: Role.OWNER} | dict.fromkeys(PEOPLE, Role.MEMBER)
CHATTY = PEOPLE[::4]
"""They write twice."""
REPLIES = len(PEOPLE) + 2 * len(CHATTY)
UPDATES_A_POLL = 100
KILLS = rounds(5, thorough=30)
LATEST_KILL_SECONDS = 2.5
KILLED_LIKELIHOOD = rounds(15, thorough=5) / 100
"""Of a fault; the fewer people, the more faults, or there is none that proves anything."""
ALL_ANSWERED_SECONDS = 300
BOLD_WORDS = 130
"""Telegram takes a hundred entities a message: a reply with these comes in two."""


def messages_of(person: int) -> list[str]:
    """What a person writes: a short message, and the chatty one that takes two to answer."""
    words = " ".join(f"**{person}w{n}**" for n in range(BOLD_WORDS))
    written = [f"{person} says hello", f"{person} says {words}"]
    return written if person in CHATTY else written[:1]


def all_messages(people: Sequence[Person]) -> list[tuple[Person, str]]:
    """Who writes what: first all their first message, then some their second."""
    return [
        (person, text)
        for number in range(2)
        for person in people
        for text in messages_of(person.chat_id)[number : number + 1]
    ]


def words_of(texts: Sequence[str]) -> list[str]:
    return " ".join(texts).replace("*", " ").split()


@pytest.fixture
def chance() -> random.Random:
    return drawn(FAULT_SEED)


@pytest.mark.timeout(600)
async def test_each_message_is_answered_once_and_in_order_in_any_weather(home, forks, chance):
    weather = Weather(chance, likelihood=0.15, hangs=rounds(1, thorough=4))
    async with (
        spawned_model_server(forks.start) as model,
        running_telegram(SystemClock()) as telegram,
    ):
        await model.script(Step(times=None, latency_seconds=0.02))
        await furnish(home, telegram, model.openai_base_url, ROLES)
        async with daemons(forks, home) as daemon:
            telegram.faults = weather
            await daemon.start()
            people = [telegram.person(number) for number in PEOPLE]
            for person, text in all_messages(people):
                person.writes(text)
            await telegram.until(lambda: len(plain(telegram)) > UPDATES_A_POLL)
            assert telegram.redeliver(), "the first poll is confirmed by the second"
            await until_answered(telegram)
            daemon.terminate()
        assert await given_up(home) == []
        check(telegram, people, weather, killed=False)


@pytest.mark.timeout(600)
async def test_kills_in_any_weather_lose_nothing(home, forks, chance):
    weather = Weather(chance, likelihood=KILLED_LIKELIHOOD)
    async with (
        spawned_model_server(forks.start) as model,
        running_telegram(SystemClock()) as telegram,
    ):
        await model.script(Step(times=None, latency_seconds=0.02))
        await furnish(home, telegram, model.openai_base_url, ROLES)
        async with daemons(forks, home) as daemon:
            telegram.faults = weather
            people = [telegram.person(number) for number in PEOPLE]
            told = all_messages(people)
            share = len(told) // KILLS + 1
            for life in range(KILLS):
                for person, text in told[life * share : (life + 1) * share]:
                    person.writes(text)
                await live_and_die(daemon, telegram, chance)
                telegram.redeliver()
            await daemon.start()
            await until_answered(telegram)
            daemon.terminate()
        assert await given_up(home) == []
        check(telegram, people, weather, killed=True)


async def live_and_die(daemon: Daemons, telegram: TelegramServer, chance: random.Random) -> None:
    """Start a daemon, let it work for a random while, and kill it."""
    await daemon.start()
    until = len(telegram.requests()) + chance.randint(1, 60)
    with suppress(TimeoutError):
        async with asyncio.timeout(chance.uniform(0.1, LATEST_KILL_SECONDS)):
            await telegram.until(lambda: len(telegram.requests()) >= until)
            await asyncio.sleep(chance.uniform(0, 0.03))
    daemon.kill()


async def given_up(home: Home) -> list[str]:
    """Why replies were given up."""
    database = await open_database(home)
    dead = await database.read(outbox.listed, states=[OutboxState.DEAD])
    await database.close()
    return [f"{one.chat}: {one.chunk.error} ({one.chunk.attempts} attempts)" for one in dead]


async def until_answered(telegram: TelegramServer) -> None:
    """Return once nothing is missing, or it is too late to hope for it."""

    def is_complete() -> bool:
        return len(telegram.world.sent) >= REPLIES and len(plain(telegram)) >= REPLIES

    with suppress(TimeoutError):
        async with asyncio.timeout(ALL_ANSWERED_SECONDS):
            await telegram.until(is_complete)


def plain(telegram: TelegramServer) -> set[tuple[int, str]]:
    return {(each.chat_id, each.text.removeprefix(REPEAT_MARK)) for each in telegram.messages()}


def check(
    telegram: TelegramServer, people: Sequence[Person], weather: Weather, *, killed: bool
) -> None:
    """Nothing is missing, doubled or out of order, and no mark without a doubt."""
    assert telegram.violations == ()
    assert weather.uncertain, "the weather was too fine to prove anything"
    for person in people:
        sent = telegram.messages(person)
        unmarked = [each for each in sent if not each.text.startswith(REPEAT_MARK)]
        assert max(Counter(each.text for each in unmarked).values(), default=0) <= 1
        first_copies = list(dict.fromkeys(each.text.removeprefix(REPEAT_MARK) for each in sent))
        expected = [f"echo: {text}" for text in messages_of(person.chat_id)]
        assert words_of(first_copies) == words_of(expected)
        if killed:
            continue
        for each in sent:
            if each not in unmarked:
                assert (person.chat_id, each.text.removeprefix(REPEAT_MARK)) in weather.uncertain
