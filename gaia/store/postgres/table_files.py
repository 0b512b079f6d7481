"""The files of a PostgreSQL database's tables, which are written again so that nothing deleted is
left in them.

A row that somebody's older view of the database still sees is copied with the others: only once
no such view is left does a table written again hold nothing that was deleted before. No lock is
held but that of the table which is being written, and that one is not waited for for long, since
whoever comes after waits behind it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from sqlalchemy import Connection, text

from gaia.errors import StoreError

LOOK_SECONDS = 0.1
LOCKED = "55P03"
"""The code of a lock that was not to be had in time."""

# A transaction in whichever database keeps the views of all from becoming newer.
_OLDER = text(
    "WITH due AS (SELECT age(CAST(CAST(:newest AS xid8) AS xid)) AS age) "
    "SELECT EXISTS (SELECT 1 FROM due, pg_stat_activity AS other "
    "WHERE other.pid != pg_backend_pid() AND (age(other.backend_xid) > due.age "
    "OR age(other.backend_xmin) > due.age "
    "AND (other.datname = current_database() OR other.datname IS NULL))) "
    "OR EXISTS (SELECT 1 FROM due, pg_prepared_xacts WHERE age(transaction) > due.age) "
    "OR EXISTS (SELECT 1 FROM due, pg_replication_slots "
    "WHERE age(xmin) > due.age OR age(catalog_xmin) > due.age)"
)


def are_views_newer(connection: Connection, number: str, seconds: float = 0.0) -> bool:
    """Whether nobody sees the database as it was before a transaction, now or within so many
    seconds. Blocks."""
    until = time.monotonic() + seconds
    while connection.execute(_OLDER, {"newest": number}).scalar_one():
        if time.monotonic() >= until:
            return False
        time.sleep(LOOK_SECONDS)
    return True


def write_again(connection: Connection, tables: Iterable[str], number: str, seconds: float) -> bool:
    """Write tables again, on a connection without a transaction; returns whether nothing is left
    that was deleted before a transaction. Otherwise somebody sees it still, or holds a table for
    longer than so many seconds. Blocks."""
    if not are_views_newer(connection, number):
        return False
    connection.execute(text(f"SET lock_timeout = {round(seconds * 1000)}"))
    try:
        for table in tables:
            connection.execute(text(f'VACUUM (FULL, ANALYZE) "{table}"'))
        # What ANALYZE found most often in a table is itself kept in one.
        connection.execute(text("VACUUM (FULL) pg_catalog.pg_statistic"))
    except StoreError as exc:
        if getattr(exc.__cause__, "sqlstate", "") == LOCKED:
            return False
        raise
    return True
