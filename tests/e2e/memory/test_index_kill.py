"""SIGKILL at any step of an index operation: ledger and index agree after the restart."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gaia.clock import SystemClock
from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.memory_tables import MemorySource
from gaia.store.opener import open_database
from gaia.store.ownership import wipe_user
from gaia.store.people.identities import Role
from gaia.store.people.users import Users
from tests.harness.effort import deadly, rounds
from tests.harness.scripted_index import Life, ScriptedIndex

LAST_STEP = 22
"""Steps that the work of `settled` takes."""

PEOPLE = ("ada", "bob", "cid", "dan", "eve")


@dataclass(frozen=True)
class Chapter:
    """What happens to the ledger, and at which step of the work that follows it ends."""

    remember: list[tuple[str, int]] = field(default_factory=list)
    forget: list[str] = field(default_factory=list)
    wipe: list[str] = field(default_factory=list)
    embedder: str = "words"
    dies_at: int = 1


people = st.sampled_from(PEOPLE)
chapters = st.builds(
    Chapter,
    remember=st.lists(st.tuples(people, st.integers(1, 3)), max_size=3),
    forget=st.lists(people, max_size=2),
    wipe=st.lists(people, max_size=1),
    embedder=st.sampled_from(["words", "words", "words", "others"]),
    dies_at=st.integers(1, 14),
)


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedIndex]:
    with ScriptedIndex(tmp_path_factory.mktemp("mem0")) as process:
        yield process


@pytest.mark.timeout(300)
@settings(
    max_examples=rounds(1, thorough=4),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(story=st.lists(chapters, min_size=1, max_size=4))
def test_ledger_and_index_agree_whenever_the_index_was_killed(process, story):
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        home.create()
        for number, chapter in enumerate(story):
            asyncio.run(happen(home, chapter, number))
            process.live(Life(home=home.root, embedder=chapter.embedder, dies_at=chapter.dies_at))
        last = story[-1].embedder
        held = process.live(Life(home=home.root, embedder=last))
        assert held == asyncio.run(known(home))
        assert held == process.live(Life(home=home.root, embedder=last))


@pytest.fixture(scope="module")
def settled(process: ScriptedIndex, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose ledger and index agree, and whose ledger has changed since."""
    home = Home(tmp_path_factory.mktemp("settled") / "home")
    home.create()
    asyncio.run(happen(home, Chapter(remember=[("ada", 3), ("bob", 2), ("cid", 2)]), 0))
    process.live(Life(home=home.root))
    change = Chapter(remember=[("ada", 2), ("dan", 1)], forget=["ada", "bob"], wipe=["cid"])
    asyncio.run(happen(home, change, 1))
    return home.root


@pytest.mark.timeout(300)
def test_each_step_may_be_the_last(process, settled, tmp_path):
    for dies_at in (*deadly(LAST_STEP), LAST_STEP + 1):
        home = Home(tmp_path / str(dies_at))
        shutil.copytree(settled, home.root)
        died = process.live(Life(home=home.root, dies_at=dies_at)) is None
        assert died == (dies_at <= LAST_STEP)
        assert process.live(Life(home=home.root)) == asyncio.run(known(home))
        shutil.rmtree(home.root)


async def happen(home: Home, chapter: Chapter, number: int) -> None:
    """Write to the ledger what the chapter tells."""
    database, clock = await open_database(home), SystemClock()
    users = Users(database, clock)
    for name, count in chapter.remember:
        user_id = await id_of(users, name)
        with database.writing() as session:
            for each in range(count):
                said = Statement(f"memory {number} {each} of {name}", MemorySource.USER)
                ledger.add(session, user_id, said, clock.now())
    for name in chapter.forget:
        user_id = await id_of(users, name)
        with database.writing() as session:
            some = ledger.every(session, user_id, limit=2)
            ledger.remove(session, user_id, [each.memory_id for each in some], clock.now())
    for name in chapter.wipe:
        user_id = await id_of(users, name)
        await database.write(wipe_user, user_id, clock.now())
    await database.close()


async def id_of(users: Users, name: str) -> str:
    """The user's id; who is not there yet comes."""
    for user in await users.list():
        if user.name == name:
            return user.user_id
    return (await users.create(name, Role.MEMBER)).user_id


async def known(home: Home) -> dict[str, list[int]]:
    """The memories that the ledger has, by user name."""
    database: Database = await open_database(home)
    found = {}
    for user in await Users(database, SystemClock()).list():
        memories = await database.read(ledger.every, user.user_id, limit=1000)
        found[user.name] = [each.memory_id for each in memories]
    await database.close()
    return found
