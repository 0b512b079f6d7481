"""SIGKILL at any moment loses nothing, answers nothing twice and keeps the order.

Ten people write sixty messages while the daemon is killed five times, at moments drawn
from a seed; two hundred and thirty times in a thorough run. The seed is printed;
GAIA_KILL_SEED replays it.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from contextlib import suppress

import pytest

from gaia.clock import SystemClock
from gaia.messages import REPEAT_MARK, Address
from gaia.paths import Home
from gaia.sessions.service import event_text, read_events
from gaia.store import sessions
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.store.sessions import SessionKey
from tests.harness.effort import KILL_SEED, drawn, rounds
from tests.harness.scripted_daemon import Daemons, daemons
from tests.servers.chat_provider import ChatProvider, Delivered, running_provider
from tests.servers.model_server import Step, spawned_model_server

PEOPLE = [f"person{number}" for number in range(10)]
MESSAGES_EACH = rounds(6, thorough=20)
KILLS = rounds(5, thorough=30)
LATEST_KILL_SECONDS = 3.0
ALL_ANSWERED_SECONDS = 200


async def prepare(home: Home, model_url: str) -> dict[str, str]:
    """Write the settings, and make the people known; returns their user ids."""
    home.settings_file.write_text(
        f"model: {{provider: openai, name: fake, base_url: '{model_url}'}}\n"
        "sessions: {settle_seconds: 0}\n"
        "web: {enabled: false}\n"
        "memory: {enabled: false}\n"
    )
    database = await open_database(home)
    users = Users(database, SystemClock())
    ids = {
        person: (await users.create(person, Role.MEMBER, Address("scripted", person))).user_id
        for person in PEOPLE
    }
    await database.close()
    return ids


async def live_and_die(daemon: Daemons, provider: ChatProvider, chance: random.Random) -> None:
    """Start a daemon, let it work for a random while, and kill it."""
    await daemon.start()
    until = provider.events + chance.randint(1, 25)
    try:
        async with asyncio.timeout(chance.uniform(0.1, LATEST_KILL_SECONDS)):
            await provider.until_event(until)
            await asyncio.sleep(chance.uniform(0, 0.03))
    except TimeoutError:
        pass
    daemon.kill()


@pytest.mark.timeout(400)
async def test_all_messages_survive_all_kills(home, forks):
    chance = drawn(KILL_SEED)
    messages = [(person, f"{person} says {n}") for n in range(MESSAGES_EACH) for person in PEOPLE]
    share = len(messages) // KILLS + 1
    async with (
        spawned_model_server(forks.start) as model,
        running_provider(SystemClock()) as (provider, url),
        daemons(forks, home, url) as daemon,
    ):
        await model.script(Step(times=None, latency_seconds=0.02))
        user_ids = await prepare(home, model.openai_base_url)
        for life in range(KILLS):
            for person, text in messages[life * share : (life + 1) * share]:
                await provider.write(person, text)
            await live_and_die(daemon, provider, chance)
        await daemon.start()
        expected = {f"echo: {text}" for _, text in messages}
        with suppress(TimeoutError):
            async with asyncio.timeout(ALL_ANSWERED_SECONDS):
                await provider.until_delivered(expected)
        delivered = {_plain(each) for each in provider.delivered}
        assert (expected - delivered, delivered - expected) == (set(), set())
        daemon.terminate()
    check_replies(provider, messages)
    await check_sessions(home, user_ids)


def check_replies(provider: ChatProvider, messages: list[tuple[str, str]]) -> None:
    unmarked = [each for each in provider.delivered if not each.text.startswith(REPEAT_MARK)]
    assert max(Counter(each.text for each in unmarked).values()) == 1
    outbox_ids = {
        each.text.removeprefix(REPEAT_MARK): each.outbox_id for each in provider.delivered
    }
    assert len(set(outbox_ids.values())) == len(messages)
    replies: defaultdict[str, list[str]] = defaultdict(list)
    for each in provider.delivered:
        text = _plain(each)
        if text not in replies[each.chat]:
            replies[each.chat].append(text)
    for person in PEOPLE:
        assert replies[person] == [f"echo: {person} says {n}" for n in range(MESSAGES_EACH)]


async def check_sessions(home: Home, user_ids: dict[str, str]) -> None:
    database = await open_database(home)
    for person, user_id in user_ids.items():
        key = SessionKey(user_id, "scripted", person, 1)
        events = await database.read(sessions.events, user_id, key.session_id)
        said = [event_text(event) for event in read_events(events)]
        expected = [f"{person} says {n}" for n in range(MESSAGES_EACH)]
        assert said == [line for text in expected for line in (text, f"echo: {text}")]
    await database.close()


def _plain(delivered: Delivered) -> str:
    return delivered.text.removeprefix(REPEAT_MARK)
