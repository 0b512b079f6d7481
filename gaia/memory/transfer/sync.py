"""Brings a folder of memories and the ledger in step: what was edited is taken in, and what is
known then is written there.

What was edited is told by what was written into the folder, and by what the ledger holds by now.
A line that was edited supersedes its memory, a new one is added, and a memory whose line was
deleted is forgotten once its user says so. Where line and memory both changed, neither gets lost:
the memory stays as it is, and the line is added beside it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path

from sqlalchemy.orm import Session

from gaia.errors import MemoryFileError, UnfitMemoryError
from gaia.memory import forget, ledger, rows
from gaia.memory.edit import edit
from gaia.memory.memory import Memory, Statement
from gaia.memory.people import entities
from gaia.memory.transfer import folder as folders
from gaia.memory.transfer.folder import Files, Line, Manifest, canonical, fingerprint
from gaia.memory.transfer.importer import Mistake
from gaia.ports import Clock
from gaia.store.engine import Database
from gaia.store.memory_tables import MemorySource, MemoryStatus
from gaia.store.people.identities import User

BATCH = 50
"""New memories in one transaction, so that a daemon that runs beside never waits long."""

NOTHING_WRITTEN: Mapping[int, str] = {}


class Cause(StrEnum):
    """Why a line and its memory do not go together any more."""

    BOTH_CHANGED = "it was edited, and the memory changed meanwhile: both are kept"
    GONE = "it was edited, and the memory is gone meanwhile: it is kept as a new one"
    DELETED = "it was deleted, and the memory changed meanwhile: it stays"


@dataclass(frozen=True, slots=True)
class Conflict:
    """A memory that changed on both sides; `line` is where it stands in the folder, if it does."""

    memory_id: int
    cause: Cause
    line: Line | None


@dataclass(frozen=True, slots=True)
class Edits:
    """What was edited in a folder. What stands in `conflicts` stands in none of the others but,
    where its line is kept, in `new`. A mistake's line cannot be a memory. `files` is what they
    were read from."""

    new: Sequence[Line]
    changed: Sequence[tuple[Memory, Line]]
    deleted: Sequence[Memory]
    conflicts: Sequence[Conflict]
    mistakes: Sequence[tuple[str, Mistake]]
    files: Files = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not (self.new or self.changed or self.deleted or self.conflicts or self.mistakes)


async def edits(database: Database, user_id: str, folder: Path) -> Edits:
    """What was edited in a folder since it was written.

    Raises:
        MemoryFileError: The folder or a file in it cannot be read.
    """
    files = await asyncio.to_thread(folders.read_files, folder)
    manifest = await asyncio.to_thread(folders.read_manifest, folder)
    lines = folders.lines_of(files)
    found = await database.read(_compare, user_id, lines, manifest)
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
        _take_in, user_id, first, forgotten=forgotten, by=by, now=clock.now()
    )
    for start in range(BATCH, len(edits.new), BATCH):
        more = Edits(edits.new[start : start + BATCH], (), (), (), ())
        count += await database.write(_take_in, user_id, more, forgotten=(), by=by, now=clock.now())
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


def _compare(
    session: Session, user_id: str, lines: Sequence[Line], manifest: Manifest | None
) -> Edits:
    """What was edited since `manifest`; numbers of another user's folder mean nothing."""
    written = manifest.memories if manifest and manifest.user_id == user_id else NOTHING_WRITTEN
    known = {each.memory_id: each for each in ledger.get_many(session, user_id, list(written))}
    fit, mistakes = _checked(lines, written, known)
    marked, others = _told_apart(fit, written)
    new = [each for each in others if not _is_known(session, user_id, each)]
    changed: list[tuple[Memory, Line]] = []
    deleted: list[Memory] = []
    conflicts: list[Conflict] = []
    bad = {line.memory_id for line in lines} - {line.memory_id for line in fit}
    for number, as_written in written.items():
        memory = known.get(number)
        is_active = memory is not None and memory.status is MemoryStatus.ACTIVE
        is_same = memory is not None and fingerprint(memory.kind, memory.text) == as_written
        line = marked.get(number)
        if number in bad:
            continue
        if line is None:
            if memory is not None and is_active and is_same:
                deleted.append(memory)
            elif memory is not None and (is_active or memory.superseded_by is not None):
                conflicts.append(Conflict(number, Cause.DELETED, None))
        elif fingerprint(line.kind, line.text) == as_written:
            continue
        elif memory is not None and is_active and is_same:
            changed.append((memory, line))
        elif not _is_known(session, user_id, line):
            cause = Cause.GONE if memory is None else Cause.BOTH_CHANGED
            conflicts.append(Conflict(number, cause, line))
            new.append(line)
    return Edits(new, changed, deleted, conflicts, mistakes)


