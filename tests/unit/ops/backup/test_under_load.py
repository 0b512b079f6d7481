"""A backup is of one moment, however much is written meanwhile."""

import asyncio
import sqlite3
import tarfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from gaia.ops.backup.making import Made
from gaia.ops.backup.verifying import verify_backup
from gaia.paths import Home
from gaia.testing.until import until

WRITERS = 2
BACKUPS = 2
FILLER = 200
"""Rows of a page each, so that a copy takes longer than a turn does."""


def connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=30, isolation_level=None)


class Writer(threading.Thread):
    """Ends turns as a handler does: the answer is in sessions.db, then gaia.db says so."""

    def __init__(self, home: Home, number: int, stop: threading.Event) -> None:
        super().__init__()
        self.turns = 0
        self._home, self._number, self._stop_event = home, number, stop

    def run(self) -> None:
        with (
            closing(connect(self._home.sessions_database)) as sessions,
            closing(connect(self._home.database)) as gaia,
        ):
            while not self._stop_event.is_set():
                for database in (sessions, gaia):
                    database.execute("INSERT INTO load VALUES (?, ?)", (self._number, self.turns))
                self.turns += 1


@contextmanager
def load(home: Home) -> Iterator[list[Writer]]:
    for path in (home.database, home.sessions_database):
        with closing(connect(path)) as connection:
            connection.execute("CREATE TABLE load (writer, turn)")
            connection.execute("CREATE TABLE filler AS SELECT zeroblob(0) AS content LIMIT 0")
            connection.executemany("INSERT INTO filler VALUES (randomblob(4000))", [()] * FILLER)
    stop = threading.Event()
    writers = [Writer(home, number, stop) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        yield writers
    finally:
        stop.set()
        for writer in writers:
            writer.join()


async def test_both_databases_are_of_one_moment_while_turns_end(
    home: Home, make: Callable[..., Awaitable[Made]], tmp_path: Path
) -> None:
    made = []
    with load(home) as writers:
        for number in range(BACKUPS):
            before = sum(writer.turns for writer in writers)
            made.append(await make(to=tmp_path / f"{number}.tar.gz", while_running=True))
            await until(lambda: sum(writer.turns for writer in writers) > before)  # noqa: B023
    for each in made:
        await verify_backup(each.path, None)
        await asyncio.to_thread(check_moment, each.path, tmp_path)


async def test_nobody_writes_to_one_while_the_other_is_waited_for(
    home: Home, make: Callable[..., Awaitable[Made]]
) -> None:
    def is_paused() -> bool:
        with closing(sqlite3.connect(home.database, timeout=0)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
        return False

    with closing(connect(home.sessions_database)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        making = asyncio.ensure_future(make())
        await until(lambda: making.done() or is_paused())
        assert not making.done()
        writer.execute("COMMIT")
        made = await making
    assert not is_paused()
    await verify_backup(made.path, None)


def check_moment(archive: Path, folder: Path) -> None:
    """No turn has ended of which the sessions do not know, and each writer is in the middle
    of one at most."""
    with tarfile.open(archive) as tar, ExitStack() as stack:
        ended = []
        for name in ("sessions.db", "gaia.db"):
            file = tar.extractfile(name)
            assert file is not None
            copy = folder / f"copy-{name}"
            copy.write_bytes(file.read())
            connection = stack.enter_context(closing(connect(copy)))
            rows = connection.execute("SELECT writer, count(*) FROM load GROUP BY writer")
            ended.append(dict(rows))
    sessions, gaia = ended
    for writer in range(WRITERS):
        assert sessions.get(writer, 0) - gaia.get(writer, 0) in (0, 1)
