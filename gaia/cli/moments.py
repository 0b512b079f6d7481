"""A moment in the past, as `--since` of a command names it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import typer

DURATION = re.compile(r"(?=.)(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?")


def time_of(text: str) -> datetime | None:
    """The moment that a text names, which is so long ago or a date; None for no text.

    Raises:
        typer.BadParameter: It is neither.
    """
    if not text:
        return None
    from gaia.clock import SystemClock

    try:
        if found := DURATION.fullmatch(text.strip().lower()):
            days, hours, minutes, seconds = (int(each or 0) for each in found.groups())
            return SystemClock().now() - timedelta(days, seconds, 0, 0, minutes, hours)
        return datetime.fromisoformat(text.strip()).astimezone()
    except (ValueError, OverflowError) as exc:
        raise typer.BadParameter(
            f"{text!r} is no time: write 90s, 30m, 1h30m, 2d, 2026-01-31 or 2026-01-31 18:00",
            param_hint="--since",
        ) from exc
