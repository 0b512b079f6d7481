"""Brings a folder of memories and the ledger in step: what was edited is taken in, and what is
known then is written there."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from sqlalchemy.orm import Session

from gaia.errors import MemoryFileError
from gaia.memory import ledger
from gaia.memory.memory import Memory
from gaia.memory.people import entities
from gaia.memory.transfer import folder as folders
from gaia.memory.transfer import merge
from gaia.memory.transfer.folder import Files
from gaia.memory.transfer.merge import Edits
from gaia.ports import Clock
from gaia.store.engine import Database
from gaia.store.people.identities import User

ALL = 10**9

BATCH = 50
"""New memories in one transaction, so that a daemon that runs beside never waits long."""


async def edits(database: Database, user_id: str, folder: Path) -> Edits:
    """What was edited in a folder since it was written.

    Raises:
        MemoryFileError: The folder or a file in it cannot be read.
    """
    files = await asyncio.to_thread(folders.read_files, folder)
    manifest = await asyncio.to_thread(folders.read_manifest, folder)
    lines = folders.lines_of(files)
    found = await database.read(merge.compare, user_id, lines, manifest)
    return replace(found, files=files)


async def take_in(
    database: Database,
    user_id: str,
    edits: Edits,
    forgotten: Collection[int],
    clock: Clock,
    *,
    by: str,
) -> int:
    """Have the ledger follow; returns how many memories are new or changed. `by` is who does
    it, for the audit."""
    first = replace(edits, new=edits.new[:BATCH])
    count = await database.write(
        merge.take_in, user_id, first, forgotten=forgotten, by=by, now=clock.now()
    )
    for start in range(BATCH, len(edits.new), BATCH):
        more = Edits(edits.new[start : start + BATCH], (), (), (), ())
        count += await database.write(
            merge.take_in, user_id, more, forgotten=(), by=by, now=clock.now()
        )
    return count


async def check_free(database: Database, user_id: str, folder: Path) -> None:
    """Return if nothing gets lost by writing into a folder.

    Raises:
        MemoryFileError: It was edited, or holds something else.
    """
    if await asyncio.to_thread(folders.is_empty, folder):
        return
    await check_own(user_id, folder)
    if not (await edits(database, user_id, folder)).is_empty:
        raise MemoryFileError(
            f"{str(folder)!r} was edited: 'gaia memory import {folder}' takes that in; "
            "--force drops it"
        )


async def check_own(user_id: str, folder: Path) -> None:
    """Return if what stands in a folder was written there of this user.

    Raises:
        MemoryFileError: It was not.
    """
    if not await is_of(user_id, folder):
        raise MemoryFileError(
            f"{str(folder)!r} holds something else, or somebody else's memories: name another "
            "folder, or one that is empty"
        )


async def write_folder(
    database: Database, user: User, folder: Path, *, over: Files | None = None
) -> int:
    """Write all of a user's active memories into a folder; returns how many. `over` is what was
    read there, and is to be written over.

    Raises:
        FolderEditedError: It holds something else by now; nothing is written.
        MemoryFileError: It cannot be written.
    """
    memories, about = await database.read(_active, user.user_id)
    write = partial(folders.write, folder, user.user_id, user.name, memories, about, over=over)
    try:
        await asyncio.to_thread(write)
    except OSError as exc:
        raise MemoryFileError(
            f"{str(folder)!r} cannot be written ({exc.strerror}): check its rights and its disk"
        ) from exc
    return len(memories)


async def is_of(user_id: str, folder: Path) -> bool:
    """Whether a folder holds what was written there of this user.

    Raises:
        MemoryFileError: It cannot be read.
    """
    manifest = await asyncio.to_thread(folders.read_manifest, folder)
    return manifest is not None and manifest.user_id == user_id


def _active(session: Session, user_id: str) -> tuple[Sequence[Memory], Mapping[int, Sequence[str]]]:
    memories = ledger.every(session, user_id, limit=ALL)
    return memories, entities.by_memory(session, user_id)
