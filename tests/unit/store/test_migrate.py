"""Migrations: they build what `tables` declares, all or nothing, after a copy."""

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from gaia.errors import StoreError
from gaia.paths import Home
from gaia.store.migrate import MIGRATIONS, alembic_config, migrate
from gaia.store.migrations import HEAD, REVISIONS
from gaia.store.opener import open_database
from gaia.store.tables import Base

NEXT = """
from alembic import op
revision, down_revision = "next", "{head}"
def upgrade():
    op.execute("CREATE TABLE inventions (name TEXT)")
    {more}
"""
ONE_USER = (
    "INSERT INTO users (user_id, name, name_key, role, is_group, created_at) "
    "VALUES ('u_1', 'Ada', 'ada', 'owner', 0, '2026-01-01 00:00:00')"
)

pytestmark = pytest.mark.sqlite


@pytest.fixture
async def current(home: Home) -> Path:
    """A database of this version that holds one user."""
    await (await open_database(home)).close()
    with closing(sqlite3.connect(home.database, isolation_level=None)) as connection:
        connection.execute(ONE_USER)
    return home.database


def migrations_with_next(tmp_path: Path, *, more: str = "pass") -> Path:
    """The migrations of this version, and one more."""
    folder = tmp_path / "100% migrations"
    shutil.copytree(MIGRATIONS, folder)
    (folder / "versions" / "next.py").write_text(NEXT.format(head=HEAD, more=more))
    return folder


