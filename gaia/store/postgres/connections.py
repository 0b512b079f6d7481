"""Connections to a PostgreSQL database: what its address says, in libpq's words, and what each
connection of gaia's has besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psycopg import Connection
from sqlalchemy import URL, Engine, create_engine, event

from gaia.store.engine import CONNECTIONS
from gaia.store.postgres.dialect import WithoutNul
from gaia.store.postgres.faults import translate_failures
from gaia.store.postgres.silence import SILENT_SECONDS, connector

CONNECT_SECONDS = 10
LOCK_SECONDS = 30
"""How long a write waits for another one."""

STILL_SECONDS = 20
"""How long a transaction may ask nothing: of a process that stands still in one, the server
ends it, so that others go on."""

WAY: Mapping[str, int] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""What tells that the way to the server is gone, within seconds. What the address says of it
counts before this."""

SETTINGS: Mapping[str, str] = {
    "lock_timeout": f"{LOCK_SECONDS}s",
    "idle_in_transaction_session_timeout": f"{STILL_SECONDS}s",
    "idle_session_timeout": "0",
    "statement_timeout": "0",
    "transaction_timeout": "0",
    "client_min_messages": "warning",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
"""What is set in each connection, whatever its role or its database has for it. What the address
says in `options` counts before this."""

ALWAYS: Mapping[str, str] = {
    "default_transaction_isolation": "read committed",
    "datestyle": "ISO, MDY",
}
"""What is set whatever the address says: gaia would not work otherwise."""


def _rows(settings: Mapping[str, str], *, always: bool) -> list[str]:
    return [f"('{name}', '{value}', {always})" for name, value in settings.items()]


PREPARE = (
    "SELECT set_config(wanted.name, wanted.value, false) FROM (VALUES "  # noqa: S608
    f"{', '.join([*_rows(SETTINGS, always=False), *_rows(ALWAYS, always=True)])}"
    ") AS wanted (name, value, always) "
    # Not each version has all of them.
    "JOIN pg_settings ON lower(pg_settings.name) = wanted.name "
    "WHERE wanted.always OR pg_settings.source != 'client'"
)
"""Sets them. Said at the start of a connection they would get lost on the way through a pooler."""


def open_engine(
    url: URL,
    *,
    connections: int = CONNECTIONS,
    pings: bool = False,
    silent_seconds: float = SILENT_SECONDS,
) -> Engine:
    """The engine of a PostgreSQL database. Faults of the server raise `StoreError`. One that
    `pings` looks each time whether a connection has been lost while nobody used it. After
    `silent_seconds` without an answer one counts as lost."""
    engine = create_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        pool_pre_ping=pings,
        hide_parameters=True,
        isolation_level="READ COMMITTED",
        connect_args=connection_words(url),
    )
    event.listen(engine, "do_connect", connector(silent_seconds))
    event.listen(engine, "connect", _prepare)
    translate_failures(engine, url)
    return engine


def connection_words(url: URL) -> dict[str, Any]:
    """What libpq is told of a connection of gaia's, by keyword."""
    return {
        **WAY,
        **address_words(url),
        "application_name": "gaia",
        "connect_timeout": CONNECT_SECONDS,
        "client_encoding": "utf8",
    }


def address_words(url: URL) -> dict[str, Any]:
    """What an address tells libpq, by keyword. It is never written as text again: libpq reads
    one otherwise than SQLAlchemy, and repeats a password that it cannot read."""
    _, said = url.get_dialect()().create_connect_args(url)
    # What an address says more than once is one text, as of options.
    return {name: " ".join(v) if isinstance(v, tuple) else v for name, v in said.items()}


def _prepare(connection: Connection[Any], record: object) -> None:
    connection.adapters.register_dumper(str, WithoutNul)
    try:
        connection.autocommit = True
        connection.execute(PREPARE)
        connection.autocommit = False
    except BaseException:
        connection.close()
        raise
