"""`gaia memory` beside a running daemon: it is asked over its socket, and woken."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from typer.testing import CliRunner, Result

from gaia.cli.memory import app
from gaia.cli.memory.search import reindex_by_daemon
from gaia.errors import IndexUnavailableError, NotRunningError, WireError
from gaia.memory.index.index import Index
from gaia.memory.index.parts import Parts
from gaia.memory.search.search import RankingOptions, Search
from gaia.paths import Home
from gaia.settings.schema import Settings
from gaia.store import indexes
from gaia.store.engine import Database
from gaia.store.lock import DaemonLock
from gaia.store.opener import open_database
from gaia.store.people.identities import Role, User
from gaia.store.people.users import Users
from gaia.swappable import Swappable
from gaia.testing.clock import FakeClock, until
from gaia.testing.fake_index import FakeEmbedder, FakeStorage
from gaia.web.local import memory_routes, query_routes
from gaia.web.server import WebServer, listen_on_path

POT = "The gate code is under the blue pot"


@pytest.fixture
def home() -> Iterator[Home]:
    """A home whose path is short enough for a socket, unlike pytest's own folders."""
    with tempfile.TemporaryDirectory(prefix="gaia") as folder:
        yield Home(Path(folder))


@pytest.fixture
async def database(home: Home, fresh_home: Home) -> AsyncIterator[Database]:
    shutil.copy(fresh_home.database, home.database)
    database = await open_database(home)
    yield database
    await database.close()


@pytest.fixture
async def ada(database: Database) -> User:
    return await Users(database, FakeClock()).create("Ada", Role.OWNER)


@dataclass
class Daemon:
    """What of a daemon `gaia memory` meets: its socket, its index, and that it is woken."""

    home: Home
    database: Database
    clock: FakeClock = field(default_factory=FakeClock)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    storage: FakeStorage = field(default_factory=FakeStorage)
    wakes: int = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Index]:
        index = Index(
            lambda: Parts(self.embedder, self.storage), database=self.database, clock=self.clock
        )

        async def wake(request: Request) -> Response:
            self.wakes += 1
            index.wake()
            return Response(status_code=204)

        routes = [
            *query_routes(self.database, self.clock, Swappable(Settings())),
            *memory_routes(
                Search(
                    self.database,
                    index,
                    self.clock,
                    ranking_options=Swappable(RankingOptions(scale=None)),
                ),
                index,
            ),
            Route("/local/wake", wake, methods=["POST"]),
        ]
        async with serving(self.home, Starlette(routes=routes)):
            task = asyncio.create_task(index.serve())
            await asyncio.sleep(0)
            await index.flush()
            yield index
            task.cancel()
            await asyncio.wait((task,))


@pytest.fixture
def daemon(home: Home, database: Database) -> Daemon:
    return Daemon(home, database)


@asynccontextmanager
async def serving(home: Home, answering: Starlette) -> AsyncIterator[None]:
    server = WebServer(answering, listen_on_path(home.control_socket))
    task = asyncio.create_task(server.run_until_cancelled())
    await until(lambda: server.started)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def run(home: Home, *arguments: str) -> Result:
    """A call of `gaia memory` while the loop of the daemon goes on."""
    env = {"GAIA_HOME": str(home.root), "COLUMNS": "80"}
    return await asyncio.to_thread(CliRunner().invoke, app, arguments, env=env)


async def done(home: Home, *arguments: str) -> str:
    result = await run(home, *arguments)
    assert result.exception is None, (result.output, result.exception)
    return result.stdout


async def test_what_is_added_is_found_by_its_meaning_a_moment_later(
    daemon: Daemon, ada: User
) -> None:
    async with daemon.running() as index:
        added = json.loads(await done(daemon.home, "add", POT, "--json"))
        assert added["running"] is True
        await index.flush()
        result = await run(daemon.home, "search", "blue", "pot", "--json")
    assert result.stderr == ""
    (hit,) = json.loads(result.stdout)["hits"]
    assert hit["text"] == POT
    assert hit["similarity"] > 0.3
    assert hit["bm25"] > 0


async def test_a_search_is_explained(daemon: Daemon, ada: User) -> None:
    async with daemon.running() as index:
        await done(daemon.home, "add", POT)
        await done(daemon.home, "add", "blue is my colour", "--sensitive")
        await index.flush()
        shown = (await done(daemon.home, "search", "--explain", "blue", "pot")).splitlines()
    assert shown[0].split() == ["ID", "SINCE", "KIND", "TEXT"]
    assert shown[1].endswith(POT)
    assert shown[2].startswith("    score 1.00 = words +0.50 meaning +0.50")
    assert shown[3].startswith("    words: BM25 ")
    assert "100% of what was asked; meaning: similarity 0." in shown[3]
    assert shown[4].endswith("is given to the model unasked")
    assert shown[6].endswith("blue is my colour")
    assert shown[9].endswith("is not given to the model unasked")


