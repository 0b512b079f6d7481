"""SIGKILL at any step of digesting: nothing is lost, and nothing learned twice."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.digest_tables import DigestState
from gaia.store.people.users import Role, Users
from tests.harness.databases import copy_database, opened, rows
from tests.harness.effort import rounds
from tests.harness.mortal import Mortals
from tests.harness.scripted_digest import Life

BEFORE = ["I like boats", "I like tea"]
MEANWHILE = "I like rain"
ONE_TURN = 1
"""Tokens of a window that holds a turn."""

STEPS = 60
"""About as many as a session takes to its end, and the next one, of what came meanwhile."""


@pytest.fixture(scope="module")
def process() -> Iterator[Mortals]:
    with Mortals("tests.harness.scripted_digest") as process:
        yield process


@pytest.fixture(scope="module")
def talked(
    process: Mortals,
    new_home: Callable[[Path], Home],
    tmp_path_factory: pytest.TempPathFactory,
) -> Home:
    """A home of somebody who has talked to gaia."""

    async def furnish(home: Home) -> None:
        database = opened(home)
        await Users(database, SystemClock()).create("ada", Role.OWNER, Address("fake", "ada"))
        await database.close()

    home = new_home(tmp_path_factory.mktemp("talked") / "home")
    asyncio.run(furnish(home))
    assert process.live(Life(home=home.root, says=BEFORE, digests=False)) is True
    return home


def check(home: Home, said: list[str], *, deaths: int) -> None:
    """All that was said was learned once, and each session digested once."""
    likes = list(said)
    learned = rows(home, "SELECT text, support FROM memories WHERE kind = 'fact'")
    assert sorted(learned) == sorted((text, 1) for text in likes)
    archived = rows(home, "SELECT words FROM archived_turns")
    assert sorted(archived) == sorted((text,) for text in said)
    states = rows(home, "SELECT state, count(DISTINCT session_id) FROM digests GROUP BY 1")
    episodes = rows(home, "SELECT count(*) FROM memories WHERE kind = 'episode'")
    assert states == [("cleared", episodes[0][0])]
    assert rows(home, "SELECT count(*) FROM digest_windows") == [(0,)]
    assert rows(home, "SELECT event_id FROM events") == []
    asked = Counter((home.root / "asked").read_text().splitlines())
    assert sum(times - 1 for times in asked.values()) <= deaths


def copied(home: Home, folder: Path) -> Home:
    copy = Home(shutil.copytree(home.root, folder / "home"))
    copy_database(home, copy)
    return copy


@pytest.mark.parametrize("point", ["asking", "answered", DigestState.COMMITTED])
def test_each_point_may_be_the_last(process, talked, tmp_path, point):
    home = copied(talked, tmp_path)
    life = Life(home=home.root, window_tokens=ONE_TURN, dies_in=point)
    assert process.live(life) is None
    life.dies_in, life.says = None, [MEANWHILE]
    assert process.live(life) is True
    check(home, [*BEFORE, MEANWHILE], deaths=1)


@given(deaths=st.lists(st.integers(1, STEPS), min_size=1, max_size=2))
@settings(
    max_examples=rounds(1, thorough=5),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_step_may_be_the_last_with_messages_arriving_meanwhile(process, talked, deaths):
    with tempfile.TemporaryDirectory() as folder:
        home = copied(talked, Path(folder))
        for dies_at in (*deaths, 0):
            life = Life(home=home.root, meanwhile=MEANWHILE, dies_at=dies_at)
            lived = process.live(life)
        assert lived is True
        check(home, [*BEFORE, MEANWHILE], deaths=len(deaths))
