"""Revision 21 tells of what was said before it where it belongs, on both databases."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, column, create_engine, insert, inspect, table, text

from gaia.store.migrate import MIGRATIONS, upgrade
from gaia.store.postgres.database import open_engine
from tests.harness.postgres import PostgresServer

SESSIONS = [("work", 1), ("global", 2), ("club", 3)]
"""The context of each session of a conversation, which is in the third."""

NOTHING = {int: 0, bool: False, str: "", dict: [], datetime: datetime(2026, 1, 1)}


def fill(connection: Connection, name: str, **values: object) -> None:
    """Insert a row with these values, and of no meaning in what else it needs."""
    columns = inspect(connection).get_columns(name)
    declared = table(name, *(column(each["name"], each["type"]) for each in columns))
    needed = [each for each in columns if not each["nullable"] and each["default"] is None]
    row = {each["name"]: NOTHING.get(each["type"].python_type) for each in needed}
    connection.execute(insert(declared).values(**row | values))


def contexts_after(engine: Engine, older: Path) -> dict[str, list[str]]:
    """The contexts that messages and turns have once a database of revision 20 is migrated."""
    with engine.begin() as connection:
        upgrade(connection, older)
        fill(connection, "users", user_id="u_1")
        fill(
            connection,
            "conversations",
            conversation_id=1,
            user_id="u_1",
            generation=3,
            context="club",
        )
        for context, number in SESSIONS:
            if number < 3:
                fill(
                    connection,
                    "digests",
                    digest_id=number,
                    user_id="u_1",
                    conversation_id=1,
                    session_id=f"u_1:fake:ada#{number}",
                    generation=number,
                    context=context,
                )
            fill(
                connection,
                "inbox",
                inbox_id=number,
                provider_message_id=f"m{number}",
                conversation_id=1,
                generation=number,
            )
            fill(
                connection,
                "archived_turns",
                archive_id=number,
                turn_id=f"t{number}",
                user_id="u_1",
                conversation_id=1,
                session_id=f"u_1:fake:ada#{number}",
            )
        # Of a session that was left where gaia learns nothing by itself.
        fill(
            connection,
            "archived_turns",
            archive_id=9,
            turn_id="t9",
            user_id="u_1",
            conversation_id=1,
            session_id="u_1:fake:ada#0",
        )
        fill(connection, "memories", memory_id=1, user_id="u_1", turn_id="t9", context="work")
        upgrade(connection)
        query = "SELECT context FROM {} ORDER BY {}"
        return {
            name: list(connection.scalars(text(query.format(name, key))))
            for name, key in (("inbox", "inbox_id"), ("archived_turns", "archive_id"))
        }


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """The migrations up to revision 20."""
    folder = tmp_path / "older"
    shutil.copytree(MIGRATIONS, folder)
    for path in (folder / "versions").glob("r*.py"):
        if path.name > "r0020.py":
            path.unlink()
    return folder


EXPECTED = {
    "inbox": ["work", "global", "club"],
    "archived_turns": ["work", "global", "club", "work"],
}


@pytest.mark.sqlite
def test_it_is_told_in_a_file(tmp_path: Path, older: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'gaia.db'}")
    assert contexts_after(engine, older) == EXPECTED
    engine.dispose()


@pytest.mark.postgres
def test_it_is_told_in_postgresql(postgres: PostgresServer, older: Path) -> None:
    engine = open_engine(postgres.database("template1"), connections=1)
    assert contexts_after(engine, older) == EXPECTED
    engine.dispose()
