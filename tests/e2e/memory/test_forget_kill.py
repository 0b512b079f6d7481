"""SIGKILL at any step of forgetting: nothing that was forgotten comes back."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gaia.clock import SystemClock
from gaia.memory import archive, ledger
from gaia.memory.contexts import GLOBAL
from gaia.memory.memory import Statement
from gaia.messages import Address, Inbound
from gaia.paths import Home
from gaia.sessions.service import stopped_turn, stored_events
from gaia.store import conversations, inbox, outbox, sessions
from gaia.store.archive import Ended
from gaia.store.memory_tables import MemorySource
from gaia.store.people.identities import Role
from gaia.store.people.users import Users
from gaia.store.sessions import SessionKey
from gaia.store.tables import InboxState
from tests.harness.databases import copy_database, opened, rows, url_of
from tests.harness.effort import deadly, rounds
from tests.harness.mortal import Mortals
from tests.harness.scripted_forget_worker import Life
from tests.harness.traces import files_with

THINGS = ("the gate code is under the blue pot", "my therapist is called weatherby")
TRACES = (("blue pot", "gate code"), ("therapist", "weatherby"))
OWN = "we walked along the violet canal"
OF_BOB = {"gaia.db", "backups/gaia-at-0001.db"}
OWNED = (
    "events",
    "memories",
    "memory_terms",
    "forgotten",
    "index_ops",
    "archived_turns",
    "archived_terms",
)
LAST_STEP = 23
"""Steps that a wish takes, of everything as of one memory."""


@dataclass(frozen=True)
class Scene:
    """A home in which ada and bob said and keep the same."""

    home: Home
    ada: str
    bob: str


@pytest.fixture(scope="module")
def process() -> Iterator[Mortals]:
    with Mortals("tests.harness.scripted_forget_worker") as process:
        yield process


@pytest.fixture(scope="module")
def scene(new_home: Callable[[Path], Home], tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return asyncio.run(furnish(new_home(tmp_path_factory.mktemp("furnished") / "home")))


def copied(scene: Scene, folder: Path) -> Scene:
    copy = Home(shutil.copytree(scene.home.root, folder / "home"))
    copy_database(scene.home, copy)
    return Scene(copy, scene.ada, scene.bob)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("everything", [False, True])
def test_each_step_may_be_the_last(process, scene, tmp_path, everything):
    intact = of_bob(scene)
    for dies_at in (*deadly(LAST_STEP), LAST_STEP + 1):
        here = copied(scene, tmp_path / str(dies_at))
        life = Life(home=here.home.root, user_id=here.ada, dies_at=dies_at)
        life.everything, life.requests = everything, [1]
        died = process.live(life) is None
        assert died == (dies_at <= LAST_STEP)
        was_wished = numbers(here, here.ada) != [1, 3]
        assert was_wished or dies_at == 1
        assert process.live(Life(home=here.home.root)) is True
        check_forgotten(here, {1, 2} if everything else {1}, wished=was_wished)
        assert of_bob(here) == intact
        shutil.rmtree(here.home.root)


@pytest.mark.timeout(300)
@settings(
    max_examples=rounds(2, thorough=10),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    story=st.lists(
        st.tuples(st.sampled_from([(), (1,), (3,), (1, 3), "everything"]), st.integers(1, 30)),
        min_size=1,
        max_size=4,
    )
)
def test_whatever_was_wished_and_whenever_it_died(process, scene, story):
    with tempfile.TemporaryDirectory() as folder:
        here = copied(scene, Path(folder))
        intact = of_bob(scene)
        for request, dies_at in story:
            life = Life(home=here.home.root, user_id=here.ada, dies_at=dies_at)
            life.everything = request == "everything"
            life.requests = [] if request == "everything" else list(request)
            process.live(life)
        assert process.live(Life(home=here.home.root)) is True
        left = numbers(here, here.ada)
        gone = {number for number, memory_id in ((1, 1), (2, 3)) if memory_id not in left}
        check_forgotten(here, gone, wished=bool(gone))
        assert of_bob(here) == intact


def check_forgotten(scene: Scene, gone: set[int], *, wished: bool) -> None:
    """What ada had forgotten is nowhere but where bob said it; what she did not, is there."""
    if not wished:
        assert numbers(scene, scene.ada) == [1, 3]
        return
    for number in gone:
        words = [f"{trace} ada" for trace in TRACES[number - 1]]
        assert files_with(scene.home.root, *words, f"{THINGS[number - 1]} ada") == []
        assert set(files_with(scene.home.root, *TRACES[number - 1])) == places_of_bob(scene)
    if gone == {1}:
        assert "gaia.db" in files_with(scene.home.root, f"{THINGS[1]} ada")
    assert rows(scene.home, "SELECT count(*) FROM forgets") == [(0,)]
    said = rows(
        scene.home,
        "SELECT text FROM inbox JOIN conversations USING (conversation_id) WHERE user_id = :who",
        who=scene.ada,
    )
    assert not any(THINGS[number - 1] in text for (text,) in said for number in gone)


def places_of_bob(scene: Scene) -> set[str]:
    """Where what bob said is: gaia keeps no copies of a PostgreSQL database."""
    return OF_BOB if url_of(scene.home) is None else {"gaia.db"}


def numbers(scene: Scene, user_id: str) -> list[int]:
    found = rows(scene.home, "SELECT memory_id FROM memories WHERE user_id = :who", who=user_id)
    return sorted(number for (number,) in found)


def of_bob(scene: Scene) -> dict[str, list[tuple[object, ...]]]:
    """All rows of bob's, in both files."""
    found = {}
    for table in ("inbox", "outbox"):
        query = (
            f"SELECT {table}.* FROM {table} JOIN conversations USING (conversation_id) "
            f"WHERE user_id = :who ORDER BY {table}_id"
        )
        found[table] = rows(scene.home, query, who=scene.bob)
    for table in OWNED:
        query = f"SELECT * FROM {table} WHERE user_id = :who ORDER BY 1, 2, 3"
        found[table] = rows(scene.home, query, who=scene.bob)
    assert all(found[table] for table in found if table != "forgotten")
    return found


