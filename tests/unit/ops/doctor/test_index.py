from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from gaia.errors import NotRunningError
from gaia.findings import Finding, Outcome
from gaia.memory.index.mark import Mark
from gaia.memory.index.parts import read_fingerprint
from gaia.ops.doctor.daemon import Daemon
from gaia.ops.doctor.index import index_check
from gaia.ops.report import MemoryStatus, StatusReport
from gaia.paths import Home
from gaia.settings.schema import ComponentSettings, MemorySettings
from gaia.store import indexes
from gaia.store.engine import Database
from gaia.store.location import VARIABLE
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.clock import START, FakeClock
from tests.harness.book import Book
from tests.harness.postgres import PostgresServer

EMBEDDED = "embedded/multilingual-e5-small-q4/384 in chroma"
WELL = MemoryStatus(enabled=True, memories=3, waiting=0, oldest_seconds=None, ok=True)


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    shutil.copytree(fresh_home.root, tmp_path / "home")
    return Home(tmp_path / "home")


@pytest.fixture
async def database(home: Home) -> AsyncIterator[Database]:
    database = await open_database(home)
    yield database
    await database.close()


async def reindexed() -> str:
    return "all memories are indexed again"


def silent() -> StatusReport:
    raise NotRunningError("gaia does not run: start it")


def saying(memory: MemoryStatus) -> StatusReport:
    return StatusReport.model_construct(memory=memory)


async def found(
    home: Home, *, memory: MemorySettings | None = None, said: MemoryStatus | None = None
) -> Finding:
    daemon = Daemon(silent if said is None else lambda: saying(said), lambda: False)
    check = index_check(home, memory or MemorySettings(), daemon, FakeClock(), reindexed)
    # In PostgreSQL it may say besides where the vectors are, of which a test below is.
    finding, *_ = await check.look()
    return finding


async def remember(database: Database) -> None:
    ada = await Users(database, FakeClock()).create("ada", Role.OWNER)
    await Book(database).keep(ada, "I live in Graz", START - timedelta(hours=2))


async def make(database: Database, fingerprint: str) -> None:
    with database.writing() as session:
        state = indexes.begin(session, fingerprint, START)
        indexes.activate(session, state.index_id)


async def test_without_memories_there_is_nothing_to_find(home: Home, tmp_path: Path) -> None:
    assert (await found(home)).detail == "0 memories, there is nothing to find"
    assert (await found(Home(tmp_path / "empty"))).outcome is Outcome.OK
    assert (await found(home, memory=MemorySettings(enabled=False))).detail == "memory is off"


async def test_an_index_that_was_made_again_is_told_with_the_cause(home: Home) -> None:
    again = WELL.model_copy(update={"made_again": "its files were damaged"})
    finding = await found(home, said=again)
    assert finding.outcome is Outcome.OK
    assert finding.detail == (
        "3 memories, in step; made again since the start: its files were damaged"
    )


@pytest.mark.parametrize("path", [None, "elsewhere"])
async def test_an_index_that_the_next_start_does_not_trust_is_told(
    home: Home, database: Database, path: str | None
) -> None:
    await remember(database)
    await make(database, EMBEDDED)
    await database.write(lambda session: indexes.ops_done(session, [1]))
    folder = home.memory / (path or "chroma")
    folder.mkdir(parents=True)
    memory = MemorySettings()
    if path is not None:
        store = ComponentSettings(provider="chroma", config={"path": path})
        memory = MemorySettings(vector_store=store)
    assert "in step" in (await found(home, memory=memory)).detail
    mark = Mark(folder)
    mark.begin()
    assert "in step" in (await found(home, memory=memory)).detail
    with mark.at_work():
        finding = await found(home, memory=memory)
    mark.end()
    assert finding.outcome is Outcome.WARNING
    assert finding.detail == ("gaia ended while it read or wrote the index, which may be damaged")
    assert finding.remedy == "Nothing to do: the next start makes it again from the ledger."


async def test_what_waits_is_told_with_its_age(home: Home, database: Database) -> None:
    await remember(database)
    assert (await found(home)).detail == "1 memory, to be indexed at the next start"
    await make(database, EMBEDDED)
    (home.memory / "chroma").mkdir(parents=True)
    finding = await found(home)
    assert finding.outcome is Outcome.OK
    assert finding.detail == "1 memory; 1 change since 2 h 0 min wait for the next start"


