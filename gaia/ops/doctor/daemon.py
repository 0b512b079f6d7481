"""Whether the daemon runs, and what it says of its parts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

from gaia import __version__
from gaia.findings import Check, Finding, failed, ok, warning
from gaia.ops.doctor import home as home_folder
from gaia.ops.report import StatusReport
from gaia.ops.status_text import duration

NAME = "daemon"
LOOK_FURTHER = "'gaia status' has the whole report, and the log in the home says more."


def daemon_check(ask: Callable[[], StatusReport]) -> Check:
    """The check of the running daemon. `ask` gets its report, blocks meanwhile, and raises
    a `GaiaError` that says why there is none."""

    async def look() -> Sequence[Finding]:
        report = await asyncio.to_thread(ask)
        return list(_troubles(report)) or [_well(report)]

    return Check(NAME, look, needs=(home_folder.NAME,))


def _well(report: StatusReport) -> Finding:
    up = duration(report.uptime_seconds)
    return ok(f"gaia {report.version} runs as process {report.pid}, up {up}")


def _troubles(report: StatusReport) -> Iterator[Finding]:
    """A channel or the store that does not work keeps gaia from serving; without any of
    its other parts it goes on, less well."""
    if report.version != __version__:
        detail = f"version {report.version} runs, and version {__version__} is installed"
        yield warning(detail, "Restart gaia.")
    if not report.ready:
        yield warning("gaia is starting or ending", "Look again in a moment.")
    vital = {report.store, *report.channels}
    for part in report.degraded:
        tell = failed if part in vital else warning
        yield tell(f"{part.name} does not work: {part.detail}", LOOK_FURTHER)
