"""Looks into the databases of a backup that lies unpacked in a folder, as gaia would."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from gaia.errors import StoreError
from gaia.ops.backup.manifest import Manifest
from gaia.paths import Home
from gaia.store.memory_tables import MemoryRow, MemoryStatus
from gaia.store.opening import holds_nothing, open_database, read_revision
from gaia.store.tables import InboxRow, UserRow


@dataclass(frozen=True, slots=True)
class Contents:
    """How much there is in a backup."""

    users: int
    memories: int
    messages: int


def find_troubles(home: Home, manifest: Manifest) -> Sequence[str]:
    """What is wrong with the databases in the folder: nothing, if they can be used.
    Blocks."""
    if holds_nothing(home.database):
        return [f"{home.database.name} is missing"]
    troubles = list(_unsound(home))
    try:
        revision = read_revision(home.database)
        if revision != manifest.revision:
            troubles.append(
                f"{home.database.name} is of revision {revision!r}, and {manifest.revision!r} "
                "was written"
            )
    except StoreError as exc:
        troubles.append(str(exc))
    return troubles


async def count_contents(home: Home) -> Contents:
    """How much there is in the folder's gaia.db, which is brought to this version.

    Raises:
        StoreError: It cannot be read.
    """
    database = await open_database(home)
    try:
        return await database.read(_count)
    finally:
        await database.close()


def _unsound(home: Home) -> Iterator[str]:
    for path in (home.database,):
        if not holds_nothing(path) and (trouble := _trouble(path)):
            yield f"{path.name} is damaged ({trouble})"


def _trouble(path: Path) -> str:
    """What SQLite finds wrong with a file, every page and index of it."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            (finding,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            broken = connection.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as exc:
        return str(exc)
    if finding != "ok":
        return str(finding)
    return f"a row of {broken[0]} refers to a missing one of {broken[2]}" if broken else ""


def _count(session: Session) -> Contents:
    users = session.scalar(
        select(func.count()).select_from(UserRow).where(UserRow.removed_at.is_(None))
    )
    memories = session.scalar(
        select(func.count()).select_from(MemoryRow).where(MemoryRow.status == MemoryStatus.ACTIVE)
    )
    messages = session.scalar(select(func.count()).select_from(InboxRow))
    return Contents(users or 0, memories or 0, messages or 0)