@pytest.mark.parametrize(
    "changed",
    [
        {"embedder": ComponentSettings(provider="gemini")},
        {"embedder": ComponentSettings(provider="embedded", config={"embedding_dims": 768})},
        {"embedder": ComponentSettings(provider="embedded", config={"model": "another"})},
        {"vector_store": ComponentSettings(provider="qdrant")},
    ],
)
async def test_an_index_of_another_embedder_or_size_is_a_warning(
    home: Home, database: Database, changed: dict[str, ComponentSettings]
) -> None:
    await make(database, EMBEDDED)
    assert (await found(home)).outcome is Outcome.OK
    finding = await found(home, memory=MemorySettings(**changed))
    assert finding.outcome is Outcome.WARNING
    assert "embedded multilingual-e5-small-q4, 384 numbers, in chroma" in finding.detail


@pytest.mark.parametrize(("store", "fits"), [("auto", True), ("pgvector", True), ("chroma", False)])
async def test_an_index_in_postgresql_suits_who_leaves_the_choice_to_gaia(
    home: Home, database: Database, store: str, fits: bool
) -> None:
    await make(database, EMBEDDED.replace("chroma", "pgvector"))
    memory = MemorySettings(vector_store=ComponentSettings(provider=store))
    finding = await found(home, memory=memory)
    assert finding.outcome is (Outcome.OK if fits else Outcome.WARNING)
    assert "in pgvector" in finding.detail


async def test_vectors_in_the_home_of_a_gaia_in_postgresql_are_told(
    home: Home, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, postgres.database().render_as_string(hide_password=False))
    daemon = Daemon(lambda: saying(WELL), lambda: False)
    check = index_check(home, MemorySettings(), daemon, FakeClock(), reindexed)
    assert [each.detail for each in await check.look()] == ["3 memories, in step"]
    database = await open_database(home)
    await make(database, EMBEDDED)
    step, place = await check.look()
    assert (step.detail, place.outcome) == ("3 memories, in step", Outcome.OK)
    assert place.detail.startswith("its vectors are in this home, for one gaia alone")
    await make(database, EMBEDDED.replace("chroma", "pgvector"))
    await database.close()
    assert [each.detail for each in await check.look()] == ["3 memories, in step"]


async def test_vectors_that_are_gone_are_a_warning(home: Home, database: Database) -> None:
    await remember(database)
    await make(database, EMBEDDED)
    finding = await found(home)
    assert finding.outcome is Outcome.WARNING
    assert "the next start rebuilds it" in finding.remedy


async def test_a_running_gaia_says_how_far_its_index_is(home: Home) -> None:
    assert (await found(home, said=WELL)).detail == "3 memories, in step"
    busy = WELL.model_copy(update={"waiting": 2, "oldest_seconds": 5.0})
    assert (await found(home, said=busy)).detail == "3 memories, 2 changes behind"


async def test_an_index_that_lags_is_made_again_by_the_running_gaia(home: Home) -> None:
    lagging = WELL.model_copy(update={"waiting": 2, "oldest_seconds": 7_200.0})
    finding = await found(home, said=lagging)
    assert finding.outcome is Outcome.WARNING
    assert "2 changes have been waiting for 2 h 0 min" in finding.detail
    assert finding.mend is not None
    assert await finding.mend() == await reindexed()


async def test_an_index_that_does_not_work_is_left_to_the_daemons_own_words(home: Home) -> None:
    broken = WELL.model_copy(update={"ok": False, "detail": "no key"})
    assert (await found(home, said=broken)).outcome is Outcome.SKIPPED


def test_fingerprints_are_read_back_whatever_the_model_is_called() -> None:
    found = read_fingerprint("openai/BAAI/bge-m3 in 4 bits/1024 in pgvector")
    assert found is not None
    assert (found.provider, found.model, found.dimensions, found.storage) == (
        "openai",
        "BAAI/bge-m3 in 4 bits",
        1024,
        "pgvector",
    )
    assert read_fingerprint("") is None
