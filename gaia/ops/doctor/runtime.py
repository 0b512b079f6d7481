"""What gaia runs on: Python, SQLite, the time zone."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from gaia.findings import Check, Finding, failed, ok, warning
from gaia.ports import Clock

OLDEST_SQLITE = (3, 35, 0)
"""The first with RETURNING, which SQLAlchemy uses."""

PROBE_ZONE = "Europe/Berlin"


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
            "there is no time zone database: the model knows the time of no other place",
            "Install it: the package tzdata.",
        )
    if "/" in named and not named.startswith("/") and not _is_known(named):
        return warning(
            f"TZ is {named!r}, which is no time zone: the time is taken for UTC",
            "Set TZ to one such as Europe/Berlin, or remove it.",
        )
    return ok(f"it is {now.astimezone():%H:%M} here, {now.astimezone():%Z}")


def _is_known(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
