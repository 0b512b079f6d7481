"""SIGKILL while memories are kept, replaced and forgotten: ledger and index agree after it.

Two people write on Telegram while the daemon is killed five times, in a thorough run
fifteen, at moments drawn from a seed. The seed is printed; GAIA_KILL_SEED replays it.
"""

from __future__ import annotations

import asyncio
import json
import random
import string
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from gaia.clock import SystemClock
from gaia.memory import ledger
from gaia.memory.index.chroma import ChromaStorage
from gaia.memory.index.parts import USER, memory_id
from gaia.memory.memory import Statement
from gaia.store.memory_tables import MemorySource
from gaia.store.opener import open_database
from gaia.store.people.users import Users
from tests.harness.databases import url_of
from tests.harness.effort import KILL_SEED, drawn, rounds
from tests.harness.household import PEOPLE, Household
from tests.harness.traces import files_with

pytestmark = pytest.mark.asyncio(loop_scope="session")

KILLS = rounds(5, thorough=15)
KNOWN_BEFORE = 20
LATEST_KILL_SECONDS = 1.5
ALL_DONE_SECONDS = 120

WAITS = """
SELECT 1 FROM inbox WHERE state IN ('queued', 'running')
UNION SELECT 1 FROM outbox WHERE state IN ('pending', 'sending', 'unknown')
UNION SELECT 1 FROM forgets WHERE state != 'asked'
"""
ACTIVE = """
SELECT users.name, memories.memory_id, memories.text
FROM memories JOIN users USING (user_id) WHERE status = 'active'
"""


@dataclass
class SetupPlan:
    """What somebody wanted: kept, forgotten, and replaced by what."""

    kept: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)
    replaced: dict[str, str] = field(default_factory=dict)

    @property
    def settled(self) -> set[str]:
        """What nobody asked to change again."""
        changed = {*self.forgotten, *self.replaced, *self.replaced.values()}
        return self.kept - changed


def a_statement(chance: random.Random) -> str:
    """Three words that stand nowhere else."""
    letters = string.ascii_lowercase
    return " ".join("zq" + "".join(chance.choices(letters, k=7)) for _ in range(3))


async def remember(household: Household, requests: Mapping[str, SetupPlan]) -> None:
    """Write what is kept into the ledger, as if it had been said long ago."""
    database, clock = await open_database(household.home), SystemClock()
    for name, theirs in requests.items():
        user = await Users(database, clock).find(name)
        with database.writing() as session:
            for text in sorted(theirs.kept):
                said = Statement(text, MemorySource.USER)
                ledger.add(session, user.user_id, said, clock.now())
    await database.close()


def write(household: Household, name: str, requests: SetupPlan, chance: random.Random) -> None:
    """Have somebody write some wishes; only what is kept already is changed or forgotten."""
    person = household.telegram.person(PEOPLE[name])
    present = {text: number for who, number, text in household.rows(ACTIVE) if who == name}
    changeable = sorted(requests.settled & present.keys())
    chance.shuffle(changeable)
    for text in changeable[:1]:
        requests.forgotten.add(text)
        person.writes(f"/forget {text.split()[0]}")
        person.writes("/forget yes")
    request = chance.choice(["replace", "remember", "have it remembered"])
    if request == "replace" and changeable[1:]:
        text, newer = changeable[1], a_statement(chance)
        requests.replaced[text] = newer
        change = {"memory_id": present[text], "fact": newer, "was": text}
        person.writes(f"use update_memory {json.dumps(change)}")
        return
    text = a_statement(chance)
    requests.kept.add(text)
    by_tool = f"use remember {json.dumps({'fact': text})}"
    person.writes(f"/remember {text}" if request == "remember" else by_tool)


async def live_and_die(household: Household, chance: random.Random) -> None:
    """Start a daemon, let it work for a random while, and kill it."""
    telegram = household.telegram
    await household.daemons.start(household.home)
    until = len(telegram.requests()) + chance.randint(3, 25)
    with suppress(TimeoutError):
        async with asyncio.timeout(chance.uniform(0.2, LATEST_KILL_SECONDS)):
            await telegram.until(lambda: len(telegram.requests()) >= until)
            await asyncio.sleep(chance.uniform(0, 0.2))
    household.daemons.kill()
    await household.daemons.ended()
    telegram.redeliver()


@pytest.mark.timeout(300)
async def test_memories_survive_kills_and_forgotten_ones_do_not(
    household: Household,
) -> None:
    chance = drawn(KILL_SEED)
    await household.furnish()
    requests = {
        name: SetupPlan({a_statement(chance) for _ in range(KNOWN_BEFORE)}) for name in PEOPLE
    }
    await remember(household, requests)
    for _ in range(KILLS):
        for name, theirs in requests.items():
            write(household, name, theirs, chance)
        await live_and_die(household, chance)
    async with household.awake():
        await household.telegram.until_polled()
        await household.until(lambda: not household.rows(WAITS), seconds=ALL_DONE_SECONDS)
        await household.until(household.memory_works, seconds=ALL_DONE_SECONDS)
    for name, theirs in requests.items():
        check_ledger(household, name, theirs)
    words = [word for each in requests.values() for text in each.forgotten for word in text.split()]
    assert files_with(household.home.root, *words) == []
    ledger = {(who, number) for who, number, _ in household.rows(ACTIVE)}
    assert vectors(household) == ledger


def check_ledger(household: Household, name: str, requests: SetupPlan) -> None:
    active = [text for who, _, text in household.rows(ACTIVE) if who == name]
    assert (requests.settled - set(active), requests.forgotten & set(active)) == (set(), set())
    assert len(active) == len(set(active)) == len(requests.kept) - len(requests.forgotten)
    for old, new in requests.replaced.items():
        assert len({old, new} & set(active)) == 1


def vectors(household: Household) -> set[tuple[object, object]]:
    """Whose vectors of which memories there are, in all of Chroma's collections, or PostgreSQL's
    table."""
    home = household.home
    names = dict(household.rows("SELECT user_id, name FROM users"))
    if url_of(home) is not None:
        ((index_id,),) = household.rows("SELECT index_id FROM indexes WHERE active")
        table = household.rows(f"SELECT payload->>'{USER}', id FROM gaia_{index_id}")
        return {(names[user_id], memory_id(str(each))) for user_id, each in table}
    storage = ChromaStorage(home.memory / "chroma")
    found = []
    for index_id, shard in household.rows("SELECT DISTINCT index_id, shard FROM index_shards"):
        held = storage.collection(f"gaia-{index_id}-{shard}").get(include=["metadatas"])
        found += [
            (names[payload[USER]], memory_id(each))
            for each, payload in zip(held.ids, held.metadatas or [], strict=True)
            if payload
        ]
    storage.close()
    assert len(found) == len(set(found))
    return set(found)
