"""`gaia memory export --markdown FOLDER`, `import` of it after an edit, and `watch`."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import echo_json, say
from gaia.cli.home import overwrite, wake
from gaia.cli.memory.change import with_memory
from gaia.cli.memory.forget import rest
from gaia.cli.memory.view import OfUser, shown_line
from gaia.text import counted, counted_memories

if TYPE_CHECKING:
    from gaia.memory.transfer.folder import Line
    from gaia.memory.transfer.sync import Edits
    from gaia.store.engine import Database
    from gaia.store.people.identities import User

NAMED = 20
"""Memories and lines that are named one by one, at most."""

SETTLE_MILLISECONDS = 1_000
"""Files are read once they have been at rest for so long: editors write them in pieces."""

VANISHED_SECONDS = 2.0
"""What seems to be deleted is looked at again after that: an editor may be about to put its
file back."""

LOOK_MILLISECONDS = 2_000
"""How often is looked whether the memory changed."""


def export_folder(folder: Path, user: str | None, *, force: bool) -> None:
    """Write the memories into a folder; what was edited there and not imported stays, unless
    `force` says otherwise."""
    from gaia.memory.transfer import sync
    from gaia.ops.exports import note
    from gaia.paths import find_home

    async def act(database: Database, owner: User) -> tuple[User, int]:
        if not force:
            await sync.check_free(database, owner.user_id, folder)
        return owner, await sync.write_folder(database, owner, folder)

    owner, count = with_memory(user, act)
    note(find_home(), owner.user_id, folder)
    say(f"{counted_memories(count)} of {owner.name} in {folder}", err=True)


def import_folder(
    folder: Path, user: str | None, *, yes: bool, skip_bad: bool, as_json: bool
) -> None:
    """Take in what was edited in a folder, and write it again as it is then."""
    from gaia.errors import MemoryFileError
    from gaia.memory.transfer.folder import read_files, read_manifest

    if read_manifest(folder) is None and not read_files(folder):
        raise MemoryFileError(
            f"{str(folder)!r} holds no memories: name a folder that 'gaia memory export "
            "--markdown' wrote, or a file"
        )
    owner, edits = _look(folder, user)
    if not skip_bad:
        refuse_mistakes(_mistakes(edits))
    forgotten = _agreed(edits, owner.name, yes=yes, as_json=as_json)
    count, problem = _take_in(folder, owner, edits, forgotten)
    runs = wake()
    done = bool(forgotten) and not runs and overwrite()
    if problem:
        say(problem, err=True)
    if as_json:
        echo_json(_as_json(edits, count, forgotten, running=runs, done=done))
        return
    for told in _told(edits):
        typer.echo(told, err=True)
    _tell_done(owner.name, count, forgotten, runs=runs, done=done)


def watch(
    folder: Annotated[Path, typer.Argument(help="Where 'export --markdown' wrote, or a new one.")],
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Forget what is deleted there without asking.")
    ] = False,
    user: OfUser = None,
) -> None:
    """Keep a folder of Markdown and the memory in step, until Ctrl-C.

    A memory whose line is deleted is forgotten after a yes; without one it is written again.
    What cannot be read is told once, and looked at again after the next edit.
    """
    import watchfiles

    from gaia.errors import MemoryFileError
    from gaia.memory.transfer import sync
    from gaia.memory.transfer.folder import is_empty
    from gaia.paths import find_home
    from gaia.store.opener import signature

    is_new = is_empty(folder)

    async def begin(database: Database, owner: User) -> User:
        if is_new:
            await sync.write_folder(database, owner, folder)
        await sync.check_own(owner.user_id, folder)
        return owner

    owner, problem = with_memory(user, begin), ""
    say(f"Keeping {folder} and the memory of {owner.name} in step; Ctrl-C ends it.")
    home = find_home()
    seen = signature(home)
    _step(folder, owner, yes=yes)
    for changes in watchfiles.watch(
        folder,
        debounce=SETTLE_MILLISECONDS,
        step=SETTLE_MILLISECONDS // 2,
        rust_timeout=LOOK_MILLISECONDS,
        yield_on_timeout=True,
    ):
        present = signature(home)
        if not changes and present == seen:
            continue
        seen, before, problem = present, problem, ""
        try:
            _step(folder, owner, yes=yes)
        except MemoryFileError as exc:
            problem = str(exc)
            if problem != before:
                say(f"{problem}.")


def _step(folder: Path, owner: User, *, yes: bool) -> None:
    """Take in what was edited, and write what is known then."""
    _, edits = _look(folder, owner.user_id)
    if edits.deleted:
        time.sleep(VANISHED_SECONDS)
        _, edits = _look(folder, owner.user_id)
    for told in _told(edits):
        typer.echo(told)
    forgotten: Collection[int] = ()
    if edits.deleted and not yes and not sys.stdin.isatty():
        number = counted_memories(len(edits.deleted))
        say(f"Nobody can be asked here: {number} that were deleted are written again.")
    else:
        forgotten = _agreed(edits, owner.name, yes=yes, as_json=False)
    count, _ = _take_in(folder, owner, edits, forgotten)
    if count or forgotten:
        runs = wake()
        done = bool(forgotten) and not runs and overwrite()
        _tell_done(owner.name, count, forgotten, runs=runs, done=done)


def _tell_done(
    name: str, count: int, forgotten: Collection[int], *, runs: bool, done: bool
) -> None:
    say(f"Took {counted_memories(count)} into the memory of {name}.")
    if forgotten:
        say(f"Forgot {counted_memories(len(forgotten))}. {rest(runs=runs, done=done)}")


def _look(folder: Path, user: str | None) -> tuple[User, Edits]:
    from gaia.memory.transfer import sync

    async def look(database: Database, owner: User) -> tuple[User, Edits]:
        return owner, await sync.edits(database, owner.user_id, folder)

    return with_memory(user, look)


def _take_in(
    folder: Path, owner: User, edits: Edits, forgotten: Collection[int]
) -> tuple[int, str]:
    """Store what was edited, and write the folder again: unless lines stand there that cannot
    be taken, which would get lost, or gaia never wrote it. Returns how many are new or changed;
    and where somebody edited the folder meanwhile, which is left as it is then, what to say."""
    from gaia.clock import SystemClock
    from gaia.errors import FolderEditedError
    from gaia.memory.transfer import sync
    from gaia.store import audit

    async def act(database: Database, _: User) -> tuple[int, str]:
        count = await sync.take_in(
            database, owner.user_id, edits, forgotten, SystemClock(), by=audit.CLI
        )
        if not edits.mistakes and await sync.is_of(owner.user_id, folder):
            try:
                await sync.write_folder(database, owner, folder, over=edits.files)
            except FolderEditedError as exc:
                return count, str(exc)
        return count, ""

    return with_memory(owner.user_id, act)


def refuse_mistakes(mistakes: Sequence[str]) -> None:
    """Take in nothing where lines cannot be taken.

    Raises:
        MemoryFileError: There are such lines.
    """
    from gaia.errors import MemoryFileError

    if mistakes:
        number = counted(len(mistakes), "line", "lines")
        head = f"{number} cannot be taken, so nothing is stored:"
        remedy = "correct them, or leave such lines out with --skip-bad"
        raise MemoryFileError("\n".join([head, *first_lines(mistakes), remedy]))


def first_lines(mistakes: Sequence[str]) -> Sequence[str]:
    """The first mistakes, and how many more there are."""
    more = len(mistakes) - NAMED
    return [*mistakes[:NAMED], *([f"{counted(more, 'line', 'lines')} more"] if more > 0 else [])]


def _agreed(edits: Edits, name: str, *, yes: bool, as_json: bool) -> Collection[int]:
    """The numbers of those deleted ones that are to be forgotten."""
    numbers = [each.memory_id for each in edits.deleted]
    if not numbers or yes:
        return numbers
    if as_json or not sys.stdin.isatty():
        raise typer.BadParameter(
            f"{counted_memories(len(numbers))} would be forgotten, and nobody can be asked here: "
            "add --yes to forget without a question",
            param_hint="--yes",
        )
    say("These were deleted:")
    for each in edits.deleted[:NAMED]:
        typer.echo(f"  {each.memory_id}: {shown_line(each.text)}")
    if len(numbers) > NAMED:
        typer.echo(f"  … and {len(numbers) - NAMED:,} more")
    agrees = typer.confirm(f"Forget {counted_memories(len(numbers))} of {name}, for good?")
    return numbers if agrees else ()


def _told(edits: Edits) -> Sequence[str]:
    told = [f"skipped {each}" for each in first_lines(_mistakes(edits))]
    for each in edits.conflicts:
        place = f" ({_place(each.line)})" if each.line else ""
        told.append(f"memory {each.memory_id}{place}: {each.cause}")
    return told


def _mistakes(edits: Edits) -> Sequence[str]:
    return [f"{file}, line {each.line}: {each.cause}" for file, each in edits.mistakes]


def _place(line: Line) -> str:
    return f"{line.file}, line {line.line}"


def _as_json(
    edits: Edits, count: int, forgotten: Collection[int], *, running: bool, done: bool
) -> dict[str, object]:
    return {
        "taken": count,
        "new": [_place(each) for each in edits.new],
        "changed": [memory.memory_id for memory, _ in edits.changed],
        "forgotten": list(forgotten),
        "conflicts": [
            {
                "memory_id": each.memory_id,
                "place": _place(each.line) if each.line else None,
                "cause": str(each.cause),
            }
            for each in edits.conflicts
        ],
        "skipped": [
            {"file": file, "line": each.line, "cause": each.cause} for file, each in edits.mistakes
        ],
        "running": running,
        "done": done,
    }
