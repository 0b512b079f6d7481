"""Brings gaia.db to the tables of this version, with Alembic.

Alembic is imported only when a file is new or old: an up-to-date one is
recognised by `opener` from its revision alone.
"""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from gaia.errors import StoreError
from gaia.store.sqlite.database import open_engine
from gaia.store.sqlite.faults import store_error
from gaia.store.sqlite.presence import write_copy

logger = logging.getLogger(__name__)

MIGRATIONS = Path(__file__).parent / "migrations"


def migrate(path: Path, backups: Path, migrations: Path = MIGRATIONS) -> None:
    """Run what the file lacks, all or nothing. Idempotent, also across processes. Blocks.

    An existing database is copied into `backups` first. Foreign keys are off
    meanwhile, since SQLite changes a table by replacing it; they are checked
    before the commit.
    """
    engine = open_engine(path, connections=1, foreign_keys=False)
    config = alembic_config(migrations)
    try:
        with engine.begin() as connection:
            revision = MigrationContext.configure(connection).get_current_revision()
            if revision == ScriptDirectory.from_config(config).get_current_head():
                return
            if revision is not None:
                back_up(path, backups, revision)
            upgrade(connection, migrations)
            _check_foreign_keys(connection, path)
    finally:
        engine.dispose()
    logger.info("migrated %s from revision %s", path.name, revision or "none")


def upgrade(connection: Connection, migrations: Path = MIGRATIONS) -> None:
    """Run what the database lacks, within the connection's transaction. Blocks."""
    config = alembic_config(migrations)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def alembic_config(migrations: Path = MIGRATIONS) -> Config:
    """Alembic's configuration for a folder of migrations; there is no alembic.ini."""
    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    return config


def back_up(path: Path, backups: Path, revision: str) -> Path:
    """Copy the database as it was at `revision`, whole or not at all.

    Blocks. An earlier copy of the same revision is replaced.
    """
    copy = backups / f"{path.stem}-at-{revision}.db"
    try:
        with closing(sqlite3.connect(path)) as source:
            write_copy(source, copy)
    except sqlite3.Error as exc:
        raise store_error(copy, exc) or exc from exc
    except OSError as exc:
        raise StoreError(
            f"{str(path)!r} cannot be copied to {str(backups)!r} before its migration "
            f"({exc.strerror}): make room there, and make it writable by this user"
        ) from exc
    return copy


def _check_foreign_keys(connection: Connection, path: Path) -> None:
    broken = connection.execute(text("PRAGMA foreign_key_check")).first()
    if broken is not None:
        raise StoreError(
            f"{str(path)!r} was not migrated: table {broken[0]!r} refers to missing rows of "
            f"{broken[2]!r}. Keep the version of gaia that wrote it and report this"
        )
