"""What the running daemon tells of itself, as findings."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from gaia import __version__
from gaia.errors import NotRunningError
from gaia.findings import Finding, Outcome
from gaia.ops.doctor.daemon import Daemon, port_checks
from gaia.ops.report import ChannelStatus, JobStatus, ModelStatus, StatusReport
from gaia.settings.schema import MetricsSettings, Settings, WebSettings
from gaia.settings.urls import place
from tests.harness.reports import WELL


async def found(**changes: object) -> list[Finding]:
    report = WELL.model_copy(update=changes)
    return list(await Daemon(lambda: report, lambda: True).check().look())


async def test_a_daemon_that_is_well_is_one_line() -> None:
    (finding,) = await found()
    assert finding.outcome is Outcome.OK
    assert finding.detail == f"gaia {__version__} runs as process 42, up 2 h 10 min"


async def test_a_channel_that_does_not_work_fails_and_a_model_is_a_warning() -> None:
    broken = ChannelStatus(name="telegram", ok=False, detail="no network")
    slow = ModelStatus(name="gemini", ok=False, detail="HTTP 503")
    findings = await found(model=slow, channels=(broken,))
    assert [(each.outcome, each.detail) for each in findings] == [
        (Outcome.WARNING, "gemini does not work: HTTP 503"),
        (Outcome.FAILED, "telegram does not work: no network"),
    ]


async def test_files_that_are_not_taken_up_and_jobs_that_failed_are_warnings() -> None:
    settings = WELL.settings.model_copy(update={"ok": False, "detail": "web.port is -1"})
    job = JobStatus(name="backup", state="failed", error="disk full")
    assert [
        (each.outcome, each.detail) for each in await found(settings=settings, jobs=(job,))
    ] == [
        (Outcome.WARNING, "not all settings are in use: web.port is -1"),
        (Outcome.WARNING, "job backup failed: disk full"),
    ]


async def test_a_daemon_of_another_version_has_to_be_restarted() -> None:
    (finding,) = await found(version="0.0.1")
    assert (finding.outcome, finding.remedy) == (Outcome.WARNING, "Restart gaia.")


async def test_a_daemon_that_is_not_ready_is_a_warning() -> None:
    (finding,) = await found(ready=False)
    assert finding.outcome is Outcome.WARNING


async def test_that_none_runs_is_left_to_the_error() -> None:
    def ask() -> StatusReport:
        raise NotRunningError("gaia does not run: start it")

    with pytest.raises(NotRunningError):
        await Daemon(ask, lambda: False).check().look()


async def test_a_daemon_is_asked_once_and_one_that_is_too_busy_runs_all_the_same() -> None:
    asked: list[str] = []

    def ask() -> StatusReport:
        asked.append("asked")
        raise NotRunningError("gaia did not answer within 10 s: try again")

    daemon = Daemon(ask, lambda: True)
    assert await daemon.report() is None
    assert await daemon.runs()
    assert not await Daemon(ask, lambda: False).runs()
    with pytest.raises(NotRunningError, match="within 10 s"):
        await daemon.check().look()
    assert len(asked) == 2


async def found_at_ports(port: int, *, runs: bool, host: str = "127.0.0.1") -> Finding:
    def ask() -> StatusReport:
        raise NotRunningError("gaia did not answer within 10 s: try again")

    settings = Settings(web=WebSettings(host=host, port=port))
    (check,) = port_checks(settings, Daemon(ask, lambda: runs))
    (finding,) = await check.look()
    return finding


@asynccontextmanager
async def answering(body: bytes) -> AsyncIterator[int]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 503 X\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        answered.set()

    answered = asyncio.Event()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
        await answered.wait()
    finally:
        server.close()


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


async def test_a_free_port_is_fine_while_gaia_does_not_run() -> None:
    port = unused_port()
    assert (await found_at_ports(port, runs=False)).outcome is Outcome.OK
    with socket.create_server(("127.0.0.1", port)):
        pass


async def test_a_port_that_is_taken_fails_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        finding = await found_at_ports(listener.getsockname()[1], runs=False)
    assert finding.outcome is Outcome.FAILED
    assert "another program uses 127.0.0.1:" in finding.detail
    assert "web.port" in finding.remedy


async def test_an_address_of_another_machine_fails() -> None:
    finding = await found_at_ports(unused_port(), runs=False, host="192.0.2.1")
    assert finding.outcome is Outcome.FAILED
    assert "web.host" in finding.remedy


async def test_a_running_gaias_own_port_is_fine_whether_or_not_it_is_ready() -> None:
    async with answering(b'{"ready":false}') as port:
        assert (await found_at_ports(port, runs=True)).outcome is Outcome.OK


async def test_somebody_else_at_a_running_gaias_port_fails() -> None:
    async with answering(b"<h1>It works!</h1>") as port:
        assert (await found_at_ports(port, runs=True)).outcome is Outcome.FAILED


async def test_nobody_at_a_running_gaias_port_is_a_warning() -> None:
    assert (await found_at_ports(unused_port(), runs=True)).outcome is Outcome.WARNING


def test_only_what_is_switched_on_is_looked_at() -> None:
    settings = Settings(web=WebSettings(enabled=False), metrics=MetricsSettings(enabled=True))
    checks = port_checks(settings, Daemon(lambda: pytest.fail("asked"), lambda: False))
    assert [check.name for check in checks] == ["metrics port"]


@pytest.mark.parametrize(
    ("host", "said"),
    [("127.0.0.1", "127.0.0.1:1"), ("0.0.0.0", "127.0.0.1:1"), ("::", "[::1]:1"), ("a", "a:1")],
)
def test_where_a_port_is_reached_from_here(host: str, said: str) -> None:
    assert place(host, 1) == said
