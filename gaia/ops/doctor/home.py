"""Whether the home folder is there, is its owner's alone, and can be written to."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from gaia.findings import Check, Finding, failed, ok, warning
from gaia.paths import Home

NAME = "home"


def home_check(home: Home) -> Check:
    """The check of the home folder."""

    async def look() -> Sequence[Finding]:
        return _look(home)

    return Check(NAME, look)


def _look(home: Home) -> Sequence[Finding]:
    root = home.root
    try:
        status = root.stat()
    except FileNotFoundError:
        remedy = "Start gaia once with 'gaia serve', or set GAIA_HOME to the folder that it uses."
        return [failed(f"{root} does not exist", remedy)]
    except OSError as exc:
        remedy = "Run this as the user that runs gaia, or set GAIA_HOME to another folder."
        return [failed(f"{root} cannot be looked at ({exc.strerror})", remedy)]
    if not stat.S_ISDIR(status.st_mode):
        remedy = "Move the file away, or set GAIA_HOME to another path."
        return [failed(f"{root} is not a folder", remedy)]
    if not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        remedy = "Run this as the user that runs gaia, or mend the folder's permissions."
        return [failed(f"{root} is not readable and writable by this user", remedy)]
    warnings = list(_exposures(home, status))
    return warnings or [ok(f"{root} is private and writable")]


def _exposures(home: Home, status: os.stat_result) -> Sequence[Finding]:
    found = []
    if status.st_uid != os.getuid():
        remedy = "Run this as that user: what another one writes there, gaia may not read."
        found.append(warning(f"{home.root} belongs to the user with id {status.st_uid}", remedy))
    if mode := stat.S_IMODE(status.st_mode) & 0o077:
        remedy = f"chmod 700 {home.root}"
        detail = f"{home.root} is open to other users of this machine (mode 0{mode | 0o700:o})"
        found.append(warning(detail, remedy, partial(_close, home.root)))
    return found


async def _close(root: Path) -> str:
    await asyncio.to_thread(root.chmod, 0o700)
    return f"{root} is private now"
