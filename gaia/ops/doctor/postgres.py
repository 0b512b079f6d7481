"""Whether a PostgreSQL database answers, is of a version that gaia knows, and may be written."""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import format_datetime

from sqlalchemy import URL, Connection, text

from gaia.findings import Finding, Heard, failed, ok
from gaia.store.migrations import HEAD
from gaia.store.postgres.database import inspecting_url, require_fitness
from gaia.store.postgres.faults import name_of
from gaia.store.revision import revision_of

_SERVER = text(
    "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on', "
    "coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)"
)
_TIME = text("SELECT clock_timestamp()")
_OTHERS = text(
    "SELECT min(tablename) FROM pg_tables "
    "WHERE schemaname = current_schema() AND NOT pg_has_role(tableowner, 'USAGE')"
)


def look_at(url: URL, heard: Heard) -> Sequence[Finding]:
    """What is to be told of it. What time its server has is `heard`. Blocks.

    Raises:
        NewerStoreError: A newer gaia wrote it.
        StoreError: It is not gaia's, its server is too old, or does not answer.
    """
    name = name_of(url)
    with inspecting_url(url) as connection:
        heard(name, format_datetime(connection.execute(_TIME).scalar_one()))
        return [_told(connection, name)]


def _told(connection: Connection, name: str) -> Finding:
    version = require_fitness(connection, name)
    is_read_only, may_create = connection.execute(_SERVER).one()
    if is_read_only:
        return failed(
            f"{name} can only be read",
            "Name the primary server in its address, and see that its user may write.",
        )
    other = connection.execute(_OTHERS).scalar()
    if other is not None:
        return failed(
            f"the table {other} of {name} belongs to somebody else",
            "Let gaia's user own all of it: REASSIGN OWNED BY ... TO ...",
        )
    if not may_create:
        return failed(
            f"{name} lets gaia make no tables",
            "GRANT CREATE ON SCHEMA public to its user, or let it own the database.",
        )
    revision = revision_of(connection, name)
    if revision is None:
        return ok(f"{name} answers, and is empty: the first start makes its tables")
    older = ", of an older version: the next start migrates it" if revision != HEAD else ""
    return ok(f"{name} answers, PostgreSQL {version}, version {revision}{older}")
