"""Whether the databases can be read, are whole, and are of a version that gaia and ADK know.

They are opened for reading only, beside a daemon that may be writing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sqlalchemy import text

from gaia.errors import StoreError
from gaia.findings import Check, Finding, ok
from gaia.ops.doctor import home as home_folder
from gaia.paths import Home
from gaia.store.failures import damaged
from gaia.store.inspection import holds_nothing, inspecting
from gaia.store.migrations import HEAD
from gaia.store.opening import read_revision


def database_checks(home: Home) -> Sequence[Check]:
    """The checks of gaia.db and sessions.db."""
    sessions = home.sessions_database
    return [
        Check("database", partial(_look_at_gaia, home.database), needs=(home_folder.NAME,)),
        Check("sessions", partial(_look_at_sessions, sessions), needs=(home_folder.NAME,)),
    ]


async def _look_at_gaia(path: Path) -> Sequence[Finding]:
    revision = await read_revision(path)
    if revision is None:
        return [_none_yet(path)]
    await _check_pages(path)
    if revision != HEAD:
        detail = f"{path.name} is whole, of the older version {revision}: the next start renews it"
        return [ok(detail)]
    return [ok(f"{path.name} is whole, of version {revision}")]


async def _look_at_sessions(path: Path) -> Sequence[Finding]:
    if holds_nothing(path):
        return [_none_yet(path)]
    await _check_pages(path)
    # ADK takes a second to load.
    from gaia.sessions.schema_check import READER, is_complete

    await is_complete(path)
    return [ok(f"{path.name} is whole, and {READER} can read it")]


def _none_yet(path: Path) -> Finding:
    return ok(f"there is no {path.name} yet: the first start makes it")


async def _check_pages(path: Path) -> None:
    """Look at every page, however large the file is.

    Raises:
        StoreError: The file is damaged, or cannot be read.
    """
    async with inspecting(path) as connection:
        finding = (await connection.execute(text("PRAGMA quick_check(1)"))).scalar_one()
    if finding != "ok":
        raise StoreError(damaged(path, finding))
