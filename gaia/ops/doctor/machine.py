"""What gaia runs on: Python, SQLite, the time zone, the clock, the disk, and whether the package
`channels` is gaia's own."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import gaia
from gaia.findings import Check, Finding, failed, ok, skipped, warning
from gaia.ops import mounts
from gaia.ops.doctor import home as home_folder
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store.location import in_file
from gaia.text import duration

OLDEST_SQLITE = (3, 35, 0)
"""The first with RETURNING, which SQLAlchemy uses."""

PROBE_ZONE = "Europe/Berlin"
CLOCK = "clock"

TOLERANCE = timedelta(minutes=2)
"""TLS, Twilio's signatures and reminders stand so much."""

PACKAGES = "packages"
CHANNELS = "channels"
REMEDY = "Install gaia into an environment of its own, without the package channels (Django's)."
DISK = "disk"
FILE_SYSTEM = "file system"
MEGABYTE = 1024 * 1024

LEAST_BYTES = 100 * MEGABYTE
"""SQLite needs room for a rewrite of its files, and logs are kept."""

LITTLE_BYTES = 1024 * MEGABYTE


def runtime_checks(
    clock: Clock,
    environ: Mapping[str, str] = os.environ,
    sqlite_version: Sequence[int] = sqlite3.sqlite_version_info,
) -> Sequence[Check]:
    """The checks of versions, and of time zones."""

    async def look_at_versions() -> Sequence[Finding]:
        return [_versions(sqlite_version)]

    async def look_at_zone() -> Sequence[Finding]:
        return [_zone(clock.now(), environ)]

    return [Check("versions", look_at_versions), Check("time zone", look_at_zone)]


def _versions(sqlite_version: Sequence[int]) -> Finding:
    sqlite = ".".join(map(str, sqlite_version))
    if tuple(sqlite_version) < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        return failed(
            f"SQLite {sqlite} is too old for gaia", f"Use a Python with SQLite {oldest} or later."
        )
    return ok(f"Python {platform.python_version()}, SQLite {sqlite}, {platform.system()}")


def _zone(now: datetime, environ: Mapping[str, str]) -> Finding:
    """Reminders, days of costs and what the model takes for today go by the machine's zone."""
    named = environ.get("TZ", "").lstrip(":")
    if not _is_known(PROBE_ZONE):
        return warning(
            "there is no time zone database: the model cannot tell the time elsewhere",
            "Install it: the package tzdata.",
        )
    if "/" in named and not named.startswith("/") and not _is_known(named):
        return warning(
            f"TZ is {named!r}, which is not a time zone: UTC is used",
            "Set TZ to one such as Europe/Berlin, or remove it.",
        )
    return ok(f"it is {now.astimezone():%H:%M} here, {now.astimezone():%Z}")


def _is_known(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class _HostTime:
    """What time a host said it was, and how far this machine's clock is ahead of that."""

    host: str
    ahead: timedelta


class Times:
    """Collects the times that hosts tell. One of them may be wrong: the one that is nearest
    to this machine's counts."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told: list[_HostTime] = []

    def heard(self, host: str, date: str) -> None:
        """Note the header `Date` of a host's answer, which has just come."""
        try:
            time = parsedate_to_datetime(date)
        except ValueError:
            return
        aware = time if time.tzinfo else time.replace(tzinfo=UTC)
        self._told.append(_HostTime(host, self._clock.now() - aware))

    def check(self) -> Check:
        """The check, to be run after those that ask hosts."""
        return Check(CLOCK, self._look)

    async def _look(self) -> Sequence[Finding]:
        if not self._told:
            return [skipped("no server was asked for the time")]
        nearest = min(self._told, key=lambda told: abs(told.ahead))
        if abs(nearest.ahead) <= TOLERANCE:
            return [ok(f"right by that of {nearest.host}")]
        off = duration(abs(nearest.ahead).total_seconds())
        side = "ahead of" if nearest.ahead > timedelta() else "behind"
        return [
            failed(
                f"this machine's clock is {off} {side} that of {nearest.host}",
                "Synchronise it over the network: timedatectl set-ntp true",
            )
        ]


def packages_check(search_path: Sequence[str] | None = None) -> Check:
    """The check of what is imported as `channels`."""

    async def look() -> Sequence[Finding]:
        return [_look_for_channels(sys.path if search_path is None else search_path)]

    return Check(PACKAGES, look)


def channels_are_ours(search_path: Sequence[str] | None = None) -> bool:
    """Whether gaia's channels can be imported."""
    return _first_channels(sys.path if search_path is None else search_path) == _own_folder()


def _look_for_channels(search_path: Sequence[str]) -> Finding:
    found = _first_channels(search_path)
    if found != _own_folder():
        where = f"is {found}" if found else "is not there"
        return failed(f"the package 'channels' {where}, and not gaia's own", REMEDY)
    others = metadata.distributions(name=CHANNELS, path=list(search_path))
    if any(each.metadata["Name"] == CHANNELS for each in others):
        return failed("another distribution has a package 'channels' as well", REMEDY)
    return ok(f"gaia {gaia.__version__} in {_own_folder().parent}")


def _own_folder() -> Path:
    return Path(gaia.__file__).parent.parent / CHANNELS


def _first_channels(search_path: Sequence[str]) -> Path | None:
    spec = PathFinder.find_spec(CHANNELS, list(search_path))
    return Path(spec.origin).parent if spec and spec.origin else None


def disk_check(home: Home, *, least: int = LEAST_BYTES, little: int = LITTLE_BYTES) -> Check:
    """The check of the free space."""
    look = partial(asyncio.to_thread, _look_at_disk, home, least, little)
    return Check(DISK, look, needs=(home_folder.NAME,))


def file_system_checks(home: Home, table: Path = mounts.MOUNTS) -> Sequence[Check]:
    """The check of what the home lies on, where the system tells that."""
    look = partial(asyncio.to_thread, _look_at_mount, home, table)
    matters = table.exists() and in_file(home)
    return [Check(FILE_SYSTEM, look, needs=(home_folder.NAME,))] if matters else []


def _look_at_mount(home: Home, table: Path) -> Sequence[Finding]:
    mount = mounts.mount_below(home, table)
    if problem := mounts.problem(home, mount):
        return [warning(problem, mounts.remedy(home))]
    return [ok(f"SQLite may use {mount.kind}") if mount else skipped("it is not in the mounts")]


def _look_at_disk(home: Home, least: int, little: int) -> Sequence[Finding]:
    free = shutil.disk_usage(home.root).free
    if free >= little:
        return [ok(f"{_size_of(free)} are free")]
    detail = f"only {_size_of(free)} are free on the disk of {home.root}"
    tell = failed if free < least else warning
    return [tell(detail, f"Free some space. {_what_takes_room(home)}")]


def _what_takes_room(home: Home) -> str:
    folders = (home.models, home.backups, home.logs, home.memory)
    sizes = sorted(((_total(folder), folder) for folder in folders), reverse=True)
    names = [f"{_size_of(size)} in {folder}" for size, folder in sizes if size > MEGABYTE]
    return f"gaia has {', '.join(names)}." if names else "gaia does not use it."


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


def _size_of(count: int) -> str:
    if count >= 1024 * MEGABYTE:
        return f"{count / (1024 * MEGABYTE):,.1f} GB"
    return f"{count / MEGABYTE:,.0f} MB"
