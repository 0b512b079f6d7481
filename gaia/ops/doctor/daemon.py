"""Whether the daemon runs, and what it says of its parts."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from gaia import __version__
from gaia.bounded_http import FAULTS, ask
from gaia.errors import GaiaError, NotRunningError
from gaia.findings import Check, Finding, failed, ok, skipped, warning
from gaia.messages import Health
from gaia.ops.doctor import home as home_folder
from gaia.ops.report import PartStatus, StatusReport
from gaia.settings.schema import Settings
from gaia.settings.urls import place
from gaia.text import duration

NAME = "daemon"
LOOK_FURTHER = "'gaia status' shows the full report, and the log in the home has details."
ANSWER_SECONDS = 5.0
WEB_PATH = "readyz"
METRICS_PATH = "metrics"
READY = b'{"ready":'
METRIC = b"# HELP "
START = "'gaia chat' runs it for as long as you talk, 'gaia serve' until you end it."


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
        channels = report.channels if report else ()
        told = (Health(each.ok, each.detail) for each in channels if each.name == name)
        return next(told, None)

    def check(self, *, may_rest: bool = False) -> Check:
        """The check that tells how it is. One that `may_rest` runs as long as a chat does: then
        that it does not run is no failure."""
        return Check(NAME, partial(self._look, may_rest), needs=(home_folder.NAME,))

    async def _look(self, may_rest: bool) -> Sequence[Finding]:
        answer = await self._answered()
        if may_rest and isinstance(answer, NotRunningError) and not await self.runs():
            return [warning("gaia does not run: reminders wait, and what is to be learned", START)]
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
        yield warning("gaia is starting or stopping", "Check again in a moment.")
    vital = {report.store.name, *(channel.name for channel in report.channels)}
    for part in report.degraded:
        tell = failed if part.name in vital else warning
        yield tell(_words(part), LOOK_FURTHER)


def _words(part: PartStatus) -> str:
    if part.name == "settings":
        return f"not all settings are in use: {part.detail}"
    if part.name == "budget":
        return part.detail
    verb = "failed" if part.name.startswith("job ") else "does not work"
    return f"{part.name} {verb}: {part.detail}"


def port_checks(settings: Settings, daemon: Daemon) -> Sequence[Check]:
    """The checks of the ports that are switched on."""
    ports = (
        ("web", settings.web, WEB_PATH, READY),
        ("metrics", settings.metrics, METRICS_PATH, METRIC),
    )
    return [
        Check(
            f"{name} port",
            partial(_look_at_port, daemon, block.host, block.port, f"{name}.port", path, sign),
        )
        for name, block, path, sign in ports
        if block.enabled
    ]


async def _look_at_port(
    daemon: Daemon, host: str, port: int, setting: str, path: str, sign: bytes
) -> Sequence[Finding]:
    """`sign` is how an answer of gaia's at `path` begins."""
    if port == 0:
        return [skipped(f"{setting} is 0, any free port: the log says which it is")]
    if await daemon.runs():
        return [await _our_port(place(host, port), setting, path, sign)]
    return [await asyncio.to_thread(_free_port, host, port, setting)]


async def _our_port(where: str, setting: str, path: str, sign: bytes) -> Finding:
    try:
        answer = await ask("GET", f"http://{where}/{path}", headers={}, seconds=ANSWER_SECONDS)
    except FAULTS as exc:
        return warning(
            f"gaia runs, but nothing answers at {where} ({type(exc).__name__})",
            f"One that a 'gaia chat' hosts has no port. Otherwise restart gaia if {setting} "
            "was changed.",
        )
    if not answer.body.startswith(sign):
        return failed(
            f"something other than gaia answers at {where}",
            f"Set {setting} to a free port, or stop the program that uses it.",
        )
    return ok(f"{where} is gaia's")


def _free_port(host: str, port: int, setting: str) -> Finding:
    """Listening is the only proof; nobody is served meanwhile."""
    where = place(host, port)
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            probe.listen()
    except OSError as exc:
        return _taken_port(exc, where, setting)
    return ok(f"{where} is free for gaia")


def _taken_port(exc: OSError, where: str, setting: str) -> Finding:
    match exc.errno:
        case errno.EADDRINUSE:
            remedy = (
                f"Set {setting} to a free port, or stop the program that uses it: see ss -ltnp."
            )
            return failed(f"another program uses {where}", remedy)
        case errno.EACCES:
            remedy = f"Set {setting} to one above 1023."
            return failed(f"this user may not use {where}", remedy)
    host_setting = setting.replace("port", "host")
    remedy = f"Set {host_setting} to an address of this machine, such as 127.0.0.1."
    return failed(f"gaia cannot listen on {where} ({exc.strerror or exc})", remedy)
