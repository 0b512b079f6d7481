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
from gaia.ops.removal import remove_person
from gaia.paths import Home
from gaia.sessions.opening import open_sessions
from gaia.sessions.service import SessionKey
from gaia.store import index_ops
from gaia.store.engine import Database
from gaia.store.memory_tables import IndexOperation, MemorySource
from gaia.store.opening import open_database
from gaia.store.users import Role, User, Users
from gaia.testing.clock import FakeClock
from gaia.testing.traces import files_with

POT = Statement(
    "the gate code is under the blue pot", MemorySource.USER, entities=("place:bluegate",)
)
ARMS = replace(POT, text="the kings arms is where we meet", entities=())


async def test_a_removal_that_was_cut_short_is_completed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    database = await open_database(home)
    sessions = await open_sessions(home)
    users = Users(database, FakeClock())
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    keys = [SessionKey(user.user_id, "terminal", "chat", 1) for user in (ada, bob)]
    for key in keys:
        await sessions.ensure(key)
    await sessions.delete_user(bob.user_id)

    await remove_person(home, database, users, sessions, bob)

    assert await users.list() == (ada,)
    assert [one.session_id for one in await sessions.list()] == [keys[0].session_id]
    await sessions.close()
    await database.close()


async def test_a_session_that_a_turn_began_meanwhile_goes_too(tmp_path: Path) -> None:
    home = Home(tmp_path)
    database = await open_database(home)
    sessions = await open_sessions(home)

    class BusyUsers(Users):
        async def remove(self, user: User) -> None:
            await sessions.ensure(SessionKey(user.user_id, "terminal", "chat", 1))
            await super().remove(user)

    users = BusyUsers(database, FakeClock())
    await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    await remove_person(home, database, users, sessions, bob)
    assert await sessions.list() == []
    await sessions.close()
    await database.close()


async def test_a_file_that_cannot_be_written_anew_is_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Full(Database):
        async def rewrite(self) -> None:
            raise StoreError("the disk is full")

    home = Home(tmp_path)
    await (await open_database(home)).close()
    database = Full(home.database)
    users = Users(database, FakeClock())
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    await remove_person(home, database, users, None, bob)
    assert await users.list() == (ada,)
    assert "the disk is full" in caplog.text
    await database.close()


async def test_who_is_added_under_the_same_name_inherits_nothing(tmp_path: Path) -> None:
    home, clock = Home(tmp_path / "home"), FakeClock()
    home.create()
    database, sessions = await open_database(home), await open_sessions(home)
    users = Users(database, clock)
    ada = await users.create("Ada", Role.OWNER)
    address = Address("fake", "bob")
    bob = await users.create("Bob", Role.MEMBER, address)
    async with database.write() as session:
        known = await ledger.add(session, bob.user_id, POT, clock.now())
        gone = await ledger.add(session, bob.user_id, ARMS, clock.now())
        ours = await ledger.add(session, ada.user_id, ARMS, clock.now())
        numbers = [gone.memory.memory_id]
        await forget.forget(session, bob.user_id, numbers, now=clock.now())
        await forget.ask(session, bob.user_id, everything=True, now=clock.now())
    for store in (home.database, home.sessions_database):
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("CREATE TABLE moved AS SELECT randomblob(9000)")
            connection.execute("DROP TABLE moved")
    home.terminal_history.write_text(f"\n# now\n+{POT.text}\n\n# now\n+hello\n")
    home.backups.mkdir()
    await database.checkpoint()
    shutil.copy(home.database, home.backups / "gaia-at-0001.db")

    await remove_person(home, database, users, sessions, bob)
    new = await users.create("Bob", Role.MEMBER, address)

    assert files_with(home.root, "blue pot", "bluegate") == []
    for file in (home.database, home.sessions_database):
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert files_with(home.root, "kings arms") == ["backups/gaia-at-0001.db", "gaia.db"]
    async with database.write() as session:
        for user_id in (bob.user_id, new.user_id):
            assert await ledger.numbers(session, user_id) == []
            assert not await forgotten.is_forgotten(session, user_id, ARMS.text)
        assert await ledger.get_many(session, new.user_id, [known.memory.memory_id]) == []
        assert await ledger.numbers(session, ada.user_id) == [ours.memory.memory_id]
        left = await index_ops.waiting(session, limit=9, of=[IndexOperation.DROP_USER])
        assert [op.user_id for op in left] == [bob.user_id]
    await sessions.close()
    await database.close()
