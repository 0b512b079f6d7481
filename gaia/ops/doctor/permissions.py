"""Whether what lies in the home is for its owner's eyes alone.

The folder itself is looked at in `home`, and `.env` with the configuration. Inside one
that nobody else may enter, an open file is a fault that waits for the folder to be opened,
or to be copied elsewhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from gaia.findings import Check, Finding, ok, warning
from gaia.ops.doctor import home as home_folder
from gaia.paths import Home

NAME = "permissions"
OTHERS = 0o077
MOST_NAMED = 5
"""More files are counted, not named: a line for each of a thousand helps nobody."""

DATABASE_SIDES = ("", "-wal", "-shm")


def permissions_check(home: Home) -> Check:
    """The check of the files and folders in the home."""

    async def look() -> Sequence[Finding]:
        seen = list(_private_paths(home))
        exposed = [path for path in seen if _is_exposed(path)]
        foreign = [path for path in seen if not path.is_symlink() and path.stat().st_uid != _me()]
        return [*_open_ones(exposed), *_foreign_ones(foreign)] or [ok(_well(len(seen)))]

    return Check(NAME, look, needs=(home_folder.NAME,))


def _me() -> int:
    return os.getuid()


def _well(count: int) -> str:
    return f"{'1 file and folder is' if count == 1 else f'{count:,} files and folders are'} private"


def _private_paths(home: Home) -> Iterator[Path]:
    """What there is of all that should be private. Links are left out: what they lead to
    is another's matter."""
    files = [home.settings_file, home.terminal_history, home.lock_file]
    for database in (home.database,):
        files += [database.with_name(database.name + side) for side in DATABASE_SIDES]
    files += home.root.glob("gaia.*.yaml")
    yield from sorted({path for path in files if path.is_file() and not path.is_symlink()})
    for folder in (home.memory, home.logs, home.backups):
        if folder.is_dir() and not folder.is_symlink():
            yield folder
    for folder in (home.logs, home.backups):
        if folder.is_dir():
            yield from sorted(path for path in folder.iterdir() if not path.is_symlink())


def _is_exposed(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & OTHERS)


def _open_ones(exposed: Sequence[Path]) -> Iterator[Finding]:
    for path in exposed[:MOST_NAMED]:
        mode = stat.S_IMODE(path.stat().st_mode)
        yield warning(
            f"{path} is open to other users of this machine (mode 0{mode:o})",
            f"chmod {_private(mode):o} {path}",
            partial(_close, [path]),
        )
    if rest := exposed[MOST_NAMED:]:
        which = "1 more" if len(rest) == 1 else f"{len(rest):,} more"
        yield warning(
            f"so {'is' if len(rest) == 1 else 'are'} {which}, such as {rest[0]}",
            f"chmod go= {rest[0].parent}/*",
            partial(_close, rest),
        )


async def _close(paths: Sequence[Path]) -> str:
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
            f"As root: chown -R {_me()} {foreign[0].parent}.",
        )
