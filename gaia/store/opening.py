"""Opens gaia.db: checks it, migrates it, and refuses what this version cannot use."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sqlalchemy import text

from gaia.errors import NewerStoreError, StoreError
from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.inspection import holds_nothing, inspecting, table_names
from gaia.store.migrations import HEAD, REVISIONS

REVISION_TABLE = "alembic_version"


async def open_database(home: Home) -> Database:
    """gaia.db, with the tables of this version.

    Raises:
        NewerStoreError: A newer gaia wrote it. It is left untouched.
        StoreError: It is damaged, not gaia's, or cannot be written.
    """
    await asyncio.to_thread(_bring_up_to_date, home)
    return Database(home.database)


def read_revision(path: Path) -> str | None:
    """The revision of an existing gaia.db, which is left as it is; None if it holds nothing.
    Blocks.

    Raises:
        NewerStoreError: A newer gaia wrote it.
        StoreError: It is damaged, not gaia's, or cannot be read.
    """
    if holds_nothing(path):
        return None
    with inspecting(path) as connection:
        tables = table_names(connection)
        if not tables:
            return None
        if REVISION_TABLE not in tables:
            raise StoreError(
                f"{str(path)!r} is not a database of gaia, it holds tables such as "
                f"{min(tables)!r}: move it away, or set GAIA_HOME to another folder"
            )
        query = text(f"SELECT version_num FROM {REVISION_TABLE}")  # noqa: S608
        revision = connection.execute(query).scalar()
    if revision not in REVISIONS:
        raise NewerStoreError(
            f"{str(path)!r} was written by another, probably newer, version of gaia "
            f"(revision {revision!r}, this version knows up to {HEAD!r}) and was left untouched: "
            "install that version, or move the file away"
        )
    return str(revision)


def _bring_up_to_date(home: Home) -> None:
    if read_revision(home.database) != HEAD:
        # Alembic takes as long to import as a short command takes to run.
        from gaia.store.migrate import migrate

        migrate(home.database, home.backups)
