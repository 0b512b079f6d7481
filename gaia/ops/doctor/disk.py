"""Whether there is room on the disk that the home lies on."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from gaia.findings import Check, Finding, failed, ok, warning
from gaia.ops.doctor import home as home_folder
from gaia.paths import Home

NAME = "disk"
MEGABYTE = 1024 * 1024
LEAST_BYTES = 100 * MEGABYTE
"""SQLite needs room for a rewrite of its files, and logs are kept."""
LITTLE_BYTES = 1024 * MEGABYTE


def disk_check(home: Home, *, least: int = LEAST_BYTES, little: int = LITTLE_BYTES) -> Check:
    """The check of the free space."""

    async def look() -> Sequence[Finding]:
        return [await asyncio.to_thread(_look, home, least, little)]

    return Check(NAME, look, needs=(home_folder.NAME,))


def _look(home: Home, least: int, little: int) -> Finding:
    free = shutil.disk_usage(home.root).free
    if free >= little:
        return ok(f"{_size(free)} are free")
    detail = f"only {_size(free)} are free where {home.root} lies"
    tell = failed if free < least else warning
    return tell(detail, f"Free some space. {_what_takes_room(home)}")


def _what_takes_room(home: Home) -> str:
    folders = (home.models, home.backups, home.logs, home.memory)
    sizes = sorted(((_total(folder), folder) for folder in folders), reverse=True)
    names = [f"{_size(size)} in {folder}" for size, folder in sizes if size > MEGABYTE]
    return f"gaia has {', '.join(names)}." if names else "It is not gaia that takes it."


def _total(folder: Path) -> int:
    """The bytes of all files below a folder; those that go meanwhile count as none."""
    total = 0
    for root, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(root, name)).st_size  # noqa: PTH118
            except OSError:
                continue
    return total


def _size(count: int) -> str:
    if count >= 1024 * MEGABYTE:
        return f"{count / (1024 * MEGABYTE):,.1f} GB"
    return f"{count / MEGABYTE:,.0f} MB"
