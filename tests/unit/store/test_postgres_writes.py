"""What PostgreSQL does with a failed statement, and what is left in its files."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import insert, select, text, update
from sqlalchemy.exc import IntegrityError, ProgrammingError
from sqlalchemy.orm import Session

from gaia.errors import StoreError
from gaia.paths import Home
from gaia.store.engine import Database, attempt
from gaia.store.people.identities import Role, User, create
from gaia.store.postgres.database import PostgresDatabase
from gaia.store.tables import UserRow
from gaia.testing.clock import START
from tests.harness.traces import files_with

SECRET = "the blue pot"
WAITING = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND query LIKE 'VACUUM%users%' AND wait_event_type = 'Lock'"
)


def fail(session: Session) -> None:
    session.execute(text("SELECT 1 FROM no_such_table"))


def names(session: Session) -> list[str]:
    return list(session.scalars(select(UserRow.name)))


def rename(session: Session) -> None:
    session.get_one(UserRow, session.scalars(select(UserRow.user_id)).one()).name = "Eve"
    session.flush()


@pytest.mark.postgres
async def test_a_write_whose_failure_nobody_told_of_is_no_success(
    database: Database, ada: User
) -> None:
    def go_on(session: Session) -> str:
        rename(session)
        with pytest.raises(ProgrammingError):
            fail(session)
        return "well"

    with pytest.raises(StoreError, match="kept nothing"):
        await database.write(go_on)
    assert await database.read(names) == ["Ada"]


async def test_what_is_an_attempt_may_fail_without_the_rest(database: Database, ada: User) -> None:
    def go_on(session: Session) -> str:
        rename(session)
        with pytest.raises(Exception, match="no_such_table"), attempt(session):
            fail(session)
        return "well"

    assert await database.write(go_on) == "well"
    assert await database.read(names) == ["Eve"]


async def test_a_broken_constraint_tells_nothing_of_the_row(database: Database, ada: User) -> None:
    row = {"user_id": ada.user_id, "name": SECRET, "name_key": SECRET, "role": "guest"}
    with pytest.raises(IntegrityError) as caught:
        await database.write(
            Session.execute, insert(UserRow).values(**row, is_group=False, created_at=START)
        )
    told = f"{caught.value} {caught.value.orig} {caught.value!r} {caught.value.orig!r}"
    assert "blue" not in told
    assert ada.user_id not in told


async def test_nothing_deleted_is_left_once_all_is_written_again(
    database: Database, home: Home
) -> None:
    """Not in what the server keeps of what is found most often in a table, either."""
    rows = [
        {"user_id": f"u_{number}", "name": f"{number}", "name_key": f"{number}", "role": "guest"}
        | {"zone": SECRET, "created_at": START, "is_group": False}
        for number in range(60)
    ]
    await database.write(Session.execute, insert(UserRow), rows)
    assert await database.rewrite()
    await database.checkpoint()
    assert files_with(home.root, SECRET) == ["gaia.db"]
    await database.write(Session.execute, update(UserRow).values(zone=None))
    assert await database.rewrite()
    await database.checkpoint()
    assert files_with(home.root, SECRET) == []


@pytest.mark.postgres
async def test_what_somebody_still_sees_is_not_taken_for_gone(database: Database) -> None:
    assert isinstance(database, PostgresDatabase)
    database.patience_seconds = 0.2
    await database.write(create, "Ada", Role.GUEST, now=START)
    with database.reading() as session:
        assert names(session) == ["Ada"]
        await database.write(Session.execute, update(UserRow).values(name="Eve"))
        assert not await database.rewrite()
    assert await database.rewrite()


@pytest.mark.postgres
async def test_who_holds_a_table_holds_up_no_write_of_others(database: Database) -> None:
    assert isinstance(database, PostgresDatabase)
    database.patience_seconds = 0.2
    await database.write(create, "Ada", Role.GUEST, now=START)
    with database.engine.begin() as holder:
        holder.execute(text("LOCK TABLE users IN ACCESS SHARE MODE"))
        assert not await database.rewrite()
        database.patience_seconds = 60.0
        rewriting = asyncio.create_task(database.rewrite())
        async with asyncio.timeout(30):
            while not await database.read(Session.scalar, WAITING):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        other = PostgresDatabase(database.engine.url)
        await other.write(Session.execute, text("DELETE FROM inbox"))
        await other.close()
        assert not rewriting.done()
    assert await rewriting
