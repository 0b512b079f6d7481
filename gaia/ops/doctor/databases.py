"""Whether the databases can be read, are whole, and are of a version that gaia and ADK know.

They are opened for reading only, beside a daemon that may be writing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sqlalchemy import text

from gaia.errors import StoreError
from gaia.findings import Check, Finding, ok
from gaia.ops.doctor import home as home_folder
from gaia.paths import Home
from gaia.store.failures import damaged
from gaia.store.migrations import HEAD
from gaia.store.opening import inspecting, read_revision


def database_checks(home: Home) -> Sequence[Check]:
    """The check of gaia.db."""
    return [
        Check(
            "database",
            partial(asyncio.to_thread, _look_at_gaia, home.database),
            needs=(home_folder.NAME,),
        ),
    ]


def _look_at_gaia(path: Path) -> Sequence[Finding]:
    revision = read_revision(path)
    if revision is None:
        return [_none_yet(path)]
    _check_pages(path)
    if revision != HEAD:
        detail = f"{path.name} is whole, of the older version {revision}: the next start renews it"
        return [ok(detail)]
    return [ok(f"{path.name} is whole, of version {revision}")]


def _none_yet(path: Path) -> Finding:
    return ok(f"there is no {path.name} yet: the first start makes it")


def _check_pages(path: Path) -> None:
    """Look at every page, however large the file is.

    Raises:
        StoreError: The file is damaged, or cannot be read.
    """
    with inspecting(path) as connection:
        finding = connection.execute(text("PRAGMA quick_check(1)")).scalar_one()
    if finding != "ok":
        raise StoreError(damaged(path, finding))
