"""`gaia memory import`: takes in a file, all of it or nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.memory.opening import with_memory
from gaia.cli.memory.options import AsJson, FormatName, OfUser
from gaia.cli.memory.progress import counting

if TYPE_CHECKING:
    from gaia.memory.transfer.taking_in import Checked, Mistake, TakenIn
    from gaia.store.engine import Database
    from gaia.store.identities import User

NAMED_MISTAKES = 20
STANDARD_INPUT = "-"


def import_file(
    file: Annotated[str, typer.Argument(help="What 'export' wrote, or a list in plain text; -.")],
    file_format: Annotated[
        FormatName | None,
        typer.Option("--format", help="How it is written.", show_default="by its first character"),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out lines that cannot be taken.")
    ] = False,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Take in memories from a file. What is known already is not stored twice.

    In plain text and Markdown, each line or bullet is a memory. Every one is checked first:
    nothing is stored when one of them cannot be.
    """
    from gaia.cli.control import wake
    from gaia.cli.memory.showing import counted_memories
    from gaia.clock import SystemClock
    from gaia.errors import MemoryFileError
    from gaia.memory.transfer.taking_in import FileFormat, check, format_of, take_in
    from gaia.paths import find_home

    content = _content(file)
    checked = check(content, FileFormat(file_format) if file_format else format_of(content))
    if checked.mistakes and not skip_bad:
        raise MemoryFileError(_refusal(checked))

    async def act(database: Database, owner: User) -> tuple[str, TakenIn]:
        with counting("importing") as progress:
            taken = await take_in(
                database,
                owner.user_id,
                checked.statements,
                SystemClock(),
                progress,
                held=checked.held,
            )
        return owner.name, taken

    name, taken = with_memory(user, act)
    runs = wake(find_home())
    if as_json:
        told = {
            "new": taken.new,
            "known": taken.known,
            "skipped": [{"line": each.line, "cause": each.cause} for each in checked.mistakes],
            "running": runs,
        }
        typer.echo(json.dumps(told, indent=2))
        return
    for line in _named(checked.mistakes):
        typer.echo(f"skipped {line}", err=True)
    typer.echo(
        f"Took {counted_memories(taken.new)} into the memory of {name}; "
        f"{taken.known:,} known before."
    )


def _content(file: str) -> str:
    from gaia.errors import MemoryFileError

    try:
        raw = sys.stdin.buffer.read() if file == STANDARD_INPUT else Path(file).read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as exc:
        raise MemoryFileError(f"{file!r} cannot be read ({exc.strerror}): check its name") from exc
    except UnicodeDecodeError as exc:
        line = exc.object.count(b"\n", 0, exc.start) + 1
        raise MemoryFileError(
            f"{file!r} is not UTF-8 in line {line}: save it as UTF-8, and import that"
        ) from exc


def _refusal(checked: Checked) -> str:
    return "\n".join(
        [
            f"{_lines(len(checked.mistakes))} cannot be taken, so nothing is stored:",
            *_named(checked.mistakes),
            "correct the file, or leave such lines out with --skip-bad",
        ]
    )


def _named(mistakes: Sequence[Mistake]) -> Sequence[str]:
    named = [f"line {each.line}: {each.cause}" for each in mistakes[:NAMED_MISTAKES]]
    more = len(mistakes) - NAMED_MISTAKES
    return [*named, f"{_lines(more)} more"] if more > 0 else named


def _lines(number: int) -> str:
    return "1 line" if number == 1 else f"{number:,} lines"
