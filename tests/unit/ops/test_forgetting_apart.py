"""Forgetting on the command line, where no daemon runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gaia.errors import AlreadyRunningError
from gaia.memory import forget, ledger
from gaia.memory.memory import Statement
from gaia.messages import Address, Inbound
from gaia.ops.forget_worker import carry_out_apart
from gaia.paths import Home
from gaia.store import conversations, forgets, inbox
from gaia.store.engine import Database
from gaia.store.lock import DaemonLock
from gaia.store.memory_tables import MemorySource
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.store.sqlite.database import SqliteDatabase
from gaia.store.tables import InboxState
from gaia.testing.clock import FakeClock
from tests.harness.traces import files_with

POT = "the gate code is under the blue pot"
CLOCK = FakeClock()
NOW = CLOCK.now()


async def forgotten(home: Home, state: InboxState) -> Database:
    """A home whose one user has said and kept something, and then had it forgotten."""
    home.create()
    database = await open_database(home)
    user = await Users(database, CLOCK).create("Ada", Role.OWNER)
    with database.writing() as session:
        said = Statement(POT, MemorySource.USER)
        number = ledger.add(session, user.user_id, said, NOW).memory.memory_id
        chat = conversations.find_or_create(
            session, user_id=user.user_id, channel="fake", chat="ada", direct=True, now=NOW
        )
        inbound = Inbound(Address("fake", "ada"), "ada", "1", POT, NOW)
        inbox.record(session, inbound, chat, is_command=False, now=NOW, state=state, turn_id="turn")
        forget.forget(session, user.user_id, [number], now=NOW)
    return database


def free_pages(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        (pages,) = connection.execute("PRAGMA freelist_count").fetchone()
    return int(pages)


async def test_it_is_gone_when_the_command_ends(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    database = await forgotten(home, InboxState.DONE)
    assert await carry_out_apart(home, database, CLOCK)
    await database.close()
    assert files_with(home.root, "blue pot") == []


async def test_the_database_is_written_again(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    database = await forgotten(home, InboxState.DONE)
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute("CREATE TABLE moved AS SELECT randomblob(9000)")
        connection.execute("DROP TABLE moved")
    assert free_pages(home.database)
    assert await carry_out_apart(home, database, CLOCK)
    await database.close()
    assert free_pages(home.database) == 0


async def test_what_others_still_see_in_its_files_stays_to_be_forgotten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Seen(SqliteDatabase):
        async def rewrite(self) -> bool:
            return False

    home = Home(tmp_path / "home")
    await (await forgotten(home, InboxState.DONE)).close()
    seen = Seen(home.database)
    assert not await carry_out_apart(home, seen, CLOCK)
    assert len(await seen.read(forgets.under_way)) == 1
    assert "until others let go of it" in caplog.text
    await seen.close()
    database = await open_database(home)
    assert await carry_out_apart(home, database, CLOCK)
    await database.close()


async def test_what_is_to_be_answered_first_is_for_the_next_daemon(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    database = await forgotten(home, InboxState.RUNNING)
    assert not await carry_out_apart(home, database, CLOCK)
    assert len(await database.read(forgets.under_way)) == 1
    await database.close()


async def test_a_daemon_does_it_by_itself(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    database = await forgotten(home, InboxState.DONE)
    with DaemonLock(home), pytest.raises(AlreadyRunningError):
        await carry_out_apart(home, database, CLOCK)
    await database.close()
