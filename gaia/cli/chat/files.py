"""Files that come with a reply: written where the user is, under a name that is free."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from channels.terminal_wire import FileFrame
from gaia.cli.console import strip_controls
from gaia.files import open_new
from gaia.ops import exports
from gaia.paths import Home

MOST_NAMES = 100


def save_file(home: Home, file: FileFrame, user_id: str) -> str:
    """Write a file into the working folder, or into the user's own where nothing can be
    written there; returns what the user is told. It is known as an export, so that what is
    forgotten goes from it. Blocks."""
    cause = ""
    for folder in (Path.cwd, Path.home):
        try:
            path = _write(folder(), Path(strip_controls(file.name)).name, file.content)
        except (OSError, RuntimeError) as exc:
            cause = cause or getattr(exc, "strerror", "") or str(exc)
            continue
        exports.note(home, user_id, path)
        return f"The file is `{path}`."
    return f"The file could not be written here ({cause}): go to another folder and ask again."


def _write(folder: Path, name: str, content: bytes) -> Path:
    for path in _names(folder / (name or "gaia.txt")):
        try:
            with open_new(path) as stream:
                stream.write(content)
        except FileExistsError:
            continue
        except OSError:
            path.unlink(missing_ok=True)
            raise
        return path
    raise OSError(f"there are {MOST_NAMES} files of that name")


def _names(path: Path) -> Iterator[Path]:
    yield path
    for number in range(2, MOST_NAMES + 1):
        yield path.with_stem(f"{path.stem}-{number}")
