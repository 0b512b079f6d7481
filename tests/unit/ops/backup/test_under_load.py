"""A backup is of one moment, however much is written meanwhile."""

import asyncio
import sqlite3
import tarfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from gaia.ops.backup.create import Made
from gaia.ops.backup.verify import verify_backup
from gaia.paths import Home
from gaia.testing.clock import until

pytestmark = pytest.mark.sqlite

WRITERS = 2
BACKUPS = 2
FILLER = 200
"""Rows of a page each, so that a copy takes longer than a turn does."""


TABLES = ("said", "sent")


def connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=30, isolation_level=None)


class Writer(threading.Thread):
    """Ends turns as a handler does: what was said and what is sent in one transaction."""

    def __init__(self, home: Home, number: int, stop: threading.Event) -> None:
        super().__init__()
        self.turns = 0
        self._home, self._number, self._stop_event = home, number, stop

    def run(self) -> None:
        with closing(connect(self._home.database)) as database:
            while not self._stop_event.is_set():
                database.execute("BEGIN IMMEDIATE")
                for table in TABLES:
                    turn = (self._number, self.turns)
                    database.execute(f"INSERT INTO {table} VALUES (?, ?)", turn)
                database.execute("COMMIT")
                self.turns += 1


@contextmanager
def load(home: Home) -> Iterator[list[Writer]]:
    with closing(connect(home.database)) as connection:
        for table in TABLES:
            connection.execute(f"CREATE TABLE {table} (writer, turn)")
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


async def test_a_copy_is_of_one_moment_while_turns_end(
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


def check_moment(archive: Path, folder: Path) -> None:
    """Of no turn there is only a half."""
    with tarfile.open(archive) as tar:
        file = tar.extractfile("gaia.db")
        assert file is not None
        copy = folder / "copy.db"
        copy.write_bytes(file.read())
    with closing(connect(copy)) as connection:
        said, sent = (
            connection.execute(f"SELECT writer, turn FROM {table} ORDER BY 1, 2").fetchall()
            for table in TABLES
        )
    assert said == sent