async def test_without_meaning_words_answer_and_that_is_said(daemon: Daemon, ada: User) -> None:
    await done(daemon.home, "add", POT)
    result = await run(daemon.home, "search", "pots")
    assert result.stdout.splitlines()[1].endswith(POT)
    assert result.stderr.startswith("searched by words alone: gaia does not run in")
    assert "similarity" not in await done(daemon.home, "search", "--explain", "pots")
    daemon.embedder.broken = "the embedder is on strike"
    async with daemon.running():
        result = await run(daemon.home, "search", "pots")
    assert result.stdout.splitlines()[1].endswith(POT)
    assert "the embedder is on strike" in result.stderr


async def test_nothing_is_found_where_nothing_is_like_it(daemon: Daemon, ada: User) -> None:
    result = await run(daemon.home, "search", 'what AND "')
    assert result.stdout.startswith("Nothing like that is in the memory of Ada: ")


@pytest.mark.parametrize("wanted", [1, 3])
async def test_a_search_has_a_limit(daemon: Daemon, ada: User, wanted: int) -> None:
    for number in range(4):
        await done(daemon.home, "add", f"tea of kind {number}")
    shown = json.loads(await done(daemon.home, "search", "tea", "-n", str(wanted), "--json"))
    assert len(shown["hits"]) == wanted


async def test_a_reindex_makes_all_again_and_tells_how_far_it_is(daemon: Daemon, ada: User) -> None:
    async with daemon.running() as index:
        for number in range(3):
            await done(daemon.home, "add", f"thing {number}")
        await index.flush()
        daemon.embedder.asked.clear()
        assert await done(daemon.home, "reindex") == "All memories are indexed again.\n"
        assert sorted(daemon.embedder.asked) == ["thing 0", "thing 1", "thing 2"]
        told: list[tuple[int, int]] = []
        await asyncio.to_thread(reindex_by_daemon, daemon.home, lambda *step: told.append(step))
    assert (3, 3) in told


async def test_a_reindex_that_cannot_be_done_says_why(daemon: Daemon, ada: User) -> None:
    await done(daemon.home, "add", POT)
    daemon.embedder.broken = "the embedder is on strike"
    async with daemon.running():
        result = await run(daemon.home, "reindex")
    assert isinstance(result.exception, IndexUnavailableError)
    assert "the embedder is on strike" in str(result.exception)


async def test_a_reindex_without_a_daemon_is_done_by_the_next_one(
    daemon: Daemon, ada: User
) -> None:
    await done(daemon.home, "add", POT)
    async with daemon.running():
        pass
    daemon.embedder.asked.clear()
    for _ in range(2):
        said = await done(daemon.home, "reindex")
        assert said == "gaia does not run: its next start indexes all memories again.\n"
    assert [each.active for each in await daemon.database.read(indexes.every)] == [True, False]
    async with daemon.running() as index:
        await until(lambda: set(daemon.storage.stores) == {2} and not index.health().detail)
    assert daemon.embedder.asked == [POT]
    assert [each.active for each in await daemon.database.read(indexes.every)] == [True]


async def test_where_nothing_was_indexed_a_reindex_marks_nothing(home: Home) -> None:
    assert "next start" in await done(home, "reindex")
    assert not home.database.exists()


async def test_a_daemon_that_cannot_be_asked_is_not_taken_for_none(
    daemon: Daemon, ada: User
) -> None:
    with DaemonLock(daemon.home):
        result = await run(daemon.home, "reindex")
    assert isinstance(result.exception, NotRunningError)


async def test_forgetting_and_importing_wake_the_daemon(
    daemon: Daemon, ada: User, tmp_path: Path
) -> None:
    file = tmp_path / "list.md"
    file.write_text(f"- {POT}\n- I drink tea\n")
    async with daemon.running() as index:
        assert "Took 2 memories" in await done(daemon.home, "import", str(file))
        assert daemon.wakes == 1
        await index.flush()
        assert len(daemon.storage.held(ada.user_id)) == 2
        said = await done(daemon.home, "forget", "gate", "--yes")
        assert "erased within a minute" in said
        assert daemon.wakes == 2
        await index.flush()
        assert len(daemon.storage.held(ada.user_id)) == 1
    assert (await daemon.database.read(indexes.ops_backlog)).waiting == 0


@pytest.mark.parametrize(
    "answer",
    [
        lambda request: Response("nonsense"),
        lambda request: Response(status_code=404),
        lambda request: Response(status_code=500),
    ],
)
async def test_a_daemon_of_another_version_is_named(
    home: Home, ada: User, answer: Callable[[Request], Response]
) -> None:
    paths = ("/local/memory/search", "/local/memory/reindex")
    routes = [Route(path, answer, methods=["POST"]) for path in paths]
    async with serving(home, Starlette(routes=routes)):
        for arguments in (("search", "tea"), ("reindex",)):
            result = await run(home, *arguments)
            assert isinstance(result.exception, WireError), result.output


async def test_a_daemon_that_ends_amid_a_reindex_is_told(home: Home, ada: User) -> None:
    async def cut(request: Request) -> Response:
        return Response('{"done": 1, "total": 2}\n')

    async with serving(
        home, Starlette(routes=[Route("/local/memory/reindex", cut, methods=["POST"])])
    ):
        with pytest.raises(NotRunningError, match="its next start goes on"):
            await asyncio.to_thread(reindex_by_daemon, home, lambda done, total: None)
