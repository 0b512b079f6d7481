"""Whatever became of the files of the index, it ends in an index that finds everything.

Chroma dies of some of them with signal 11, loads others for ever, or takes all memory there
is: so those are not even opened.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from gaia.clock import SystemClock
from gaia.errors import IndexDamagedError
from gaia.memory import ledger
from gaia.memory.index import mark
from gaia.memory.index.chroma import ChromaStorage
from gaia.memory.index.index import LONGEST_PAUSE_SECONDS, Index
from gaia.memory.index.mark import DATABASE
from gaia.memory.index.parts import IndexStore, Parts, Placement
from gaia.memory.memory import Statement
from gaia.memory.protocols import Vector
from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.memory_tables import MemorySource
from gaia.store.opener import open_database
from gaia.store.people.identities import Role
from gaia.store.people.users import Users
from gaia.testing.clock import FakeClock
from gaia.testing.fake_index import FakeEmbedder
from tests.harness.databases import copy_database
from tests.harness.eager_chroma import SEGMENT_FILES, EagerChroma
from tests.harness.scripted_index import Life, ScriptedIndex

MEMORIES = [f"plant {number} grows in pot {number}" for number in range(1, 61)]
ALL = list(range(1, len(MEMORIES) + 1))

THIS_BOOT, NEXT_BOOT = "0a", "0b"

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "zeroed": lambda content: bytes(len(content)),
    "cut in half": lambda content: content[: len(content) // 2],
    "emptied": lambda content: b"",
    "filled with 0xFF": lambda content: b"\xff" * len(content),
}
FILES = (DATABASE, mark.NAME, *SEGMENT_FILES)

DEADLY = ("link_lists.bin", "zeroed")
"""Of this Chroma dies with signal 11."""

SEEN = (f"{DATABASE}: cut in half", "index_metadata.pickle: emptied")
"""Of these it says that they are damaged."""


@dataclass(frozen=True)
class Lived:
    """What an index came to: the memories that it found, and why it was made again."""

    found: list[int]
    made_again: str
    embedded: int


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory, new_home: Callable[[Path], Home]) -> Home:
    """A home whose index is complete and was closed."""
    home = new_home(tmp_path_factory.mktemp("settled") / "home")
    asyncio.run(remember(home))
    assert asyncio.run(lived(home)) == Lived(ALL, "", 2 * len(ALL))
    return home


@pytest.fixture
def own_home(settled: Home, tmp_path: Path) -> Home:
    """A copy of it, with a database of its own."""
    copy = Home(shutil.copytree(settled.root, tmp_path / "home"))
    copy_database(settled, copy)
    return copy


async def remember(home: Home) -> None:
    database, clock = await open_database(home), SystemClock()
    ada = await Users(database, clock).create("ada", Role.OWNER)
    with database.writing() as session:
        for text in MEMORIES:
            said = Statement(text, MemorySource.USER)
            ledger.add(session, ada.user_id, said, clock.now())
    await database.close()


async def lived(home: Home, *, boot: str = THIS_BOOT) -> Lived:
    """Serve the index until it works, ask it for each memory, and end as a daemon does."""
    clock, embedder = FakeClock(), FakeEmbedder()
    storage = EagerChroma(home.memory / "chroma", boot=boot)
    database = await open_database(home)
    index = Index(lambda: Parts(embedder, storage), database=database, clock=clock)
    serving = asyncio.create_task(index.serve())
    await asyncio.sleep(0)
    await until_it_works(index, clock)
    found = await found_by(index, database)
    serving.cancel()
    await asyncio.wait((serving,))
    await database.close()
    return Lived(found, index.made_again, len(embedder.asked))


async def until_it_works(index: Index, clock: FakeClock) -> None:
    """Let no time pass between its attempts; who works is not made to run out of time."""
    while not index.health().ok or index.health().detail:
        if any(each <= LONGEST_PAUSE_SECONDS for each in clock.sleeping):
            clock.advance(clock.sleeping[0])
        await asyncio.sleep(0)


async def found_by(index: Index, database: Database) -> list[int]:
    """The memories that are found by their own words."""
    (ada,) = await Users(database, SystemClock()).list()
    found = []
    for number, text in enumerate(MEMORIES, start=1):
        # Some have the same words for the fake embedder.
        nearest = await index.nearest(ada.user_id, text, 3)
        found += [each.memory_id for each in nearest if each.memory_id == number]
    return found


def damage(home: Home, name: str, how: str) -> bool:
    """Damage a file of the index; returns whether that changed anything."""
    folder = home.memory / "chroma"
    (file,) = [*folder.glob(name), *folder.glob(f"*/{name}")]
    before = file.read_bytes()
    file.write_bytes(DAMAGES[how](before))
    return file.read_bytes() != before


def test_an_index_that_was_closed_is_opened_as_it_is(own_home: Home) -> None:
    for boot in (THIS_BOOT, NEXT_BOOT, THIS_BOOT):
        assert asyncio.run(lived(own_home, boot=boot)) == Lived(ALL, "", len(ALL))


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_has_the_index_made_again(own_home: Home, name: str, how: str) -> None:
    assert damage(own_home, name, how)
    after = asyncio.run(lived(own_home))
    assert after.found == ALL
    assert "not as gaia left them" in after.made_again or mark.NAME in after.made_again
    assert asyncio.run(lived(own_home)) == Lived(ALL, "", len(ALL))


def test_a_file_that_is_lost_has_the_index_made_again(own_home: Home) -> None:
    for name in (DATABASE, *SEGMENT_FILES):
        folder = own_home.memory / "chroma"
        (file,) = [*folder.glob(name), *folder.glob(f"*/{name}")]
        file.unlink()
        after = asyncio.run(lived(own_home))
        assert (after.found, "not as gaia left them" in after.made_again) == (ALL, True)


def test_a_process_that_died_of_the_files_is_the_last(tmp_path: Path, own_home: Home) -> None:
    (own_home.memory / "chroma" / mark.NAME).unlink()
    assert damage(own_home, *DEADLY)
    with ScriptedIndex(tmp_path / "mem0") as process:
        assert process.live(Life(home=own_home.root)) is None
        assert process.live(Life(home=own_home.root)) == {"ada": ALL}
    assert asyncio.run(lived(own_home)) == Lived(ALL, "", len(ALL))


@pytest.mark.parametrize("case", SEEN)
def test_damage_that_chroma_sees_without_a_mark_has_the_index_made_again(
    own_home: Home, case: str
) -> None:
    (own_home.memory / "chroma" / mark.NAME).unlink()
    assert damage(own_home, *case.split(": "))
    after = asyncio.run(lived(own_home))
    assert (after.found, "does not work" in after.made_again) == (ALL, True)


PLACEMENT = Placement({"ada": 0})


@pytest.fixture
def vector() -> Vector:
    return np.eye(16, dtype=np.float32)[0]


def opened(folder: Path, boot: str) -> IndexStore:
    return ChromaStorage(folder, boot=boot).open(1, PLACEMENT, 16)


def test_what_was_open_is_trusted_until_the_machine_is_started_again(
    tmp_path: Path, vector: Vector
) -> None:
    running = ChromaStorage(tmp_path / "chroma", boot=THIS_BOOT)
    running.open(1, PLACEMENT, 16).put("ada", {1: vector})
    shutil.copytree(tmp_path / "chroma", tmp_path / "killed")
    shutil.copytree(tmp_path / "chroma", tmp_path / "without power")
    running.close()
    killed = opened(tmp_path / "killed", THIS_BOOT)
    assert [each.memory_id for each in killed.nearest("ada", vector, 1)] == [1]
    with pytest.raises(IndexDamagedError, match="the machine went down while gaia ran"):
        opened(tmp_path / "without power", NEXT_BOOT)


def test_what_was_at_work_is_not_trusted(tmp_path: Path, vector: Vector) -> None:
    folder = tmp_path / "chroma"
    storage = ChromaStorage(folder, boot=THIS_BOOT)
    storage.open(1, PLACEMENT, 16).put("ada", {1: vector})
    storage.close()
    at_work = mark.Mark(folder, THIS_BOOT)
    at_work.begin()
    assert not at_work.distrust()
    with suppress(RuntimeError), at_work.at_work(), at_work.at_work():
        assert "while it read or wrote" in at_work.distrust()
        raise RuntimeError
    assert not at_work.distrust()
    with at_work.at_work(), pytest.raises(IndexDamagedError, match="while it read or wrote"):
        opened(folder, THIS_BOOT)
    at_work.end()
    assert opened(folder, NEXT_BOOT).count() == 1


def test_chroma_is_marked_as_at_work_whatever_it_is_asked_for(
    tmp_path: Path, vector: Vector, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bytes] = []
    pwrite = os.pwrite

    def noted(handle: int, content: bytes, offset: int) -> int:
        written.append(content)
        return pwrite(handle, content, offset)

    storage = ChromaStorage(tmp_path / "chroma", boot=THIS_BOOT)
    monkeypatch.setattr(os, "pwrite", noted)
    store = storage.open(1, PLACEMENT, 16)
    asked: list[Callable[[], object]] = [
        lambda: store.put("ada", {1: vector}),
        lambda: store.nearest("ada", vector, 1),
        lambda: store.remove("ada", [1]),
        store.count,
        lambda: storage.keep_only([1], gone=[]),
        lambda: store.drop_user("ada"),
        storage.close,
    ]
    assert written == [b"W", b"I"]
    for ask in asked:
        written.clear()
        ask()
        assert written
        assert written == [b"W", b"I"] * (len(written) // 2)
