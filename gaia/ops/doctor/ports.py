"""Whether gaia has the ports that the settings give it: its own while it runs, and free
while it does not."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Sequence
from functools import partial

from gaia.bounded_http import FAULTS, ask
from gaia.findings import Check, Finding, failed, ok, skipped, warning
from gaia.ops.doctor.daemon import Daemon
from gaia.settings.places import place
from gaia.settings.schema import Settings

ANSWER_SECONDS = 5.0
WEB_PATH = "readyz"
METRICS_PATH = "metrics"
READY = b'{"ready":'
METRIC = b"# HELP "


def port_checks(settings: Settings, daemon: Daemon) -> Sequence[Check]:
    """The checks of the ports that are switched on."""
    web, metrics = settings.web, settings.metrics
    checks = []
    if web.enabled:
        look = partial(_look, daemon, web.host, web.port, "web.port", WEB_PATH, READY)
        checks.append(Check("web port", look))
    if metrics.enabled:
        sign = partial(
            _look, daemon, metrics.host, metrics.port, "metrics.port", METRICS_PATH, METRIC
        )
        checks.append(Check("metrics port", sign))
    return checks


async def _look(
    daemon: Daemon, host: str, port: int, setting: str, path: str, sign: bytes
) -> Sequence[Finding]:
    """`sign` is how an answer of gaia's at `path` begins."""
    if port == 0:
        return [skipped(f"{setting} is 0, any free port: the log says which it is")]
    if await daemon.runs():
        return [await _ours(place(host, port), setting, path, sign)]
    return [await asyncio.to_thread(_free, host, port, setting)]


async def _ours(where: str, setting: str, path: str, sign: bytes) -> Finding:
    try:
        answer = await ask("GET", f"http://{where}/{path}", headers={}, seconds=ANSWER_SECONDS)
    except FAULTS as exc:
        return warning(
            f"gaia runs, and nothing answers at {where} ({type(exc).__name__})",
            f"One that a 'gaia chat' hosts has no port. Otherwise restart gaia if {setting} "
            "was changed.",
        )
    if not answer.body.startswith(sign):
        return failed(
            f"something else than gaia answers at {where}",
            f"Set {setting} to a free port, or stop what has it.",
        )
    return ok(f"{where} is gaia's")


def _free(host: str, port: int, setting: str) -> Finding:
    """Listening is the only proof; nobody is served meanwhile."""
    where = place(host, port)
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            probe.listen()
    except OSError as exc:
        return _taken(exc, where, setting)
    return ok(f"{where} is free for gaia")


def _taken(exc: OSError, where: str, setting: str) -> Finding:
    match exc.errno:
        case errno.EADDRINUSE:
            remedy = f"Set {setting} to a free port, or stop what has it: ss -ltnp shows that."
            return failed(f"another program has {where}", remedy)
        case errno.EACCES:
            remedy = f"Set {setting} to one above 1023."
            return failed(f"{where} is not for this user", remedy)
    host_setting = setting.replace("port", "host")
    remedy = f"Set {host_setting} to an address of this machine, such as 127.0.0.1."
    return failed(f"nobody can listen on {where} ({exc.strerror or exc})", remedy)
