"""`gaia memory export`, `import` and `page`: what gaia remembers, as a file of one's own or in the
browser."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, echo_json, say, strip_controls
from gaia.cli.home import ask, wake
from gaia.cli.memory.change import with_memory
from gaia.cli.memory.folder import export_folder, first_lines, import_folder, refuse_mistakes
from gaia.cli.memory.view import FormatName, OfUser
from gaia.cli.progress import counting
from gaia.files import replacing
from gaia.text import counted_memories

if TYPE_CHECKING:
    from gaia.memory.transfer.importer import ImportResult
    from gaia.store.engine import Database
    from gaia.store.people.identities import User

MARKDOWN_SUFFIXES = (".md", ".markdown", ".txt")
STANDARD_INPUT = "-"
LINK_SECONDS = 20.0


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
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown",
            metavar="FOLDER",
            help="Write a folder of Markdown to edit, which 'import' takes in again.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    user: OfUser = None,
) -> None:
    """Write what gaia remembers to a file."""
    if markdown is not None:
        if file is not None or file_format is not None:
            raise typer.BadParameter("name a file or a folder", param_hint="--markdown")
        export_folder(markdown, user, force=force)
        return
    from gaia.ops.exports import note
    from gaia.ops.queries.memories import FILE, WhichFile
    from gaia.paths import find_home

    form = file_format or _format_for(file)
    given = ask(FILE, WhichFile(user=user, file_format=form))
    lines = _printable(given.lines, form)
    if file is None:
        for line in lines:
            typer.echo(line)
        return
    _write(file, lines, force=force)
    note(find_home(), given.user_id, file)
    say(f"{counted_memories(given.memories)} of {given.user} in {file}", err=True)


def _format_for(file: Path | None) -> FormatName:
    is_markdown = file is not None and file.suffix.casefold() in MARKDOWN_SUFFIXES
    return FormatName.MARKDOWN if is_markdown else FormatName.JSONL


def _printable(lines: Iterable[str], file_format: FormatName) -> Iterable[str]:
    # Those of JSON hold nothing that a terminal would obey.
    return lines if file_format is FormatName.JSONL else map(strip_controls, lines)


def _write(file: Path, lines: Iterable[str], *, force: bool) -> None:
    """Write a file that only its owner may read; it is whole or not there."""
    from gaia.errors import MemoryFileError

    if file.is_dir():
        raise MemoryFileError(
            f"{str(file)!r} is a folder: name a file in it, or add --markdown for a folder to edit"
        )
    if file.exists() and not force:
        raise MemoryFileError(f"{str(file)!r} exists: choose another name, or add --force")
    try:
        with replacing(file, file.with_name(f".{file.name}.part")) as stream:
            stream.writelines(f"{line}\n".encode() for line in lines)
    except OSError as exc:
        raise MemoryFileError(
            f"{str(file)!r} cannot be written ({exc.strerror}): check its folder and its disk"
        ) from exc


def import_file(
    file: Annotated[
        str, typer.Argument(help="What 'export' wrote, a list in plain text, or a folder; -.")
    ],
    file_format: Annotated[
        FormatName | None,
        typer.Option("--format", help="How it is written.", show_default="by its first character"),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out lines that cannot be taken.")
    ] = False,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Forget what was deleted in a folder, without asking."),
    ] = False,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Take in memories from a file. What is known already is not stored twice.

    In plain text and Markdown, each line or bullet is a memory. Every one is checked first:
    nothing is stored when one of them cannot be. In a folder that 'export --markdown' wrote,
    what was edited supersedes, and what was deleted is forgotten after a yes.
    """
    if Path(file).is_dir():
        import_folder(Path(file), user, yes=yes, skip_bad=skip_bad, as_json=as_json)
        return
    from gaia.clock import SystemClock
    from gaia.memory.transfer.importer import FileFormat, check, format_of, import_statements

    content = _content(file)
    checked = check(content, FileFormat(file_format) if file_format else format_of(content))
    mistakes = [f"line {each.line}: {each.cause}" for each in checked.mistakes]
    if not skip_bad:
        refuse_mistakes(mistakes)

    async def act(database: Database, owner: User) -> tuple[str, ImportResult]:
        with counting("importing") as progress:
            taken = await import_statements(
                database,
                owner.user_id,
                checked.statements,
                SystemClock(),
                progress,
                unsure=checked.pending,
            )
        return owner.name, taken

    name, taken = with_memory(user, act)
    runs = wake()
    if as_json:
        told = {
            "new": taken.new,
            "known": taken.known,
            "skipped": [{"line": each.line, "cause": each.cause} for each in checked.mistakes],
            "running": runs,
        }
        echo_json(told)
        return
    for line in first_lines(mistakes):
        say(f"skipped {line}", err=True)
    say(
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


def page(
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open it, or only print the link.")
    ] = True,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Open the page of what gaia remembers; gaia has to run. The link works once."""
    from gaia.cli import control
    from gaia.ops.queries.people import OWNER, Whose
    from gaia.ops.wire import PAGE_PATH, PageLink, PageRequest
    from gaia.paths import find_home

    owner = ask(OWNER, Whose(user=user))
    body = PageRequest(user_id=owner.user_id).model_dump_json()
    link = control.ask(find_home(), PAGE_PATH, body, LINK_SECONDS, PageLink)
    if as_json:
        echo_json({"user": owner.name, "url": link.url, "seconds": link.seconds})
        return
    minutes = f"{link.seconds / 60:.0f} minutes"
    if browser and _open(link.url):
        say(f"The memory of {owner.name} opens in your browser. If it does not:")
    else:
        say(f"Open this in a browser to see the memory of {owner.name}:")
    typer.echo(f"  {link.url}\nThe link works once, for {minutes}.")


def _open(url: str) -> bool:
    """Whether there is a browser with a window to open it in: one in the terminal would hide
    what is printed, and run no script."""
    import os
    import sys
    import webbrowser

    has_window = sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    try:
        return has_window and webbrowser.open(url)
    except webbrowser.Error:
        return False
