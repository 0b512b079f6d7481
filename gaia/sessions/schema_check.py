"""Whether the installed ADK can read a sessions.db, found out before ADK touches it.

ADK takes an unknown schema version for its oldest one and adds that one's
tables to the file. It also refuses for good a file whose first start was cut
short; here such a file is completed instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from google.adk.sessions.schemas.v1 import Base as AdkBase
from google.adk.sessions.schemas.v1 import StorageMetadata
from google.adk.version import __version__ as adk_version
from sqlalchemy import Connection, insert, inspect, select

from gaia.errors import StoreError
from gaia.store.engine import open_engine
from gaia.store.inspection import holds_nothing, inspecting

SCHEMA_VERSION_KEY = "schema_version"
READABLE_VERSION = "1"
"""The version that ADK writes today; a test notices when an upgrade changes it."""

READER = f"google-adk {adk_version}"
"""Who reads the file, in words."""

VERSION_TABLE = StorageMetadata.__tablename__
VERSION = select(StorageMetadata.value).where(StorageMetadata.key == SCHEMA_VERSION_KEY)

Columns = Mapping[str, frozenset[str]]


async def check_sessions_schema(path: Path) -> None:
    """Return if ADK may open the file: it is new, or of the schema that ADK writes.

    Raises:
        StoreError: It is damaged, or of another schema. It is left untouched.
    """
    if not await is_complete(path):
        await _write_version(path)


async def is_complete(path: Path) -> bool:
    """Whether ADK may open the file as it is; False where only its version is missing.
    Changes nothing.

    Raises:
        StoreError: It is damaged, or of another schema.
    """
    if holds_nothing(path):
        return True
    async with inspecting(path) as connection:
        columns = await connection.run_sync(_columns)
        if not columns:
            return True
        problem = _problem(columns)
        if problem is None:
            version = await connection.scalar(VERSION)
            if version not in (None, READABLE_VERSION):
                problem = f"its schema version is {version!r}, not {READABLE_VERSION!r}"
    if problem is not None:
        raise StoreError(
            f"{str(path)!r} cannot be read by the installed {READER} ({problem}) "
            "and was left untouched: install the version of gaia that wrote it, or move the file "
            "away to begin with empty sessions"
        )
    return version is not None


def _columns(connection: Connection) -> Columns:
    inspector = inspect(connection)
    return {
        table: frozenset(column["name"] for column in inspector.get_columns(table))
        for table in inspector.get_table_names()
    }


def _problem(found: Columns) -> str | None:
    """What of the schema is not as ADK's tables declare it. Missing tables are added by ADK."""
    if VERSION_TABLE not in found:
        return f"it has no table {VERSION_TABLE!r}"
    for table in AdkBase.metadata.sorted_tables:
        missing = set(table.columns.keys()) - found.get(table.name, set(table.columns.keys()))
        if missing:
            return f"its table {table.name!r} has no column {min(missing)!r}"
    return None


async def _write_version(path: Path) -> None:
    """Complete a file whose process died after it made the tables."""
    engine = open_engine(path, connections=1)
    try:
        async with engine.begin() as connection:
            if await connection.scalar(VERSION) is None:
                await connection.execute(
                    insert(StorageMetadata).values(key=SCHEMA_VERSION_KEY, value=READABLE_VERSION)
                )
    finally:
        await engine.dispose()
