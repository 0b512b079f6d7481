"""What there is in a backup, and what is wrong with its database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from gaia.errors import StoreError
from gaia.ops.backup.archives import Manifest
from gaia.paths import Home
from gaia.store.memory_tables import MemoryRow, MemoryStatus
from gaia.store.opener import open_file
from gaia.store.sqlite.file import holds_nothing, read_file_revision
from gaia.store.tables import InboxRow, UserRow


@dataclass(frozen=True, slots=True)
class Contents:
    """How much there is in a backup."""

    users: int
    memories: int
    messages: int


def find_troubles(home: Home, manifest: Manifest) -> Sequence[str]:
    """What is wrong with the database in the folder: nothing, if it can be used. Of a dump only
    whether it is there. Blocks."""
    kept, other = home.database, home.dump
    if manifest.database == "postgresql":
        kept, other = other, kept
    if other.exists():
        return [f"{other.name} does not belong in a backup of {manifest.database}"]
    if holds_nothing(kept):
        return [f"{kept.name} is missing"]
    return list(_troubles_of_file(kept, manifest)) if kept == home.database else []


def _troubles_of_file(path: Path, manifest: Manifest) -> Iterator[str]:
    if trouble := _trouble(path):
        yield f"{path.name} is damaged ({trouble})"
    try:
        revision = read_file_revision(path)
        if revision != manifest.revision:
            yield other_revision(path.name, revision, manifest)
    except StoreError as exc:
        yield str(exc)


def other_revision(name: str, revision: str | None, manifest: Manifest) -> str:
    """What is said of tables that are not those of the manifest."""
    return f"{name} is of revision {revision!r}, and {manifest.revision!r} was written"


async def count_in_file(home: Home) -> Contents:
    """How much there is in the folder's gaia.db, which is brought to this version.

    Raises:
        StoreError: It cannot be read.
    """
    database = await open_file(home)
    try:
        return await database.read(count)
    finally:
        await database.close()


def _trouble(path: Path) -> str:
    """What SQLite finds wrong with a file, every page and index of it."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            (finding,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            broken = connection.execute("PRAGMA foreign_key_check").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as exc:
        return str(exc)
    if finding != "ok":
        return str(finding)
    return f"a row of {broken[0]} refers to a missing one of {broken[2]}" if broken else ""


def count(session: Session) -> Contents:
    """How much there is."""
    users = session.scalar(
        select(func.count()).select_from(UserRow).where(UserRow.removed_at.is_(None))
    )
    memories = session.scalar(
        select(func.count()).select_from(MemoryRow).where(MemoryRow.status == MemoryStatus.ACTIVE)
    )
    messages = session.scalar(select(func.count()).select_from(InboxRow))
    return Contents(users or 0, memories or 0, messages or 0)
