"""What is forgotten goes from the files of all homes that work on one PostgreSQL database."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text

from gaia.memory import forget, ledger
from gaia.memory.memory import Statement
from gaia.ops import exports
from gaia.ops.forget_worker import ForgetWorker, carry_out_apart
from gaia.ops.home_cleaner import HomeCleaner
from gaia.ops.people import join_person, remove_person
from gaia.paths import Home
from gaia.store import audit, forgets
from gaia.store.audit import Action
from gaia.store.memory_tables import MemorySource
from gaia.store.opener import open_database
from gaia.store.people.users import Role, User, Users
from gaia.store.postgres.database import PostgresDatabase
from gaia.store.processes import homes, processes
from gaia.testing.clock import FakeClock
from tests.harness.databases import content
from tests.harness.postgres import PostgresServer
from tests.harness.traces import files_with

pytestmark = pytest.mark.postgres

POT = "the gate code is under the blue pot"
BOATS = "I like boats"
CLOCK = FakeClock()
NOW = CLOCK.now()
LONG_AGO = text("UPDATE homes SET seen_at = '2000-01-01' WHERE home = :home")


class House:
    """Two homes, on one database, whose files hold the same words of the same two users."""

    def __init__(self, folder: Path, database: PostgresDatabase, ada: User, bob: User) -> None:
        self.database, self.ada, self.bob = database, ada, bob
        self.users = Users(database, CLOCK)
        self.folder = folder
        self.one, self.two = (Home(folder / name / "home") for name in ("one", "two"))
        self.cleaned = 0

    async def furnish(self, home: Home) -> None:
        """Have a home joined, with words in each of its files."""
        home.create()
        mark = homes.mark_of(home)
        await self.database.write(processes.join, mark, mark, "name", "1")
        home.terminal_history.write_text(f"\n# now\n+{POT}\n\n# now\n+{BOATS}\n")
        (home.logs / "gaia.log").write_text(f"{POT}\n{BOATS}\n")
        for user in (self.ada, self.bob):
            file = self.exported(home, user)
            file.write_text(f"- {POT}\n- {BOATS}\n")
            exports.note(home, user.user_id, file)

    def exported(self, home: Home, user: User) -> Path:
        return home.root.with_name(f"{user.name}.md")

    async def leave(self, home: Home) -> None:
        """Have a home be away for long."""
        mark = homes.mark_of(home)
        await self.database.write(processes.leave, mark)
        with self.database.writing() as session:
            session.execute(LONG_AGO, {"home": mark})

    async def forget(self) -> None:
        """Have ada forget what she had remembered."""
        with self.database.writing() as session:
            said = Statement(POT, MemorySource.USER)
            number = ledger.add(session, self.ada.user_id, said, NOW).memory.memory_id
            forget.forget(session, self.ada.user_id, [number], now=NOW)

    async def carry_out(self, home: Home) -> int:
        """Do what a leader does that has this home; returns how many wishes are left."""
        worker = ForgetWorker(home=home, database=self.database, clock=CLOCK)
        worker.wake()
        await worker.flush()
        return len(await self.database.read(forgets.under_way))

    async def clean(self, home: Home) -> None:
        """Do what each process does that has this home."""
        cleaner = HomeCleaner(home, self.database, CLOCK, self._note)
        cleaner.wake()
        await cleaner.flush()

    def _note(self) -> None:
        self.cleaned += 1

    def traces(self, home: Home) -> list[str]:
        return list(files_with(home.root.parent, "blue pot"))


@pytest.fixture
async def house(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[House]:
    url = postgres.database()
    database = PostgresDatabase(url)
    users = Users(database, CLOCK)
    ada, bob = await users.create("ada", Role.OWNER), await users.create("bob", Role.OWNER)
    house = House(tmp_path, database, ada, bob)
    for home in (house.one, house.two):
        await house.furnish(home)
    yield house
    await database.close()
    postgres.drop(url)


async def test_each_home_cleans_its_files_and_only_then_the_wish_goes(house: House) -> None:
    await house.forget()
    assert await house.carry_out(house.one) == 1
    assert house.traces(house.one) == ["bob.md"]
    assert b"blue pot" in content(house.database.engine.url)
    await house.clean(house.two)
    assert house.traces(house.two) == ["bob.md"], "they are bob's"
    assert house.exported(house.two, house.ada).read_text() == f"- {BOATS}\n"
    assert BOATS in house.two.terminal_history.read_text()
    assert house.cleaned == 1
    assert await house.carry_out(house.one) == 0
    assert b"blue pot" not in content(house.database.engine.url)


async def test_what_is_cleaned_is_not_looked_at_again(house: House) -> None:
    await house.forget()
    await house.carry_out(house.one)
    await house.clean(house.two)
    await house.clean(house.two)
    assert house.cleaned == 1


async def test_whoever_leads_next_goes_on(house: House) -> None:
    await house.forget()
    await house.carry_out(house.one)
    await house.clean(house.two)
    assert await house.carry_out(house.two) == 0


async def test_a_home_that_was_away_loses_what_may_say_it(house: House) -> None:
    await house.leave(house.two)
    await house.forget()
    assert await house.carry_out(house.one) == 0
    await house.clean(house.two)
    assert house.traces(house.two) == ["bob.md"]
    assert not house.exported(house.two, house.ada).exists()
    assert BOATS in house.exported(house.two, house.bob).read_text()
    assert house.two.terminal_history.read_text() == ""
    (entry,) = await house.database.read(audit.entries, actions=[Action.HOME_WIPED])
    assert (entry.subject, entry.actor) == (house.ada.user_id, audit.GAIA)
    assert "terminal history, logs, copies and exports" in entry.detail
    house.two.terminal_history.write_text(f"\n# now\n+{BOATS}\n")
    await house.clean(house.two)
    assert BOATS in house.two.terminal_history.read_text(), "once is enough"


async def test_a_home_that_was_away_says_what_went(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.leave(house.two)
    await house.forget()
    await house.carry_out(house.one)
    await house.clean(house.two)
    assert "its terminal history and its logs are emptied" in caplog.text
    assert "blue pot" not in caplog.text


async def test_a_copy_of_a_file_of_before_loses_all_of_its_user(house: House) -> None:
    before = Home(house.folder / "before")
    before.create()
    database = await open_database(before)
    ada = await Users(database, CLOCK).create("ada", Role.OWNER)
    with database.writing() as session:
        ledger.add(session, ada.user_id, Statement(POT, MemorySource.USER), NOW)
    await database.checkpoint()
    await database.close()
    house.two.backups.mkdir()
    copy = house.two.backups / "gaia-at-0001.db"
    shutil.copy(before.database, copy)
    assert files_with(house.two.backups, "blue pot")
    with house.database.writing() as session:
        values = {"home": homes.mark_of(house.two), "user_id": ada.user_id}
        session.execute(text("INSERT INTO home_wipes VALUES (:home, :user_id)"), values)
    await house.clean(house.two)
    assert copy.exists()
    assert files_with(house.two.backups, "blue pot") == []


async def test_who_became_another_is_looked_for_under_both_ids(house: House) -> None:
    await house.forget()
    await house.carry_out(house.one)
    await house.clean(house.two)
    await house.database.write(join_person, house.ada, house.bob, NOW, learns=False)
    assert await house.carry_out(house.one) == 1
    assert house.traces(house.one) == []
    assert house.traces(house.two) == ["bob.md"]
    await house.clean(house.two)
    assert house.traces(house.two) == []
    assert await house.carry_out(house.one) == 0


async def test_a_command_carries_it_out_as_a_leader_does(house: House) -> None:
    await house.leave(house.one)
    await house.forget()
    assert not await carry_out_apart(house.one, house.database, CLOCK)
    await house.clean(house.two)
    assert await carry_out_apart(house.one, house.database, CLOCK)
    assert house.traces(house.one) == house.traces(house.two) == ["bob.md"]


async def test_a_command_at_a_home_that_was_away_does_what_was_left_for_it(house: House) -> None:
    await house.leave(house.two)
    await house.forget()
    await house.carry_out(house.one)
    assert await carry_out_apart(house.two, house.database, CLOCK)
    assert house.traces(house.two) == ["bob.md"]


async def test_who_is_removed_is_gone_from_the_files_of_all_homes(house: House) -> None:
    with house.database.writing() as session:
        ledger.add(session, house.ada.user_id, Statement(POT, MemorySource.USER), NOW)
    await remove_person(house.one, house.database, house.users, house.ada)
    assert not house.exported(house.one, house.ada).exists()
    assert POT not in house.one.terminal_history.read_text()
    assert await house.carry_out(house.one) == 1
    await house.clean(house.two)
    assert not house.exported(house.two, house.ada).exists()
    assert house.exported(house.two, house.bob).exists()
    assert POT not in house.two.terminal_history.read_text()
    assert BOATS in house.two.terminal_history.read_text()
    assert await house.carry_out(house.one) == 0
    assert b"blue pot" not in content(house.database.engine.url)


async def test_who_is_removed_while_a_home_is_away_is_gone_once_it_is_back(house: House) -> None:
    await house.leave(house.two)
    await remove_person(house.one, house.database, house.users, house.ada)
    assert await house.carry_out(house.one) == 0
    assert house.exported(house.two, house.ada).exists()
    await house.clean(house.two)
    assert not house.exported(house.two, house.ada).exists()
    assert house.two.terminal_history.read_text() == ""


async def test_who_is_removed_where_there_is_one_home_leaves_no_wish(house: House) -> None:
    with house.database.writing() as session:
        session.execute(
            text("DELETE FROM homes WHERE home = :home"), {"home": homes.mark_of(house.two)}
        )
    await remove_person(house.one, house.database, house.users, house.ada)
    assert await house.database.read(forgets.under_way) == []


async def test_a_home_whose_files_cannot_be_written_is_waited_for(house: House) -> None:
    await house.forget()
    await house.carry_out(house.one)
    history = house.two.terminal_history
    words = history.read_text()
    history.unlink()
    history.mkdir()
    await house.clean(house.two)
    assert await house.carry_out(house.one) == 1
    history.rmdir()
    history.write_text(words)
    await house.clean(house.two)
    assert house.traces(house.two) == ["bob.md"]
    assert await house.carry_out(house.one) == 0
