"""How long the backups that gaia makes by itself are kept. Those of its owner stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from gaia.ops.backup.archives import Archive
from gaia.settings.schema import BackupSettings


def outlived(
    archives: Sequence[Archive], settings: BackupSettings, now: datetime
) -> Sequence[Archive]:
    """Those of the archives that need not be kept any longer.

    Kept are the nightly ones of the last days, of the weeks before that the last one of
    each calendar week, and the newest one, however old it is.
    """
    nightly = sorted(
        (each for each in archives if each.is_nightly), key=lambda each: each.taken_at, reverse=True
    )
    days = timedelta(days=settings.keep_days)
    longest = days + timedelta(weeks=settings.keep_weeks)
    weeks: set[tuple[int, int]] = set()
    going = []
    for archive in nightly[1:]:
        age = now - archive.taken_at
        if age < days:
            continue
        year, week, _ = archive.taken_at.isocalendar()
        if age >= longest or (year, week) in weeks:
            going.append(archive)
        weeks.add((year, week))
    return going
