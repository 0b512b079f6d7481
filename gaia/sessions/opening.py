"""Opens sessions.db: refuses what the installed ADK cannot read, makes what is missing."""

from __future__ import annotations

from gaia.paths import Home
from gaia.sessions.schema_check import check_sessions_schema
from gaia.sessions.service import SessionStore
from gaia.store.engine import Database


async def open_sessions(home: Home) -> SessionStore:
    """The sessions of a home.

    Raises:
        StoreError: The file is damaged, of another schema, or cannot be written.
    """
    await check_sessions_schema(home.sessions_database)
    sessions = SessionStore(Database(home.sessions_database))
    await sessions.prepare()
    return sessions