async def furnish(home: Home) -> Scene:
    """Have both say and keep the same things, with their names, and ada something of her own."""
    database, clock = opened(home), SystemClock()
    users = Users(database, clock)
    ids = {}
    for name in ("ada", "bob"):
        ids[name] = (await users.create(name, Role.OWNER)).user_id
    for number, thing in enumerate(THINGS):
        for name, user_id in ids.items():
            turn_id = f"turn-{name}-{number}"
            words = f"{thing} {name}"
            with database.writing() as session:
                said = Statement(words, MemorySource.TOOL, turn_id=turn_id)
                ledger.add(session, user_id, said, clock.now())
                chat = conversations.find_or_create(
                    session,
                    user_id=user_id,
                    channel="fake",
                    chat=name,
                    direct=True,
                    now=clock.now(),
                )
                inbox.record(
                    session,
                    Inbound(Address("fake", name), name, turn_id, words, clock.now()),
                    chat,
                    is_command=False,
                    now=clock.now(),
                    state=InboxState.DONE,
                    turn_id=turn_id,
                )
                outbox.add(
                    session,
                    conversation_id=chat.conversation_id,
                    turn_id=turn_id,
                    chunks=[f"As you say, {words}"],
                    now=clock.now(),
                )
                key = SessionKey(user_id, "fake", name, 1)
                said_back = f"As you say, {words}"
                turn = (chat.conversation_id, key.session_id, words, words, said_back)
                archive.keep(session, Ended(turn_id, user_id, *turn, clock.now(), GLOBAL))
                own = stopped_turn(f"{turn_id}-own", OWN, "How nice")
                events = [*stopped_turn(turn_id, words, said_back), *own]
                sessions.add(session, key, stored_events(events))
    await database.close()
    home.terminal_history.write_text("".join(f"\n# now\n+{thing} ada\n" for thing in THINGS))
    home.logs.joinpath("gaia.log").write_text("".join(f"said {thing} ada\n" for thing in THINGS))
    home.backups.mkdir(exist_ok=True)
    shutil.copy(home.database, home.backups / "gaia-at-0001.db")
    return Scene(home, ids["ada"], ids["bob"])
