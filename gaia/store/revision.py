"""Which revision of gaia's tables a database holds."""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

from gaia.errors import NewerStoreError, StoreError
from gaia.store.migrations import HEAD, REVISIONS

REVISION_TABLE = "alembic_version"


def revision_of(connection: Connection, name: str) -> str | None:
    """The revision of the tables; None if there are none. `name` is what the database is called.

    Raises:
        NewerStoreError: A newer gaia wrote them.
        StoreError: They are not gaia's.
    """
    tables = table_names(connection)
    if not tables:
        return None
    if REVISION_TABLE not in tables:
        raise StoreError(
            f"{name!r} is not a database of gaia, it holds tables such as {min(tables)!r}: "
            "move it away, or set GAIA_HOME to another folder"
        )
    query = text(f"SELECT version_num FROM {REVISION_TABLE}")  # noqa: S608
    revision = connection.execute(query).scalar()
    if revision not in REVISIONS:
        raise NewerStoreError(
            f"{name!r} was written by another, probably newer, version of gaia "
            f"(revision {revision!r}, this version knows up to {HEAD!r}) and was left untouched: "
            "install that version, or move the file away"
        )
    return str(revision)


def table_names(connection: Connection) -> frozenset[str]:
    """The tables that the database holds."""
    return frozenset(inspect(connection).get_table_names())