def read(path: Path, query: str) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [value for (value,) in connection.execute(query)]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def schema(path: Path) -> dict[str, list[str]]:
    """The clauses that declare each table and index, whatever their order."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type != 'trigger'"
        )
        return {name: sorted(clauses(sql)) for name, sql in rows if not name.startswith("alembic")}


def clauses(sql: str) -> list[str]:
    """What stands between the outer brackets of a statement, and what around them."""
    parts, depth = [""], 0
    for char in sql:
        was_outside, depth = depth == 0, depth + (char == "(") - (char == ")")
        is_bracket = char in "()" and (was_outside or depth == 0)
        if is_bracket or (char == "," and depth == 1):
            parts.append("")
        else:
            parts[-1] += char
    return [" ".join(part.split()) for part in parts]


def test_the_migrations_build_exactly_the_declared_tables(current: Path, tmp_path: Path) -> None:
    declared = tmp_path / "declared.db"
    engine = create_engine(f"sqlite:///{declared}")
    Base.metadata.create_all(engine)
    engine.dispose()
    assert schema(current) == schema(declared)


def test_alembic_finds_no_difference_to_the_declared_tables(current: Path) -> None:
    engine = create_engine(f"sqlite:///{current}")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    engine.dispose()


def test_the_listed_revisions_are_those_of_the_modules() -> None:
    script = ScriptDirectory.from_config(alembic_config())
    revisions = [step.revision for step in script.walk_revisions()]
    assert tuple(reversed(revisions)) == REVISIONS


async def test_an_old_database_is_copied_and_then_migrated(
    home: Home, current: Path, tmp_path: Path
) -> None:
    migrate(current, home.backups, migrations_with_next(tmp_path))

    assert read(current, "SELECT version_num FROM alembic_version") == ["next"]
    assert read(current, "SELECT name FROM users") == ["Ada"]
    assert read(current, "SELECT name FROM inventions") == []
    (copy,) = home.backups.iterdir()
    assert copy.name == f"gaia-at-{HEAD}.db"
    assert copy.stat().st_mode & 0o077 == 0
    assert read(copy, "SELECT version_num FROM alembic_version") == [HEAD]
    assert read(copy, "SELECT name FROM users") == ["Ada"]


async def test_a_migration_that_fails_changes_nothing(
    home: Home, current: Path, tmp_path: Path
) -> None:
    before = schema(current)
    folder = migrations_with_next(tmp_path, more="op.execute('DROP TABLE no_such_table')")
    with pytest.raises(OperationalError, match="no_such_table"):
        migrate(current, home.backups, folder)

    assert schema(current) == before
    assert read(current, "SELECT version_num FROM alembic_version") == [HEAD]
    assert read(current, "SELECT name FROM users") == ["Ada"]


async def test_a_migration_that_orphans_rows_is_not_committed(
    home: Home, current: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(current, isolation_level=None)) as connection:
        connection.execute(
            "INSERT INTO identities VALUES ('terminal', 'ada', 'u_1', '2026-01-01 00:00:00')"
        )
    folder = migrations_with_next(tmp_path, more="op.execute('DELETE FROM users')")
    with pytest.raises(StoreError, match=r"'identities' refers to missing rows of 'users'"):
        migrate(current, home.backups, folder)
    assert read(current, "SELECT name FROM users") == ["Ada"]


async def test_without_a_copy_there_is_no_migration(
    home: Home, current: Path, tmp_path: Path
) -> None:
    home.backups.write_text("not a folder")
    with pytest.raises(StoreError, match=r"cannot be copied to .*backups"):
        migrate(current, home.backups, migrations_with_next(tmp_path))
    assert read(current, "SELECT version_num FROM alembic_version") == [HEAD]


async def test_migrating_an_up_to_date_database_does_nothing(home: Home, current: Path) -> None:
    before = digest(current)
    migrate(current, home.backups)
    assert digest(current) == before
    assert not home.backups.exists()


def migrate_before(revision: str, home: Home, tmp_path: Path) -> None:
    """Make a database as it was before this revision."""
    older = tmp_path / "older"
    shutil.copytree(MIGRATIONS, older)
    for path in (older / "versions").glob("r*.py"):
        if path.stem >= f"r{revision}":
            path.unlink()
    home.database.parent.mkdir(parents=True, exist_ok=True)
    migrate(home.database, home.backups, older)


async def test_what_was_held_is_pending_after_revision_3(home: Home, tmp_path: Path) -> None:
    migrate_before("0003", home, tmp_path)
    outcome = {"summary": 'a "held": true', "proposals": [{"text": "a", "held": True}]}
    with closing(sqlite3.connect(home.database, isolation_level=None)) as connection:
        connection.execute(ONE_USER)
        fill(connection, "memories", memory_id=1, text="held", status="held")
        fill(connection, "memories", memory_id=2, text="a", status="active")
        fill(connection, "forgets", forget_id=1, needles='["held"]')
        fill(connection, "conversations", conversation_id=1)
        fill(connection, "digests", digest_id=1, conversation_id=1)
        fill(connection, "digest_windows", digest_id=1, number=1, outcome=json.dumps(outcome))

    migrate(home.database, home.backups)

    memories = "SELECT text || ': ' || status FROM memories ORDER BY memory_id"
    assert read(home.database, memories) == ["held: pending", "a: active"]
    assert read(home.database, "SELECT phrases FROM forgets") == ['["held"]']
    (stored,) = read(home.database, "SELECT outcome FROM digest_windows")
    assert json.loads(stored) == {**outcome, "proposals": [{"text": "a", "pending": True}]}


async def test_no_incognito_message_that_ended_is_left_after_revision_22(
    home: Home, tmp_path: Path
) -> None:
    migrate_before("0022", home, tmp_path)
    ended = "2026-01-01 00:00:00"
    with closing(sqlite3.connect(home.database, isolation_level=None)) as connection:
        connection.execute(ONE_USER)
        fill(connection, "conversations", conversation_id=1)
        for inbox_id, hidden, at in ((1, 1, ended), (2, 1, None), (3, 0, ended)):
            fill(
                connection,
                "inbox",
                inbox_id=inbox_id,
                provider_message_id=str(inbox_id),
                conversation_id=1,
                text="said",
                is_incognito=hidden,
                finished_at=at,
            )

    migrate(home.database, home.backups)

    assert read(home.database, "SELECT text FROM inbox ORDER BY inbox_id") == ["", "said", "said"]
    assert read(home.database, "SELECT user_id || ' ' || state FROM forgets") == ["u_1 fading"]


async def test_a_chat_is_known_by_its_address_after_revision_24(home: Home, tmp_path: Path) -> None:
    migrate_before("0024", home, tmp_path)
    chats = ["7", "-100:3", "ada:b"]
    with closing(sqlite3.connect(home.database, isolation_level=None)) as connection:
        connection.execute(ONE_USER)
        for sender in ("7", "-100"):
            fill(connection, "identities", channel="telegram", sender=sender)
        for number, chat in enumerate(chats, start=1):
            fill(connection, "conversations", conversation_id=number, channel="telegram", chat=chat)

    migrate(home.database, home.backups)

    senders = "SELECT sender FROM conversations ORDER BY conversation_id"
    assert read(home.database, senders) == ["7", "-100", "ada:b"]


def fill(connection: sqlite3.Connection, table: str, **values: object) -> None:
    """Insert a row of user `u_1` with these values, and of no meaning in what else it needs."""
    row: dict[str, object] = {}
    for _, name, kind, is_needed, default, _ in connection.execute(f"PRAGMA table_info({table})"):
        if name == "user_id":
            row[name] = "u_1"
        elif is_needed and default is None:
            row[name] = {"DATETIME": "2026-01-01 00:00:00", "JSON": "[]"}.get(kind, "0")
    row |= values
    places = ", ".join("?" * len(row))
    connection.execute(
        f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values())
    )
