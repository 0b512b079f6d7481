"""Whether the daemon runs, and what it says of its parts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

from gaia import __version__
from gaia.errors import GaiaError
from gaia.findings import Check, Finding, failed, ok, warning
from gaia.messages import Health
from gaia.ops.doctor import home as home_folder
from gaia.ops.report import PartStatus, StatusReport
from gaia.ops.words import duration

NAME = "daemon"
LOOK_FURTHER = "'gaia status' has the whole report, and the log in the home says more."


class Daemon:
    """What the daemon says of itself, asked once, for the checks that want to know.

    `ask` gets its report, blocks meanwhile, and raises a `GaiaError` that says why there
    is none. `listens` tells whether somebody is behind the control socket at all.
    """

    def __init__(self, ask: Callable[[], StatusReport], listens: Callable[[], bool]) -> None:
        self._ask = ask
        self._listens = listens
        self._answer: StatusReport | GaiaError | None = None

    async def report(self) -> StatusReport | None:
        """Its report; None if it gives none."""
        answer = await self._answered()
        return answer if isinstance(answer, StatusReport) else None

    async def runs(self) -> bool:
        """Whether one runs, be it too busy to answer."""
        return await self.report() is not None or await asyncio.to_thread(self._listens)

    async def channel(self, name: str) -> Health | None:
        """How it says that a channel is; None if it gives no report, or has no such channel."""
        report = await self.report()
        found = (
            next((each for each in report.channels if each.name == name), None) if report else None
        )
        return Health(found.ok, found.detail) if found else None

    def check(self) -> Check:
        """The check that tells how it is."""
        return Check(NAME, self._look, needs=(home_folder.NAME,))

    async def _look(self) -> Sequence[Finding]:
        answer = await self._answered()
        if isinstance(answer, GaiaError):
            raise answer
        return list(_troubles(answer)) or [_well(answer)]

    async def _answered(self) -> StatusReport | GaiaError:
        if self._answer is None:
            try:
                self._answer = await asyncio.to_thread(self._ask)
            except GaiaError as exc:
                self._answer = exc
        return self._answer


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
    vital = {report.store.name, *(channel.name for channel in report.channels)}
    for part in report.degraded:
        tell = failed if part.name in vital else warning
        yield tell(_words(part), LOOK_FURTHER)


def _words(part: PartStatus) -> str:
    if part.name == "settings":
        return f"the files are not taken up: {part.detail}"
    if part.name == "budget":
        return part.detail
    verb = "failed" if part.name.startswith("job ") else "does not work"
    return f"{part.name} {verb}: {part.detail}"
