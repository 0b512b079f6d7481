"""Whether the running gaia goes by what stands in gaia.yaml and `.env` now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from gaia.errors import SettingsError
from gaia.findings import Check, Finding, Mend, ok, skipped, warning
from gaia.ops.doctor.daemon import Daemon
from gaia.ops.settings_report import ReloadReport
from gaia.ops.words import counted, duration

NAME = "settings in use"
MOST_NAMED = 5

Ask = Callable[[], ReloadReport]
"""Asks the daemon, and blocks meanwhile. Raises a `GaiaError` that says why it cannot be."""


def settings_check(daemon: Daemon, differences: Ask, reload: Ask) -> Check:
    """The check. `differences` is what a reload would change, `reload` does it."""

    async def look() -> Sequence[Finding]:
        report = await daemon.report()
        if report is None:
            return [skipped("gaia does not run, or is too busy to tell")]
        if not report.settings.ok:
            return [skipped("the files cannot be taken up: see what the daemon says")]
        found = await asyncio.to_thread(differences)
        if found.problem:
            return [skipped("the files cannot be taken up: see what the configuration says")]
        if not found.changes:
            since = duration((report.at - report.settings.loaded_at).total_seconds())
            return [ok(f"those of the files, read {since} ago")]
        return [_told(found, mend)]

    async def mend() -> str:
        done = await asyncio.to_thread(reload)
        if done.problem:
            raise SettingsError(done.problem)
        return f"gaia has taken up {counted(len(done.changes), 'setting', 'settings')}"

    return Check(NAME, look)


def _told(found: ReloadReport, mend: Mend) -> Finding:
    names = [change.key for change in found.changes]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return warning(
        f"gaia runs with another value of {', '.join(names[:MOST_NAMED])}{more} than the files say",
        "gaia config reload",
        mend,
    )
