"""What the running daemon tells of itself, as findings."""

from __future__ import annotations

import pytest

from gaia import __version__
from gaia.errors import NotRunningError
from gaia.findings import Finding, Outcome
from gaia.ops.doctor.daemon import Daemon
from gaia.ops.report import ChannelStatus, JobStatus, ModelStatus, StatusReport
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
        (Outcome.WARNING, "the files are not taken up: web.port is -1"),
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
