"""PostgreSQL fails over while people write: each message is answered once, and in order."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import pytest

from gaia.clock import SystemClock
from gaia.store.location import VARIABLE
from gaia.store.people.users import Role
from tests.e2e.postgres.test_faults import check, has_asked, plain
from tests.harness.control import is_ready
from tests.harness.polling import until
from tests.harness.postgres import PostgresServer, postgres_server
from tests.harness.scripted_daemon import daemons
from tests.harness.telegram_home import furnish
from tests.servers.model_server import Step, spawned_model_server
from tests.servers.telegram import running_telegram

PEOPLE = range(1000, 1012)
ROLES = dict.fromkeys(PEOPLE, Role.MEMBER) | {PEOPLE[0]: Role.OWNER}
ALL_ANSWERED_SECONDS = 100


@pytest.fixture
def servers() -> Iterator[tuple[PostgresServer, PostgresServer]]:
    """One that may be killed, and its standby."""
    with postgres_server() as primary:
        standby = primary.follower()
        try:
            yield primary, standby
        finally:
            standby.stop()


@pytest.fixture
def kept_there(
    servers: tuple[PostgresServer, PostgresServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = servers[0].database()
    hosts = [str(each.folder / "socket") for each in servers]
    url = url.update_query_dict({"host": hosts, "target_session_attrs": "read-write"})
    monkeypatch.setenv(VARIABLE, url.render_as_string(hide_password=False))


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kept_there")
async def test_a_failover_loses_and_doubles_nothing(home, forks, servers):
    primary, standby = servers
    chance = random.Random()
    told = {person: [f"{person} says {n}" for n in range(2)] for person in PEOPLE}
    async with (
        spawned_model_server(forks.start) as model,
        running_telegram(SystemClock()) as telegram,
        daemons(forks, home) as daemon,
    ):
        await model.script(Step(times=None, latency_seconds=0.05))
        await furnish(home, telegram, model.openai_base_url, ROLES)
        await daemon.start()
        await until(partial(is_ready, home))
        for number in range(2):
            for person in PEOPLE:
                telegram.person(person).writes(told[person][number])
            if number == 0:
                often = len(telegram.requests()) + chance.randint(1, 2 * len(PEOPLE))
                await telegram.until(partial(has_asked, telegram, often))
                await asyncio.to_thread(primary.kill)
                await asyncio.to_thread(standby.promote)
        with suppress(TimeoutError):
            async with asyncio.timeout(ALL_ANSWERED_SECONDS):
                await telegram.until(lambda: len(plain(telegram)) >= 2 * len(PEOPLE))
        daemon.terminate()
        assert await daemon.ended() == 0
        for person in PEOPLE:
            check(telegram, person, told[person])
