"""Whether gaia can live in a folder, before there is anything in it."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_IMODE

from gaia.errors import HomeError
from gaia.paths import Home

PRIVATE = 0o700


def check_place(home: Home) -> None:
    """Return if the home is usable, or can be made. Nothing is made.

    Raises:
        HomeError: It cannot.
    """
    nearest = next(path for path in (home.root, *home.root.parents) if _exists(path))
    if not nearest.is_dir():
        raise HomeError(f"{str(nearest)!r} is not a folder: choose another for gaia's home")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise HomeError(f"{str(nearest)!r} cannot be written to: choose another for gaia's home")


def make_private_home(home: Home) -> None:
    """Make the home, or take from others what they may do in the one that there is.

    Raises:
        HomeError: It cannot be made, or belongs to somebody else.
    """
    home.create()
    mode = S_IMODE(home.root.stat().st_mode)
    if mode & ~PRIVATE:
        try:
            home.root.chmod(PRIVATE)
        except OSError as exc:
            raise HomeError(
                f"{str(home.root)!r} is open to others and cannot be closed ({exc.strerror}): "
                "run this as its owner, or choose another folder"
            ) from exc


def _exists(path: Path) -> bool:
    return os.path.lexists(path)
