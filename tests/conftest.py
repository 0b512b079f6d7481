"""What holds for every test: nothing of the person who runs it is used or reached.

The network is off but for this machine (pytest-socket, see pyproject.toml).
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import re
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import hypothesis
import pytest

from gaia import garbage, logs
from gaia.paths import Home
from gaia.store.location import VARIABLE
from tests.harness import statements
from tests.harness.databases import give_database
from tests.harness.effort import EFFORT, EXAMPLES
from tests.harness.forked import ForkServer, fork_server
from tests.harness.postgres import MISSING, PostgresServer, postgres_server, programs

PERSONAL = re.compile(
    r"GAIA_(?!.*_SEED$).*|.*_API_KEY|(OPENAI|ANTHROPIC|GOOGLE|GEMINI)_.*|(HTTPS?|ALL|NO)_PROXY",
    re.IGNORECASE,
)
"""Variables that would lead a test to someone's home, keys, hosts or proxy. A seed
that replays a test stays."""

TESTS = Path(__file__).parent
KINDS = ("e2e", "integration", "contract", "unit")
"""Kinds of tests. The first wait for other processes most of the time, the last never."""

SEARCHES = (20_000, 20, 20)
"""How many new objects there are before the youngest are searched for garbage, and how many
such searches before the older ones are."""

KEEPS = frozenset({"home", "fresh_home", "new_home", "postgres"})
"""Fixtures of tests that keep something in a database: with `--postgres` the rest is left out."""

hypothesis.settings.register_profile(EFFORT, max_examples=EXAMPLES, deadline=None)
hypothesis.settings.load_profile(EFFORT)
statements.share()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--postgres",
        action="store_true",
        help="the tests that keep something, in PostgreSQL: a database for each test",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "postgres: what is about PostgreSQL alone")
    config.addinivalue_line("markers", "slow: what `scripts/test --fast` leaves out")
    config.addinivalue_line("markers", "sqlite: what is about the file of SQLite's alone")
    config.addinivalue_line("markers", "thorough: what `scripts/test --thorough` alone runs")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    marks = {"fast": ("slow", "thorough"), "usual": ("thorough",), "thorough": ()}[EFFORT]
    marks = (*marks, "sqlite" if config.getoption("--postgres") else "postgres")
    left_out = {item for item in items if any(map(item.get_closest_marker, marks))}
    if config.getoption("--postgres"):
        left_out |= {item for item in items if KEEPS.isdisjoint(getattr(item, "fixturenames", ()))}
    kept = [item for item in items if item not in left_out]
    if config.getoption("--postgres") and programs() is None and kept:
        # One that says so is enough.
        kept[0].add_marker(pytest.mark.skip(reason=MISSING))
        left_out |= set(kept[1:])
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    items[:] = dealt(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def dealt(items: Sequence[pytest.Item], workers: int) -> Sequence[pytest.Item]:
    """The tests in the order in which xdist gives each worker the same number of them: all have a
    part of each kind, of whole modules, and while some wait, others use the processor."""
    parts: list[list[tuple[float, Sequence[pytest.Item]]]] = [[] for _ in range(workers)]
    kinds = {path: path.relative_to(TESTS).parts[0] for path in {each.path for each in items}}
    for kind in KINDS:
        of_kind = [each for each in items if kinds[each.path] == kind]
        given = [0] * workers
        for _, module in groupby(of_kind, key=lambda item: item.path):
            tests, worker = list(module), given.index(min(given))
            parts[worker].append((sum(given) / len(of_kind), tests))
            given[worker] += len(tests)
    in_turn = (sorted(part, key=lambda each: each[0]) for part in parts)
    return [item for part in in_turn for _, tests in part for item in tests]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for no garbage while tests are imported, nor ever among what was: it stays, and
    to look through it takes longer than most tests. What tests leave is searched seldom: to
    do it as often as Python would takes a seventh of their time."""
    with garbage.importing():
        collected = yield
    gc.set_threshold(*SEARCHES)
    return collected


@pytest.fixture(scope="session", autouse=True)
def impersonal_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Clear the environment for tests and the processes that they start."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if PERSONAL.fullmatch(name):
                patch.delenv(name)
        patch.setenv("GAIA_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(autouse=True)
def one_authority(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have who calls over TLS trust one authority, whose key nobody has: each client of a
    provider loads all that it trusts, which takes longer than most tests, and none of them
    is called."""
    monkeypatch.setenv("SSL_CERT_FILE", str(TESTS / "authority.pem"))


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Take back what a test made of logging: it belongs to the whole process."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in (*logs.CHATTY, logs.SILENT)}
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:] = handlers
    for logger, usual in [(root, level), *((logging.getLogger(n), v) for n, v in levels.items())]:
        # To set one that is as before empties what all loggers know.
        if logger.level != usual:
            logger.setLevel(usual)
    logging.captureWarnings(capture=False)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server for as long as tests run."""
    with postgres_server() as server:
        yield server


@pytest.fixture(autouse=True)
def chosen_database(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """With `--postgres` whatever opens the database of a home opens one of PostgreSQL's, and
    whoever dumps it has the server's own programs."""
    names = set(request.fixturenames)
    needs_one = "home" in names or ("fresh_home" in names and "new_home" not in names)
    if not (request.config.getoption("--postgres") and needs_one):
        yield
        return
    server = request.getfixturevalue("postgres")
    url = server.database()
    monkeypatch.setenv(VARIABLE, url.render_as_string(hide_password=False))
    monkeypatch.setenv("PATH", str(server.bin), prepend=os.pathsep)
    yield
    server.drop(url)


@pytest.fixture(scope="session")
def forks(
    tmp_path_factory: pytest.TempPathFactory, testrun_uid: str, worker_id: str
) -> Iterator[ForkServer]:
    """Starts processes in milliseconds that a new interpreter would start in seconds. All workers
    of a run share it."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder if worker_id == "master" else folder.parent
    with fork_server(f"gaia-{testrun_uid}", shared) as server:
        yield server


@pytest.fixture(scope="session")
def fresh_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home with an empty database, migrated once for all tests. They copy what they need of
    it: to migrate one of their own takes longer than most of them. Nobody changes it."""
    from gaia.store.opener import open_database

    async def make(home: Home) -> None:
        home.create()
        await (await open_database(home)).close()

    home = Home(tmp_path_factory.mktemp("fresh") / "home")
    asyncio.run(make(home))
    made = _files(home)
    yield home
    assert _files(home) == made, "a test has worked in the home that others copy: see new_home"


def _files(home: Home) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in home.root.rglob("*") if each.is_file()}


@pytest.fixture(scope="session")
def new_home(request: pytest.FixtureRequest, fresh_home: Home) -> Callable[[Path], Home]:
    """Makes a home with an empty database of its own, whoever opens it: for tests that need
    more than one, or one for longer than a test."""

    def make(root: Path) -> Home:
        home = Home(shutil.copytree(fresh_home.root, root))
        if request.config.getoption("--postgres"):
            give_database(home, request.getfixturevalue("postgres").database())
        return home

    return make