def _take_in(
    session: Session,
    user_id: str,
    edits: Edits,
    *,
    forgotten: Collection[int],
    by: str,
    now: datetime,
) -> int:
    """Have the ledger follow what was edited, and forget of what was deleted those whose numbers
    are in `forgotten`; returns how many memories are new or changed. What changed since the
    comparison is left alone: the next one finds it. `by` is who forgets, for the audit."""
    count = 0
    for memory, line in edits.changed:
        present = ledger.get_many(session, user_id, [memory.memory_id])
        if present and present[0] == memory:
            edit(session, user_id, memory.memory_id, line.text, line.kind, now)
            count += 1
    for line in edits.new:
        count += ledger.add(session, user_id, _statement(line, now), now).is_new
    gone = [each.memory_id for each in edits.deleted if each.memory_id in forgotten]
    if gone:
        forget.forget(session, user_id, gone, now=now, by=by)
    return count


def _checked(
    lines: Sequence[Line], written: Mapping[int, str], known: Mapping[int, Memory]
) -> tuple[Sequence[Line], Sequence[tuple[str, Mistake]]]:
    """The lines that can be memories, and what is wrong with the others. One that was not edited
    is a memory already, and a shared note may tell a password."""
    fit: list[Line] = []
    mistakes: list[tuple[str, Mistake]] = []
    for each in lines:
        number = each.memory_id or 0
        memory = known.get(number)
        if written.get(number) == fingerprint(each.kind, each.text):
            fit.append(each)
            continue
        try:
            ledger.checked(each.text, may_tell=memory is not None and memory.is_shared)
        except UnfitMemoryError as exc:
            mistakes.append((each.file, Mistake(each.line, str(exc))))
        else:
            fit.append(each)
    return fit, mistakes


def _told_apart(
    lines: Sequence[Line], written: Mapping[int, str]
) -> tuple[Mapping[int, Line], Sequence[Line]]:
    """The line of each number, and those that have none, or one that another has. A line that
    lost its comment and says what was written is known by that."""
    by_number: dict[int, list[Line]] = defaultdict(list)
    others: list[Line] = []
    for each in lines:
        if each.memory_id in written:
            by_number[each.memory_id or 0].append(each)
        else:
            others.append(each)
    marked: dict[int, Line] = {}
    for number, found in by_number.items():
        # Of several, the one that was not edited is the memory's own.
        found.sort(key=lambda each: fingerprint(each.kind, each.text) != written[number])
        marked[number] = found[0]
        others += found[1:]
    missing = {told: number for number, told in written.items() if number not in marked}
    for each in [*others]:
        number_of = missing.pop(fingerprint(each.kind, each.text), None)
        if number_of is not None:
            marked[number_of] = each
            others.remove(each)
    return marked, others


def _is_known(session: Session, user_id: str, line: Line) -> bool:
    """Whether an active memory says what a line does."""
    found = rows.same(session, user_id, Statement(line.text, MemorySource.USER, line.kind))
    return (
        found is not None
        and found.status == MemoryStatus.ACTIVE
        and canonical(found.text) == canonical(line.text)
    )


def _statement(line: Line, now: datetime) -> Statement:
    return Statement(
        line.text,
        MemorySource.USER,
        line.kind,
        entities=(line.about,) if line.about else (),
        said_at=line.said_at,
        said_again_at=now,
    )


def _active(session: Session, user_id: str) -> tuple[Sequence[Memory], Mapping[int, Sequence[str]]]:
    memories = ledger.every(session, user_id)
    return memories, entities.by_memory(session, user_id)
