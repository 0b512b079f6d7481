"""A dump restored: for a trial, in a database that goes again, or to stay."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.orm import Session

from gaia.errors import BackupDamagedError
from gaia.ops.backup.archives import Manifest
from gaia.ops.backup.contents import Contents, count, other_revision
from gaia.ops.backup.dumps import read_list, restore_dump
from gaia.ops.backup.targets import TrialRefusedError, trial_database
from gaia.store.engine import Database
from gaia.store.postgres.database import (
    PostgresDatabase,
    bring_up_to_date,
    inspecting_url,
    read_revision_of,
)

NO_SERVER = "no PostgreSQL database is set, on whose server it could be tried"


@dataclass(frozen=True, slots=True)
class Tried:
    """What was found in a dump; None if it was not tried, for which `untried` is the cause."""

    contents: Contents | None
    untried: str = ""


def try_dump(dump: Path, manifest: Manifest, server: URL | None) -> Tried:
    """Restore a dump on the server; without the right to, read its table of contents. Blocks.

    Raises:
        BackupDamagedError: It cannot be restored.
        BackupError: A program is missing.
        StoreError: The server does not answer, or it is of a newer gaia.
    """
    schema = read_list(dump)
    if server is None:
        return Tried(None, NO_SERVER)
    try:
        with trial_database(server, schema) as url:
            _restore(dump, url, manifest)
            with inspecting_url(url) as connection, Session(connection) as session:
                return Tried(count(session))
    except TrialRefusedError as exc:
        return Tried(None, f"{exc} (ALTER ROLE ... CREATEDB lets it)")


def restored_database(dump: Path, url: URL, manifest: Manifest) -> Database:
    """The database of that address, which is empty and gets what the dump has. Blocks.

    Raises:
        BackupDamagedError: It cannot be restored.
        BackupError: A program is missing.
        StoreError: The server does not answer, or it is of a newer gaia.
    """
    _restore(dump, url, manifest)
    return PostgresDatabase(url)


def _restore(dump: Path, url: URL, manifest: Manifest) -> None:
    """Make the tables, look whether they are those of the manifest, and bring them to this
    version."""
    restore_dump(dump, url)
    revision = read_revision_of(url)
    if revision != manifest.revision:
        trouble = other_revision(dump.name, revision, manifest)
        raise BackupDamagedError(trouble, [trouble])
    bring_up_to_date(url)
