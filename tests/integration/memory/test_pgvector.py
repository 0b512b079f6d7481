"""Vectors in PostgreSQL: what stands there, who may begin at the same time, and what is said
where it does not go."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, closing
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import psycopg
import pytest
from sqlalchemy import URL

from gaia.clock import SystemClock
from gaia.errors import IndexUnavailableError, MissingOwnerError
from gaia.memory.index.factories import Factories
from gaia.memory.index.index import Index
from gaia.memory.index.opener import open_parts
from gaia.memory.index.parts import Parts, Placement, vector_id
from gaia.memory.index.pgvector import PgvectorStorage, place_of
from gaia.paths import Home
from gaia.settings.schema import ComponentSettings, MemorySettings, Secrets
from gaia.store.engine import Database
from gaia.store.people.identities import Role
from gaia.store.people.users import Users
from gaia.store.postgres.database import PostgresDatabase
from gaia.testing.fake_index import DIMENSIONS, FakeEmbedder, bag_of_words
from tests.harness.book import Book
from tests.harness.postgres import PostgresServer

GATE, TEA, RAIN = map(bag_of_words, ("the gate code is blue", "tea with milk", "rain on monday"))
NOBODY = Placement({})
PLAIN = "gaia_plain"
"""A role that may not add extensions."""


@pytest.fixture
def url(postgres: PostgresServer) -> URL:
    return postgres.database()


@pytest.fixture
def open_storage(url: URL, tmp_path: Path) -> Iterator[Callable[..., PgvectorStorage]]:
    with ExitStack() as stack:

        def open_storage(place: URL = url, **options: Any) -> PgvectorStorage:
            storage = PgvectorStorage(place, options, tmp_path, Factories(tmp_path / "mem0"))
            return stack.enter_context(closing(storage))

        yield open_storage


def asked(url: URL, query: str) -> list[tuple[Any, ...]]:
    """What PostgreSQL answers."""
    place = f"host={url.query['host']} user=postgres dbname={url.database}"
    with psycopg.connect(place, autocommit=True) as connection:
        cursor = connection.execute(query)
        return cursor.fetchall() if cursor.description else []


def without_rights(postgres: PostgresServer, url: URL) -> URL:
    """The address for a role that may do nothing but read and write."""
    if not asked(url, f"SELECT 1 FROM pg_roles WHERE rolname = '{PLAIN}'"):
        postgres.run(f"CREATE ROLE {PLAIN} LOGIN")
    return url.set(username=PLAIN)


def hide_extension(url: URL) -> None:
    """Have the database look as one on a server without pgvector."""
    asked(
        url,
        "CREATE VIEW public.pg_available_extensions AS"
        " SELECT * FROM pg_catalog.pg_available_extensions WHERE false",
    )
    asked(url, f"ALTER DATABASE {url.database} SET search_path = public, pg_catalog")


def test_ids_and_vectors_stand_there_and_whose_they_are(url, open_storage):
    open_storage().open(3, NOBODY, DIMENSIONS).put("ada", {1: GATE})
    ((row,),) = asked(url, "SELECT to_jsonb(gaia_3) FROM gaia_3")
    assert json.loads(row.pop("vector")) == pytest.approx(list(GATE), abs=1e-6)
    assert row == {"id": vector_id(1), "payload": {"user_id": "ada"}}


def test_what_is_removed_is_no_row_any_more(url, open_storage):
    store = open_storage().open(1, NOBODY, DIMENSIONS)
    store.put("ada", {1: GATE, 2: TEA})
    store.put("bob", {3: RAIN})
    store.remove("ada", [2])
    assert asked(url, "SELECT count(*) FROM gaia_1") == [(2,)]
    store.drop_user("ada")
    assert asked(url, "SELECT payload->>'user_id' FROM gaia_1") == [("bob",)]


def test_an_index_that_is_given_up_is_no_table_any_more(url, open_storage):
    storage = open_storage()
    storage.open(1, NOBODY, DIMENSIONS).put("ada", {1: GATE})
    storage.open(2, NOBODY, DIMENSIONS)
    storage.keep_only([2], gone=[1])
    tables = "SELECT relname FROM pg_class WHERE relname LIKE 'gaia\\__' AND relkind = 'r'"
    assert asked(url, tables) == [("gaia_2",)]


def test_those_of_one_user_are_found_by_an_index(url, open_storage):
    store = open_storage().open(1, NOBODY, DIMENSIONS)
    store.put("ada", {1: GATE})
    asked(
        url,
        "INSERT INTO gaia_1 SELECT gen_random_uuid(), vector,"
        " jsonb_build_object('user_id', 'u' || number % 100)"
        " FROM gaia_1, generate_series(1, 5000) AS number",
    )
    asked(url, "ANALYZE gaia_1")
    query = "SELECT id FROM gaia_1 WHERE payload->>'user_id' = 'u7' ORDER BY vector <=> vector"
    plan = "\n".join(line for (line,) in asked(url, f"EXPLAIN {query} LIMIT 5"))
    assert "gaia_1_user_id_idx" in plan
    assert len(store.nearest("u7", GATE, 100)) == 50


def test_an_embedder_of_many_numbers_can_be_used(open_storage):
    store = open_storage().open(1, NOBODY, 3072)
    store.put("ada", {1: np.ones(3072)})
    assert [each.memory_id for each in store.nearest("ada", np.ones(3072), 1)] == [1]


def test_processes_that_begin_at_once_make_one_table(url, open_storage):
    count = 8
    together = Barrier(count)

    def begin(number: int) -> list[int]:
        storage = open_storage()
        together.wait()
        store = storage.open(1, NOBODY, DIMENSIONS)
        store.put(f"u{number}", {number: GATE})
        return [each.memory_id for each in store.nearest(f"u{number}", GATE, 10)]

    with ThreadPoolExecutor(count) as pool:
        assert list(pool.map(begin, range(count))) == [[each] for each in range(count)]
    assert asked(url, "SELECT count(*) FROM gaia_1") == [(count,)]


def test_a_connection_that_is_lost_is_made_again(url, open_storage):
    store = open_storage().open(1, NOBODY, DIMENSIONS)
    store.put("ada", {1: GATE})
    asked(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    assert len(store.nearest("ada", GATE, 1)) == 1


def test_nobody_is_taken_for_anybody(open_storage):
    store = open_storage().open(1, NOBODY, DIMENSIONS)
    store.put("ada", {1: GATE})
    with pytest.raises(MissingOwnerError):
        store.drop_user("*")
    with pytest.raises(MissingOwnerError):
        store.nearest("*", GATE, 1)
    assert len(store.nearest("ada", GATE, 1)) == 1


def test_a_server_without_the_extension_is_told_with_the_remedy(url, open_storage):
    hide_extension(url)
    with pytest.raises(IndexUnavailableError, match="has no pgvector: install it on its server"):
        open_storage().open(1, NOBODY, DIMENSIONS)


def test_who_may_not_add_the_extension_is_told_who_can(postgres, url, open_storage):
    storage = open_storage(without_rights(postgres, url))
    with pytest.raises(IndexUnavailableError, match='run "CREATE EXTENSION vector" there'):
        storage.open(1, NOBODY, DIMENSIONS)
    asked(url, "CREATE EXTENSION vector")
    assert storage.missing() == ""


def test_a_server_that_does_not_answer_is_named_without_its_password(tmp_path, open_storage):
    place = URL.create(
        "postgresql+psycopg", "gaia", "hunter2-hunter2", host=str(tmp_path), database="there"
    )
    with pytest.raises(IndexUnavailableError, match=r"'there' at .* does not answer") as caught:
        open_storage(place).open(1, NOBODY, DIMENSIONS)
    assert "hunter2" not in str(caught.value)


def settings(provider: str, **config: Any) -> MemorySettings:
    return MemorySettings(vector_store=ComponentSettings(provider=provider, config=config))


def storage_of(tmp_path: Path, memory: MemorySettings, server: URL | None) -> Any:
    home = Home(tmp_path / "home")
    home.create()
    return closing(open_parts(home, memory, Secrets(), server).storage)


def test_by_itself_the_index_goes_where_the_tables_are(tmp_path, url):
    with storage_of(tmp_path, MemorySettings(), url) as storage:
        assert storage.name == "pgvector"
    with storage_of(tmp_path, MemorySettings(), None) as storage:
        assert storage.name == "chroma"
    with storage_of(tmp_path, settings("chroma"), url) as storage:
        assert storage.name == "chroma"


def test_without_the_extension_it_stays_in_the_home_and_the_log_says_so(tmp_path, url, caplog):
    hide_extension(url)
    with caplog.at_level(logging.WARNING), storage_of(tmp_path, MemorySettings(), url) as storage:
        assert storage.name == "chroma"
    assert "vectors are kept in this home, for one gaia alone: " in caplog.text
    assert "has no pgvector: install it on its server" in caplog.text


def test_while_the_server_is_down_it_goes_nowhere_else(tmp_path):
    down = URL.create("postgresql+psycopg", "gaia", host=str(tmp_path), database="there")
    with pytest.raises(IndexUnavailableError, match="does not answer"):
        storage_of(tmp_path, MemorySettings(), down)


def test_it_may_be_in_another_database_than_the_tables(tmp_path, postgres, url):
    other = postgres.database("template0")
    place = f"postgresql:///{other.database}?host={other.query['host']}&user=postgres"
    memory = settings("pgvector", connection_string=place, collection_name="ours")
    with storage_of(tmp_path, memory, url) as storage:
        storage.open(1, NOBODY, DIMENSIONS).put("ada", {1: GATE})
    assert asked(other, "SELECT count(*) FROM ours_1") == [(1,)]


OWN = URL.create("postgresql+psycopg", "gaia", "secret", host="db", database="gaia")


@pytest.mark.parametrize(
    ("config", "place"),
    [
        ({}, "postgresql+psycopg://gaia:secret@db/gaia"),
        ({"hnsw": True}, "postgresql+psycopg://gaia:secret@db/gaia"),
        ({"connection_string": "postgres://ann@far/v"}, "postgresql+psycopg://ann@far/v"),
        ({"connection_string": "postgresql+asyncpg://far:1/v"}, "postgresql+psycopg://far:1/v"),
        ({"connection_string": "host=far dbname=v"}, "postgresql+psycopg://far/v"),
        (
            {"connection_string": "postgresql://far/v", "sslmode": "require"},
            "postgresql+psycopg://far/v?sslmode=require",
        ),
        (
            {"host": "far", "port": 5433, "user": "ann", "dbname": "v"},
            "postgresql+psycopg://ann@far:5433/v",
        ),
    ],
)
def test_the_settings_may_name_a_database(config, place):
    assert place_of(config, OWN).render_as_string(hide_password=False) == place


def test_no_database_is_told_with_the_remedy():
    with pytest.raises(IndexUnavailableError, match="nothing says in which database"):
        place_of({}, None)


@pytest.mark.parametrize("text", ["hunter2", "host=far hunter2=3", "postgresql://far:x/hunter2"])
def test_what_names_no_database_is_not_repeated(text):
    with pytest.raises(IndexUnavailableError, match="connection_string as") as caught:
        place_of({"connection_string": text}, OWN)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.fixture
async def database(url: URL) -> AsyncIterator[Database]:
    database = PostgresDatabase(url)
    yield database
    await database.close()


@asynccontextmanager
async def serving(database: Database, storage: PgvectorStorage) -> AsyncIterator[Index]:
    index = Index(lambda: Parts(FakeEmbedder(), storage), database=database, clock=SystemClock())
    task = asyncio.create_task(index.serve())
    await asyncio.sleep(0)
    await index.flush()
    try:
        yield index
    finally:
        task.cancel()
        await asyncio.wait((task,))


async def test_what_one_process_indexes_another_one_finds(database, open_storage):
    ada = await Users(database, SystemClock()).create("ada", Role.OWNER)
    book = Book(database)
    tea = (await book.keep(ada, "tea with milk")).memory.memory_id
    async with serving(database, open_storage()) as first:
        assert [each.memory_id for each in await first.nearest(ada.user_id, "tea", 5)] == [tea]
    async with serving(database, open_storage()) as second:
        assert [each.memory_id for each in await second.nearest(ada.user_id, "tea", 5)] == [tea]
        assert second.health().ok
        await second.reindex()
        assert [each.memory_id for each in await second.nearest(ada.user_id, "tea", 5)] == [tea]


async def test_tables_of_words_alone_are_written_again(database, url, open_storage):
    open_storage().open(1, NOBODY, DIMENSIONS).put("ada", {1: GATE})
    files = "SELECT relfilenode FROM pg_class WHERE relname IN ('gaia_1', 'memories') ORDER BY 1"
    before = {file for (file,) in asked(url, files)}
    await database.rewrite()
    after = {file for (file,) in asked(url, files)}
    ((vectors,),) = asked(url, "SELECT relfilenode FROM pg_class WHERE relname = 'gaia_1'")
    assert before & after == {vectors}
