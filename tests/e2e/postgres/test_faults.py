"""PostgreSQL killed again and again while people write: each message is answered once, in order.

The daemon is never killed: it waits for the server each time. Ten kills in a thorough run.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import pytest

from gaia.clock import SystemClock
from gaia.messages import REPEAT_MARK
from gaia.store.location import VARIABLE
from gaia.store.people.users import Role
from tests.harness.control import is_ready
from tests.harness.effort import rounds
from tests.harness.polling import until
from tests.harness.postgres import PostgresServer, postgres_server
from tests.harness.scripted_daemon import daemons
from tests.harness.telegram_home import furnish
from tests.servers.model_server import Step, spawned_model_server
from tests.servers.telegram import TelegramServer, running_telegram

PEOPLE = range(1000, 1012)
ROLES = dict.fromkeys(PEOPLE, Role.MEMBER) | {PEOPLE[0]: Role.OWNER}
KILLS = rounds(3, thorough=10)
LONGEST_LIFE_SECONDS = 1.5
DEAD_SECONDS = 0.5
ALL_ANSWERED_SECONDS = 200


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """One that may be killed."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def kept_there(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, server.database().render_as_string(hide_password=False))


@pytest.mark.timeout(400)
@pytest.mark.usefixtures("kept_there")
async def test_a_server_that_is_killed_loses_and_doubles_nothing(home, forks, server):
    chance = random.Random()
    told = {person: [f"{person} says {n}" for n in range(KILLS)] for person in PEOPLE}
    async with (
        spawned_model_server(forks.start) as model,
        running_telegram(SystemClock()) as telegram,
        daemons(forks, home) as daemon,
    ):
        await model.script(Step(times=None, latency_seconds=0.05))
        await furnish(home, telegram, model.openai_base_url, ROLES)
        await daemon.start()
        # A server that goes before gaia is ready ends it.
        await until(partial(is_ready, home))
        for life in range(KILLS):
            for person in PEOPLE:
                telegram.person(person).writes(told[person][life])
            often = len(telegram.requests()) + chance.randint(1, 2 * len(PEOPLE))
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_LIFE_SECONDS):
                    await telegram.until(partial(has_asked, telegram, often))
            await asyncio.to_thread(server.kill)
            await asyncio.sleep(chance.uniform(0, DEAD_SECONDS))
            await asyncio.to_thread(server.restart)
        wanted = KILLS * len(PEOPLE)
        with suppress(TimeoutError):
            async with asyncio.timeout(ALL_ANSWERED_SECONDS):
                await telegram.until(lambda: len(plain(telegram)) >= wanted)
        daemon.terminate()
        assert await daemon.ended() == 0
        for person in PEOPLE:
            check(telegram, person, told[person])
    assert not home.database.exists()


def has_asked(telegram: TelegramServer, often: int) -> bool:
    """Whether gaia has asked it so often."""
    return len(telegram.requests()) >= often


def plain(telegram: TelegramServer) -> set[tuple[int, str]]:
    return {(each.chat_id, each.text.removeprefix(REPEAT_MARK)) for each in telegram.messages()}


def check(telegram: TelegramServer, number: int, told: list[str]) -> None:
    """A repeat is marked as one: the server took what it knew of the first with it."""
    texts = telegram.texts(telegram.person(number))
    unmarked = [text for text in texts if not text.startswith(REPEAT_MARK)]
    assert max(Counter(unmarked).values(), default=0) <= 1
    first = list(dict.fromkeys(text.removeprefix(REPEAT_MARK) for text in texts))
    assert first == [f"echo: {text}" for text in told]


@pytest.mark.usefixtures("kept_there")
async def test_one_that_is_not_there_at_the_start_is_told(home, run_gaia, server):
    server.kill()
    done = await run_gaia(home, "serve")
    assert done.code == 1
    assert "does not answer" in done.stderr
    assert (
        "check that its server runs and has a connection left, and that its address" in done.stderr
    )
    assert "Traceback" not in done.stderr
