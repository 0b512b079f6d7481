"""Makes a home of a backup: all of it, or nothing.

The backup is unpacked beside the home, looked at as `verify` does, settled, and then
takes the home's place at once.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

from sqlalchemy import URL
from sqlalchemy.orm import Session

from gaia.errors import BackupDamagedError, BackupError, StoreError
from gaia.files import sync_folder
from gaia.ops.backup.archives import Manifest, Progress, Silent
from gaia.ops.backup.contents import Contents, count, find_troubles
from gaia.ops.backup.staging import unwritable
from gaia.ops.backup.verify import damaged, unpack
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store import audit, page_sessions, retention
from gaia.store.audit import Action
from gaia.store.engine import Database
from gaia.store.location import database_url
from gaia.store.lock import DaemonLock
from gaia.store.opener import open_file
from gaia.store.retention import PendingCounts

TAKEN_UP_WITHIN = timedelta(hours=6)
"""How long after a stop of gaia waiting messages are still answered, as it would be after a
move to another machine."""

OF_NO_MATTER = ("lost+found",)
"""What a disk of its own has by itself."""

MOST_NAMED = 5


MakingWay = Callable[[Home], AbstractContextManager[None]]
"""Makes way for a home that lies ready elsewhere, which takes its place within."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A home that was restored. `takes_up` says whether what waited is answered and sent, `schema`
    where the tables are that were in a PostgreSQL database before."""

    manifest: Manifest
    contents: Contents
    waiting: PendingCounts
    takes_up: bool
    schema: str = ""


async def restore_backup(
    path: Path,
    passphrase: str | None,
    home: Home,
    clock: Clock,
    progress: Progress | None = None,
    *,
    server: URL | None = None,
    replace: bool = False,
    making_way: MakingWay | None = None,
) -> Restored:
    """Restore a backup into a home that is empty, or not there, or that is `making_way`.

    A dump goes into the database `server`, or the one that the settings name, those in the
    backup too. With `replace` its tables are moved aside first.

    Raises:
        BackupDamagedError: It cannot be restored; all that is wrong with it is told.
        PassphraseError: It is encrypted, and the passphrase is missing or wrong.
        BackupError: Something is in the way, it cannot be read, or there is no room.
    """
    # What is renamed is the folder, not a link that leads to it.
    home = Home(home.root.resolve())
    server = server or database_url(home)
    taking = partial(_take_place, home=home, making_way=making_way)
    with _beside(home, empty=making_way is None) as folder:
        there, watched = Home(folder), progress or Silent()
        manifest = await asyncio.to_thread(unpack, path, passphrase, folder, watched)
        troubles = await asyncio.to_thread(find_troubles, there, manifest)
        if troubles:
            raise damaged(path, troubles)
        if manifest.database == "postgresql":
            return await _restore_dump(
                path, there, taking, manifest, clock, watched, server, replace
            )
        if server is not None:
            raise BackupError(
                f"{path.name} has a gaia.db, and the settings name a PostgreSQL database: take "
                "that out of them (database.url, GAIA_DATABASE_URL), and restore again"
            )
        try:
            done = await _settle(await open_file(there), manifest, clock.now())
        except StoreError as exc:
            raise damaged(path, [str(exc)]) from exc
        taking(there)
    return done


async def _restore_dump(
    path: Path,
    there: Home,
    taking: Callable[[Home], None],
    manifest: Manifest,
    clock: Clock,
    progress: Progress,
    server: URL | None,
    replace: bool,
) -> Restored:
    """Fill the database, and have what was unpacked take the home's place: both, or neither."""
    from gaia.ops.backup.targets import free_target, moved_aside
    from gaia.ops.backup.trial import restored_database

    target = free_target(server or database_url(there), replace=replace)
    with moved_aside(target, clock.now()) as schema:
        progress.step("restoring the database")
        try:
            database = await asyncio.to_thread(restored_database, there.dump, target, manifest)
        except BackupDamagedError as exc:
            raise damaged(path, exc.troubles) from exc
        done = await _settle(database, manifest, clock.now())
        there.dump.unlink()
        taking(there)
    return replace_fields(done, schema=schema)


async def _settle(database: Database, manifest: Manifest, now: datetime) -> Restored:
    age = now - manifest.taken_at
    takes_up = not manifest.while_running and timedelta(0) <= age <= TAKEN_UP_WITHIN
    try:
        contents = await database.read(count)
        waiting = await database.write(_settle_queues, takes_up, now, manifest)
    finally:
        await database.close()
    return Restored(manifest, contents, waiting, takes_up)


@contextmanager
def _beside(home: Home, *, empty: bool) -> Iterator[Path]:
    """A private folder from which a rename leads to the home, which has to be `empty` or makes
    way. Of what is left in it when something fails, nothing stays. Its lock tells that it is
    in use, and goes along: nobody starts in the home before it is complete.

    A home that is a disk of its own, as in a container, has it inside.
    """
    root = home.root
    if empty:
        _check_free(root)
    try:
        inside = (
            empty
            and root.exists()
            and (os.path.ismount(root) or not os.access(root.parent, os.W_OK))
        )
        root.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(mkdtemp(prefix=home.restoring_prefix, dir=root if inside else root.parent))
    except OSError as exc:
        raise unwritable(root, exc) from exc
    try:
        with DaemonLock(Home(folder)):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_free(root: Path) -> None:
    try:
        found = [entry.name for entry in root.iterdir() if entry.name not in OF_NO_MATTER]
    except FileNotFoundError:
        return
    except OSError as exc:
        raise BackupError(
            f"{str(root)!r} cannot be restored to ({exc.strerror}): set GAIA_HOME to another folder"
        ) from exc
    if found:
        found.sort()
        more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        raise BackupError(
            f"{str(root)!r} is not empty, it has {', '.join(found[:MOST_NAMED])}{more}: stop gaia "
            "if it runs there and move the folder away, or set GAIA_HOME to another one"
        )


def _take_place(there: Home, home: Home, making_way: MakingWay | None) -> None:
    """Have the folder, or the files in it, take the home's place. Fails, as a rename does,
    where something has come there meanwhile."""
    with making_way(there) if making_way else nullcontext():
        _move(there.root, home)


def _move(folder: Path, home: Home) -> None:
    try:
        sync_folder(folder)
        if folder.parent == home.root:
            _check_free_but_for(folder, home.root)
            # A home without gaia.db is none yet: it comes last.
            for file in sorted(folder.iterdir(), key=lambda file: file.name == home.database.name):
                file.rename(home.root / file.name)
            home.root.chmod(0o700)
        else:
            folder.rename(home.root)
            sync_folder(home.root.parent)
    except OSError as exc:
        raise BackupError(
            f"{str(home.root)!r} cannot be put in place ({exc.strerror}): see that nothing else "
            "writes there, and try again"
        ) from exc


def _check_free_but_for(folder: Path, root: Path) -> None:
    if any(entry.name not in (*OF_NO_MATTER, folder.name) for entry in root.iterdir()):
        raise BackupError(f"something was written to {str(root)!r} meanwhile: empty it, try again")


def _settle_queues(
    session: Session, takes_up: bool, now: datetime, manifest: Manifest
) -> PendingCounts:
    waiting = retention.count_waiting(session)
    if not takes_up:
        retention.settle_restored(session, now)
    retention.give_up_indexes(session)
    # Some may have signed out since.
    page_sessions.end_all(session)
    taken_at = f"{manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC"
    detail = f"a backup of {taken_at}"
    audit.record(session, Action.RESTORED, at=now, by=audit.CLI, detail=detail)
    return waiting
