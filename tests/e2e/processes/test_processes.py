"""Several gaias work as one: each message is answered once and in order, whichever process takes
it, whichever is killed or stands still meanwhile, and however Telegram fails.

The seed is printed; GAIA_KILL_SEED replays it.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal

import pytest

from gaia.store.location import VARIABLE
from tests.harness.effort import KILL_SEED, drawn, rounds
from tests.servers.telegram.weather import Weather

PROCESSES = 3
PEOPLE = range(1000, 1000 + rounds(20, thorough=200))
AT_ONCE = 20
FAULT_LIKELIHOOD = 0.05
KILLS = rounds(4, thorough=60)
SERVER_KILLS = rounds(1, thorough=10)


@pytest.fixture
def chance() -> random.Random:
    return drawn(KILL_SEED)


@pytest.mark.timeout(1200)
async def test_each_message_is_answered_once_whichever_process_is_killed(made, chance):
    async with made(PROCESSES, PEOPLE) as cluster:
        await cluster.start()
        cluster.telegram.faults = Weather(chance, likelihood=FAULT_LIKELIHOOD)
        people = [cluster.telegram.person(number) for number in PEOPLE]
        said = []
        deaths = ["gaia"] * KILLS + ["server"] * SERVER_KILLS
        chance.shuffle(deaths)
        for number, victim in enumerate(deaths):
            for person in chance.sample(people, AT_ONCE) if number else people:
                text = f"{person.chat_id} says {number}"
                person.writes(text)
                said.append((person, text))
            await asyncio.sleep(chance.uniform(0, 1.0))
            if victim == "server":
                cluster.server.restart()
            else:
                gaia = chance.choice(cluster.gaias)
                gaia.send(signal.SIGKILL)
                await gaia.start()
            await cluster.balancer.until_ready(1)
        await cluster.until_answered(said)
        cluster.check(said)


@pytest.mark.timeout(120)
async def test_one_that_stood_still_past_its_time_writes_nothing_more(made):
    async with made(2, PEOPLE[:1]) as cluster:
        await cluster.start()
        person = cluster.telegram.person(PEOPLE[0])
        person.writes("first")
        await cluster.until_answered([(person, "first")])
        ((holder,),) = cluster.rows("SELECT name FROM processes JOIN holders USING (process_id)")
        pid = int(str(holder).rpartition("-")[2])
        os.kill(pid, signal.SIGSTOP)
        person.writes("second")
        said = [(person, "first"), (person, "second")]
        await cluster.until_answered(said)
        cluster.check(said)
        (still,) = [each for each in cluster.gaias if each.is_process(pid)]
        os.kill(pid, signal.SIGCONT)
        assert await still.ended() == 75
        cluster.check(said)


@pytest.mark.timeout(120)
async def test_one_that_ends_hands_over_at_once(made):
    async with made(2, PEOPLE[:1]) as cluster:
        await cluster.start()
        person = cluster.telegram.person(PEOPLE[0])
        leaders = "SELECT name FROM processes WHERE leads"
        ((leader,),) = cluster.rows(leaders)
        pid = int(str(leader).rpartition("-")[2])
        (ends,) = [each for each in cluster.gaias if each.is_process(pid)]
        ends.send(signal.SIGTERM)
        assert await ends.ended() == 0
        await cluster.until(lambda: cluster.rows(leaders) not in ([], [(leader,)]), seconds=5)
        person.writes("hello")
        await cluster.until_answered([(person, "hello")])
        cluster.check([(person, "hello")])


@pytest.mark.timeout(120)
async def test_a_chat_that_hosts_gaia_keeps_nothing_from_those_who_serve(made):
    async with made(2, PEOPLE[:1]) as cluster:
        chatting, serving = cluster.gaias
        await chatting.start("chat", "--user", "owner")
        leaders = "SELECT serves FROM processes WHERE leads"
        await cluster.until(lambda: cluster.rows(leaders) == [(False,)])
        await serving.start()
        await cluster.balancer.until_ready(1)
        await cluster.until(lambda: cluster.rows(leaders) == [(True,)])
        person = cluster.telegram.person(PEOPLE[0])
        said = [(person, "first"), (person, "second")]
        person.writes("first")
        await cluster.until_answered(said[:1])
        person.writes("second")
        serving.send(signal.SIGKILL)
        await serving.start()
        await cluster.until_answered(said)
        cluster.check(said)


@pytest.mark.timeout(120)
async def test_a_chat_at_a_terminal_goes_on_at_another_machine(made, run_gaia):
    async with made(2, PEOPLE[:1]) as cluster:
        await cluster.start()
        environ = {VARIABLE: cluster.url.render_as_string(hide_password=False)}
        for number, gaia in enumerate([*cluster.gaias, *cluster.gaias]):
            said = f"hello {number}"
            chat = await run_gaia(gaia.home, "chat", "-m", said, environ=environ)
            assert (chat.code, chat.stdout.strip()) == (0, f"echo: {said}"), chat.stderr
        status = await run_gaia(cluster.gaias[0].home, "status", environ=environ)
        assert status.stdout.count(", leads") == 1
        held = cluster.rows("SELECT count(*) FROM holders")
        assert held == [(1,)], "it is one conversation"
