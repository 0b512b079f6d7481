"""A person's removal from all files, also when it was cut short before."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gaia.errors import StoreError
from gaia.memory import forget, forgotten, ledger
from gaia.memory.memory import Statement
from gaia.messages import Address
from gaia.ops import exports
from gaia.ops.people import remove_person
from gaia.paths import Home
from gaia.store import indexes, sessions
from gaia.store.memory_tables import IndexOperation, MemorySource
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.store.sessions import SessionKey
from gaia.store.sqlite.database import SqliteDatabase
from gaia.testing.clock import FakeClock
from tests.harness.sessions import add_turn
from tests.harness.traces import files_with

POT = Statement(
    "the gate code is under the blue pot", MemorySource.USER, entities=("place:bluegate",)
)
ARMS = replace(POT, text="the kings arms is where we meet", entities=())


async def test_who_is_removed_leaves_no_session(tmp_path: Path) -> None:
    home = Home(tmp_path)
    database = await open_database(home)
    users = Users(database, FakeClock())
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    keys = [SessionKey(user.user_id, "terminal", "chat", 1) for user in (ada, bob)]
    for key in keys:
        await database.write(add_turn, key, f"turn of {key.user_id}", "hello", "Hi.")

    await remove_person(home, database, users, bob)

    assert await users.list() == (ada,)
    left = await database.read(sessions.listed)
    assert [one.session_id for one in left] == [keys[0].session_id]
    await database.close()


async def test_a_file_that_cannot_be_written_again_is_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Full(SqliteDatabase):
        async def rewrite(self) -> bool:
            raise StoreError("the disk is full")

    home = Home(tmp_path)
    await (await open_database(home)).close()
    database = Full(home.database)
    users = Users(database, FakeClock())
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    await remove_person(home, database, users, bob)
    assert await users.list() == (ada,)
    assert "the disk is full" in caplog.text
    await database.close()


async def test_files_that_memories_were_exported_to_go_with_their_user(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    database = await open_database(home)
    users = Users(database, FakeClock())
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    for user in (ada, bob):
        file = tmp_path / f"{user.name}.md"
        file.write_text(f"- {POT.text}\n")
        exports.note(home, user.user_id, file)
    await remove_person(home, database, users, bob)
    assert files_with(tmp_path, "blue pot") == ["Ada.md"]
    await database.close()


async def test_who_is_added_under_the_same_name_inherits_nothing(tmp_path: Path) -> None:
    home, clock = Home(tmp_path / "home"), FakeClock()
    home.create()
    database = await open_database(home)
    users = Users(database, clock)
    ada = await users.create("Ada", Role.OWNER)
    address = Address("fake", "bob")
    bob = await users.create("Bob", Role.MEMBER, address)
    with database.writing() as session:
        known = ledger.add(session, bob.user_id, POT, clock.now())
        gone = ledger.add(session, bob.user_id, ARMS, clock.now())
        ours = ledger.add(session, ada.user_id, ARMS, clock.now())
        numbers = [gone.memory.memory_id]
        forget.forget(session, bob.user_id, numbers, now=clock.now())
        forget.ask(session, bob.user_id, everything=True, now=clock.now())
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute("CREATE TABLE moved AS SELECT randomblob(9000)")
        connection.execute("DROP TABLE moved")
    home.terminal_history.write_text(f"\n# now\n+{POT.text}\n\n# now\n+hello\n")
    home.backups.mkdir()
    await database.checkpoint()
    shutil.copy(home.database, home.backups / "gaia-at-0001.db")

    await remove_person(home, database, users, bob)
    new = await users.create("Bob", Role.MEMBER, address)

    assert files_with(home.root, "blue pot", "bluegate") == []
    with closing(sqlite3.connect(home.database)) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert files_with(home.root, "kings arms") == ["backups/gaia-at-0001.db", "gaia.db"]
    with database.writing() as session:
        for user_id in (bob.user_id, new.user_id):
            assert ledger.numbers(session, user_id) == []
            assert not forgotten.is_forgotten(session, user_id, ARMS.text)
        assert ledger.get_many(session, new.user_id, [known.memory.memory_id]) == []
        assert ledger.numbers(session, ada.user_id) == [ours.memory.memory_id]
        left = indexes.waiting_ops(session, limit=9, of=[IndexOperation.DROP_USER])
        assert [op.user_id for op in left] == [bob.user_id]
    await database.close()
