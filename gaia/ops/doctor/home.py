"""The home: the folder itself, and whether what lies there is for its owner's eyes alone.

Inside a folder that nobody else may enter, an open file is a fault that waits for the folder
to be opened, or to be copied elsewhere. `.env` is looked at with the configuration.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from gaia.findings import Check, Finding, failed, ok, warning
from gaia.paths import Home
from gaia.text import counted

NAME = "home"
PERMISSIONS = "permissions"
OTHERS = 0o077

MOST_NAMED = 5
"""More files are counted, not named: a line for each of a thousand helps nobody."""

DATABASE_SIDES = ("", "-wal", "-shm")


def home_check(home: Home) -> Check:
    """The check of the home folder."""

    return Check(NAME, partial(asyncio.to_thread, _look, home))


def _look(home: Home) -> Sequence[Finding]:
    root = home.root
    try:
        status = root.stat()
    except FileNotFoundError:
        remedy = "Start gaia once with 'gaia serve', or set GAIA_HOME to the folder that it uses."
        return [failed(f"{root} does not exist", remedy)]
    except OSError as exc:
        remedy = "Run this as the user that runs gaia, or set GAIA_HOME to another folder."
        return [failed(f"{root} cannot be read ({exc.strerror})", remedy)]
    if not stat.S_ISDIR(status.st_mode):
        remedy = "Move the file away, or set GAIA_HOME to another path."
        return [failed(f"{root} is not a folder", remedy)]
    if not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        remedy = "Run this as the user that runs gaia, or fix the folder's permissions."
        return [failed(f"{root} is not readable and writable by this user", remedy)]
    return _exposures(home, status) or [ok(f"{root} is private and writable")]


def _exposures(home: Home, status: os.stat_result) -> Sequence[Finding]:
    found = []
    if status.st_uid != os.getuid():
        remedy = "Run this as that user: what another one writes there, gaia may not read."
        found.append(warning(f"{home.root} belongs to the user with id {status.st_uid}", remedy))
    if mode := stat.S_IMODE(status.st_mode) & OTHERS:
        remedy = f"chmod 700 {home.root}"
        detail = f"{home.root} is open to other users of this machine (mode 0{mode | 0o700:o})"
        found.append(warning(detail, remedy, partial(_close, home.root)))
    return found


async def _close(root: Path) -> str:
    await asyncio.to_thread(root.chmod, 0o700)
    return f"{root} is private now"


def permissions_check(home: Home) -> Check:
    """The check of the files and folders in the home."""
    return Check(PERMISSIONS, partial(asyncio.to_thread, _look_inside, home), needs=(NAME,))


def _look_inside(home: Home) -> Sequence[Finding]:
    seen = _private_paths(home)
    exposed = [path for path in seen if stat.S_IMODE(path.stat().st_mode) & OTHERS]
    foreign = [path for path in seen if path.stat().st_uid != os.getuid()]
    private = counted(len(seen), "file and folder is", "files and folders are")
    return [*_open_ones(exposed), *_foreign_ones(foreign)] or [ok(f"{private} private")]


def _private_paths(home: Home) -> Sequence[Path]:
    """What there is of all that should be private. Links are left out: what they lead to
    is another's matter."""
    files = [home.settings_file, home.terminal_history, home.lock_file]
    files += [home.database.with_name(home.database.name + side) for side in DATABASE_SIDES]
    files += home.root.glob("gaia.*.yaml")
    paths = sorted({path for path in files if path.is_file()})
    paths += (each for each in (home.memory, home.logs, home.backups) if each.is_dir())
    for folder in (home.logs, home.backups):
        if folder.is_dir():
            paths += sorted(folder.iterdir())
    return [path for path in paths if not path.is_symlink()]


def _open_ones(exposed: Sequence[Path]) -> Iterator[Finding]:
    for path in exposed[:MOST_NAMED]:
        mode = stat.S_IMODE(path.stat().st_mode)
        yield warning(
            f"{path} is open to other users of this machine (mode 0{mode:o})",
            f"chmod {_private(mode):o} {path}",
            partial(_close_all, [path]),
        )
    if rest := exposed[MOST_NAMED:]:
        verb = "is" if len(rest) == 1 else "are"
        yield warning(
            f"so {verb} {len(rest):,} more, such as {rest[0]}",
            f"chmod go= {rest[0].parent}/*",
            partial(_close_all, rest),
        )


async def _close_all(paths: Sequence[Path]) -> str:
    for path in paths:
        path.chmod(_private(stat.S_IMODE(path.stat().st_mode)))
    if len(paths) == 1:
        return f"{paths[0]} is private now"
    return f"{len(paths):,} more are private now"


def _private(mode: int) -> int:
    return mode & ~OTHERS


def _foreign_ones(foreign: Sequence[Path]) -> Iterator[Finding]:
    if foreign:
        others = f" and {len(foreign) - 1:,} more" if len(foreign) > 1 else ""
        yield warning(
            f"{foreign[0]}{others} belongs to another user: gaia may not be able to write there",
            f"As root: chown -R {os.getuid()} {foreign[0].parent}.",
        )
