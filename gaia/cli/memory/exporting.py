"""`gaia memory export`: what gaia remembers, as a file of one's own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from gaia.cli.asking import ask
from gaia.cli.memory.options import FormatName, OfUser
from gaia.files import replacing

MARKDOWN_SUFFIXES = (".md", ".markdown", ".txt")


def export(
    file: Annotated[
        Path | None, typer.Argument(help="A new file.", show_default="standard output")
    ] = None,
    file_format: Annotated[
        FormatName | None,
        typer.Option(
            "--format",
            help="jsonl holds all of each memory, markdown is for people.",
            show_default="jsonl, unless the file ends in .md",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    user: OfUser = None,
) -> None:
    """Write what gaia remembers to a file, for people or for another gaia."""
    from gaia.cli.memory.showing import counted_memories
    from gaia.ops.queries.memories import FILE, WhichFile

    form = file_format or _format_for(file)
    given = ask(FILE, WhichFile(user=user, file_format=form))
    lines = _printable(given.lines, form)
    if file is None:
        for line in lines:
            typer.echo(line)
        return
    _write(file, lines, force=force)
    typer.echo(f"{counted_memories(given.memories)} of {given.user} in {file}", err=True)


def _format_for(file: Path | None) -> FormatName:
    is_markdown = file is not None and file.suffix.casefold() in MARKDOWN_SUFFIXES
    return FormatName.MARKDOWN if is_markdown else FormatName.JSONL


def _printable(lines: Iterable[str], file_format: FormatName) -> Iterable[str]:
    from gaia.cli.chat.control_characters import strip_controls

    # Those of JSON hold nothing that a terminal would obey.
    return lines if file_format is FormatName.JSONL else map(strip_controls, lines)


def _write(file: Path, lines: Iterable[str], *, force: bool) -> None:
    """Write a file that only its owner may read; it is whole or not there."""
    from gaia.errors import MemoryFileError

    if file.exists() and not force:
        raise MemoryFileError(f"{str(file)!r} exists: choose another name, or add --force")
    try:
        with replacing(file, file.with_name(f".{file.name}.part")) as stream:
            stream.writelines(f"{line}\n".encode() for line in lines)
    except OSError as exc:
        raise MemoryFileError(
            f"{str(file)!r} cannot be written ({exc.strerror}): check its folder and its disk"
        ) from exc
