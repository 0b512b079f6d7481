"""The index as it ships: the embedded embedder and Chroma, through mem0."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from gaia.clock import SystemClock
from gaia.errors import IndexUnavailableError
from gaia.memory import ledger
from gaia.memory.index.index import Index
from gaia.memory.index.opener import parts_opener
from gaia.memory.memory import Statement
from gaia.paths import Home
from gaia.settings.schema import MemorySettings, Secrets
from gaia.store.engine import Database
from gaia.store.memory_tables import MemorySource
from gaia.store.opener import open_database
from gaia.store.people.identities import Role
from gaia.store.people.users import Users

LOOK_SECONDS = 0.1

TEXTS = (
    "The gate code is under the blue flower pot",
    "Ada takes oat milk in her coffee",
    "我对花生过敏",
    "Der Zahnarzt hat am Dienstag geschlossen",
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    return home


@pytest.fixture
async def database(home: Home, fresh_home: Home) -> AsyncIterator[Database]:
    shutil.copy(fresh_home.database, home.database)
    database = await open_database(home)
    yield database
    await database.close()


async def remember(database: Database, user_id: str, *texts: str) -> list[int]:
    with database.writing() as session:
        return [
            ledger.add(
                session, user_id, Statement(text, MemorySource.USER), SystemClock().now()
            ).memory.memory_id
            for text in texts
        ]


@asynccontextmanager
async def serving(home: Home, database: Database) -> AsyncIterator[Index]:
    index = Index(
        parts_opener(home, MemorySettings(), Secrets()), database=database, clock=SystemClock()
    )
    task = asyncio.create_task(index.serve())
    await asyncio.sleep(0)
    await index.flush()
    try:
        yield index
    finally:
        task.cancel()
        await asyncio.wait((task,))


async def until_found(index: Index, user_id: str, text: str) -> int:
    """The memory nearest to the text, once the index can be asked again."""
    async with asyncio.timeout(60):
        while True:
            with suppress(IndexUnavailableError):
                return (await index.nearest(user_id, text, 1))[0].memory_id
            await asyncio.sleep(LOOK_SECONDS)


async def test_meaning_is_found_across_words_and_languages(home, database):
    ada = (await Users(database, SystemClock()).create("ada", Role.OWNER)).user_id
    gate, milk, nuts, dentist = await remember(database, ada, *TEXTS)
    async with serving(home, database) as index:
        assert await until_found(index, ada, "where is the key number of the gate") == gate
        assert await until_found(index, ada, "peanut allergy") == nuts
        assert await until_found(index, ada, "dentist on Tuesday") == dentist
        assert await until_found(index, ada, "Was trinkt Ada in ihrem Kaffee?") == milk
        assert index.health().ok


@pytest.mark.parametrize("keeps_folder", [True, False])
async def test_files_that_are_deleted_under_it_are_made_again(home, database, keeps_folder):
    ada = (await Users(database, SystemClock()).create("ada", Role.OWNER)).user_id
    gate, *_ = await remember(database, ada, *TEXTS)
    folder = home.memory / "chroma"
    async with serving(home, database) as index:
        assert await until_found(index, ada, "gate code") == gate
        shutil.rmtree(folder)
        if keeps_folder:
            folder.mkdir()
        with pytest.raises(IndexUnavailableError, match="was removed or replaced"):
            await index.nearest(ada, "gate code", 1)
        assert await until_found(index, ada, "gate code") == gate
        assert (folder / "chroma.sqlite3").exists()
        assert index.health().ok


@pytest.mark.parametrize("harm", ["all deleted", "vectors deleted", "database scribbled over"])
async def test_files_that_came_to_harm_while_nothing_ran_are_made_again(home, database, harm):
    ada = (await Users(database, SystemClock()).create("ada", Role.OWNER)).user_id
    gate, *_ = await remember(database, ada, *TEXTS)
    folder = home.memory / "chroma"
    async with serving(home, database) as index:
        assert await until_found(index, ada, "gate code") == gate
    match harm:
        case "all deleted":
            shutil.rmtree(folder)
        case "vectors deleted":
            for vectors in folder.iterdir():
                if vectors.is_dir():
                    shutil.rmtree(vectors)
        case _:
            (folder / "chroma.sqlite3").write_bytes(b"scribble" * 10_000)
    async with serving(home, database) as index:
        assert await until_found(index, ada, "gate code") == gate


SCRIPT = """
import asyncio, sys
from gaia.memory.index.opener import open_parts
from gaia.memory.index.parts import Placement
from gaia.paths import find_home
from gaia.settings.schema import MemorySettings, Secrets

def watch(event, arguments):
    if event == "socket.connect" or event == "socket.getaddrinfo":
        print("reached out:", event, arguments[1:] , flush=True)

sys.addaudithook(watch)
parts = open_parts(find_home(), MemorySettings(), Secrets())
store = parts.storage.open(1, Placement({"ada": 0}), parts.embedder.dimensions)
store.put("ada", {1: parts.embedder.passages(["the gate code"])[0]})
print("found:", store.nearest("ada", parts.embedder.query("gate"), 1)[0].memory_id, flush=True)
parts.storage.close()
"""


def test_nothing_is_written_outside_the_home_and_nobody_is_reached(home, tmp_path):
    """Telemetry, default homes, models to be downloaded: none of that, whatever mem0 and
    Chroma would do by themselves."""
    elsewhere = [tmp_path / name for name in ("person", "work", "temporary")]
    for folder in elsewhere:
        folder.mkdir()
    person, work, temporary = map(str, elsewhere)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={
            "HOME": person,
            "TMPDIR": temporary,
            "GAIA_HOME": str(home.root),
            "PYTHONPATH": str(Path.cwd()),
            "PATH": "/usr/bin:/bin",
        },
        cwd=work,
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    assert done.stdout == "found: 1\n"
    assert [each for folder in elsewhere for each in folder.rglob("*")] == []
    assert {each.name for each in home.memory.iterdir()} == {"chroma", "mem0"}
