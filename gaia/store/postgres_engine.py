"""Connections to a PostgreSQL database: what its address says, in libpq's words, and what each
connection of gaia's has besides.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import URL, Engine, create_engine, event

from gaia.store.engine import CONNECTIONS
from gaia.store.postgres_dialect import prepare
from gaia.store.postgres_faults import translate_failures

CONNECT_SECONDS = 10
LOCK_SECONDS = 30
"""How long a write waits for another one."""

STILL_SECONDS = 20
"""How long a transaction may ask nothing: of a process that stands still in one, the server
ends it, so that others go on."""

OPTIONS = (
    f"-c lock_timeout={LOCK_SECONDS}s "
    f"-c idle_in_transaction_session_timeout={STILL_SECONDS}s "
    "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 "
    "-c client_min_messages=warning"
)
"""Those in the address come after them, and count before them."""


def open_engine(url: URL, *, connections: int = CONNECTIONS, pings: bool = False) -> Engine:
    """The engine of a PostgreSQL database. Faults of the server raise `StoreError`. One that
    `pings` looks each time whether a connection has been lost while nobody used it."""
    engine = create_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        pool_pre_ping=pings,
        hide_parameters=True,
        connect_args=connection_words(url),
    )
    event.listen(engine, "connect", prepare)
    translate_failures(engine, url)
    return engine


def connection_words(url: URL) -> dict[str, Any]:
    """What libpq is told of a connection of gaia's, by keyword."""
    said = address_words(url)
    return {
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        **said,
        "application_name": "gaia",
        "connect_timeout": CONNECT_SECONDS,
        "options": f"{OPTIONS} {said.get('options', '')}",
    }


def address_words(url: URL) -> dict[str, Any]:
    """What an address tells libpq, by keyword. It is never written as text again: libpq reads
    one otherwise than SQLAlchemy, and repeats a password that it cannot read."""
    _, said = url.get_dialect()().create_connect_args(url)
    # What an address says more than once is one text, as of options.
    return {name: " ".join(v) if isinstance(v, tuple) else v for name, v in said.items()}
