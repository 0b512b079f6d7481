"""Opens the database of a home: checks it, migrates it, and refuses what this version cannot
use."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import URL, Connection

from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.location import database_url
from gaia.store.migrations import HEAD
from gaia.store.sqlite.database import SqliteDatabase
from gaia.store.sqlite.file import holds_nothing, inspecting_file, read_file_revision
from gaia.store.sqlite.presence import require_restore_ended, require_saved_copy_taken


async def open_database(home: Home) -> Database:
    """The database of a home, with the tables of this version.

    Raises:
        NewerStoreError: A newer gaia wrote it. It is left untouched.
        VanishedError: It was removed while gaia ran, and there is a copy of it, or a restore was
            killed that had moved it aside.
        StoreError: It is damaged, not gaia's, cannot be written, or does not answer.
        SettingsError: The settings may name a database, and something in them is wrong.
    """
    url = database_url(home)
    if url is not None:
        return await asyncio.to_thread(_open_postgres, url)
    return await open_file(home)


async def open_file(home: Home) -> Database:
    """The gaia.db of a folder, whatever the settings name, with the tables of this version.

    Raises:
        NewerStoreError, VanishedError, StoreError: As of `open_database`.
    """
    await asyncio.to_thread(_bring_up_to_date, home)
    return SqliteDatabase(home.database)


def database_name(home: Home) -> str:
    """What a home's database is called, without a password. Blocks.

    Raises:
        SettingsError: The settings may name one, and something in them is wrong.
    """
    url = database_url(home)
    if url is None:
        return home.database.name
    from gaia.store.postgres.faults import name_of

    return name_of(url)


def read_revision(home: Home) -> str | None:
    """The revision of a home's database, which is left as it is; None if it holds nothing.
    Blocks.

    Raises:
        NewerStoreError: A newer gaia wrote it.
        StoreError: It is damaged, not gaia's, cannot be read, or does not answer.
    """
    url = database_url(home)
    if url is None:
        return read_file_revision(home.database)
    from gaia.store.postgres.database import read_revision_of

    return read_revision_of(url)


def signature(home: Home) -> Sequence[object]:
    """Another one after whatever was written into a home's database. Blocks.

    Raises:
        StoreError: It does not answer.
    """
    url = database_url(home)
    if url is None:
        files = (home.database, home.database.with_name(f"{home.database.name}-wal"))
        return [file.stat().st_mtime_ns for file in files if file.exists()]
    from gaia.store.postgres.database import last_write

    return [last_write(url)]


@contextmanager
def inspecting(home: Home) -> Iterator[Connection]:
    """A read-only connection to the existing database of a home. Blocks.

    Raises:
        StoreError: It is damaged, no database, cannot be read, or does not answer.
    """
    url = database_url(home)
    if url is None:
        with inspecting_file(home.database) as connection:
            yield connection
    else:
        from gaia.store.postgres.database import inspecting_url

        with inspecting_url(url) as connection:
            yield connection


def _bring_up_to_date(home: Home) -> None:
    if holds_nothing(home.database):
        require_saved_copy_taken(home.database, home.backups)
        require_restore_ended(home)
    if read_file_revision(home.database) != HEAD:
        # Alembic takes as long to import as a short command takes to run.
        from gaia.store.migrate import migrate

        migrate(home.database, home.backups)


def _open_postgres(url: URL) -> Database:
    # Its driver is an extra, and loads as long as the rest of the store.
    from gaia.store.postgres.database import PostgresDatabase, bring_up_to_date

    bring_up_to_date(url)
    return PostgresDatabase(url)
