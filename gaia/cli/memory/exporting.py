"""`gaia memory export`: what gaia remembers, as a file of one's own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.memory.opening import read_memory
from gaia.cli.memory.options import FormatName, OfUser

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from gaia.memory.transfer.record import Record
    from gaia.store.identities import User

ALL = 10**9
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

    form = file_format or _format_for(file)

    async def read(session: AsyncSession, owner: User) -> tuple[User, Sequence[Record]]:
        return owner, await _records(session, owner, form)

    owner, records = read_memory(user, read)
    lines = _lines(owner, records, form)
    if file is None:
        for line in lines:
            typer.echo(line)
        return
    _write(file, lines, force=force)
    typer.echo(f"{counted_memories(len(records))} of {owner.name} in {file}", err=True)


async def _records(session: AsyncSession, owner: User, file_format: FormatName) -> Sequence[Record]:
    """What counts; where a file holds all of a memory, also what gaia is not sure of."""
    from gaia.memory import entities, holding, ledger
    from gaia.memory.transfer.record import record_of

    about = await entities.by_memory(session, owner.user_id)
    found = [*await ledger.every(session, owner.user_id, limit=ALL)]
    if file_format is FormatName.JSONL:
        found += (await holding.held(session, owner.user_id, size=ALL)).memories[::-1]
    return [record_of(each, about.get(each.memory_id, ())) for each in found]


def _format_for(file: Path | None) -> FormatName:
    is_markdown = file is not None and file.suffix.casefold() in MARKDOWN_SUFFIXES
    return FormatName.MARKDOWN if is_markdown else FormatName.JSONL


def _lines(owner: User, records: Sequence[Record], file_format: FormatName) -> Iterator[str]:
    from gaia.cli.chat.control_characters import strip_controls
    from gaia.memory.transfer.markdown import to_markdown

    if file_format is FormatName.JSONL:
        return (record.to_json() for record in records)
    return map(strip_controls, to_markdown(f"What gaia remembers of {owner.name}", records))


def _write(file: Path, lines: Iterable[str], *, force: bool) -> None:
    """Write a file that only its owner may read; it is whole or not there."""
    from gaia.errors import MemoryFileError

    if file.exists() and not force:
        raise MemoryFileError(f"{str(file)!r} exists: choose another name, or add --force")
    draft = file.with_name(f".{file.name}.part")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{line}\n" for line in lines)
        draft.replace(file)
    except OSError as exc:
        draft.unlink(missing_ok=True)
        raise MemoryFileError(
            f"{str(file)!r} cannot be written ({exc.strerror}): check its folder and its disk"
        ) from exc
