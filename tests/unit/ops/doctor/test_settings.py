from __future__ import annotations

import pytest

from gaia.errors import NotRunningError, SettingsError
from gaia.findings import Finding, Outcome
from gaia.ops.doctor.daemon import Daemon
from gaia.ops.doctor.settings import MOST_NAMED, settings_check
from gaia.ops.report import StatusReport
from gaia.ops.wire import ChangeReport, ReloadReport
from gaia.testing.clock import START
from tests.harness.reports import WELL

PORT = ChangeReport(key="web.port", before=1, after=2, effect="at once")


async def found(
    differences: ReloadReport,
    *,
    report: StatusReport = WELL,
    reloaded: ReloadReport | None = None,
) -> Finding:
    daemon = Daemon(lambda: report, lambda: True)
    check = settings_check(daemon, lambda: differences, lambda: reloaded or differences)
    (finding,) = await check.look()
    return finding


async def test_a_gaia_that_goes_by_the_files_is_fine() -> None:
    finding = await found(ReloadReport())
    assert finding.outcome is Outcome.OK
    assert finding.detail == "those of the files, read 2 h 0 min ago"


async def test_what_the_files_say_otherwise_is_named_and_taken_up() -> None:
    finding = await found(ReloadReport(changes=(PORT,)))
    assert finding.outcome is Outcome.WARNING
    assert "another value of web.port than the files say" in finding.detail
    assert finding.mend is not None
    assert await finding.mend() == "gaia has taken up 1 setting"


async def test_many_of_them_are_counted_and_no_value_is_shown() -> None:
    many = tuple(
        PORT.model_copy(update={"key": f"k{number}", "after": "canary"})
        for number in range(MOST_NAMED + 2)
    )
    finding = await found(ReloadReport(changes=many))
    assert "k4 and 2 more" in finding.detail
    assert "canary" not in finding.detail


async def test_files_that_cannot_be_taken_up_are_told_elsewhere() -> None:
    wrong = WELL.settings.model_copy(update={"ok": False, "detail": "web.port"})
    report = WELL.model_copy(update={"settings": wrong, "at": START})
    assert (await found(ReloadReport(), report=report)).outcome is Outcome.SKIPPED
    assert (await found(ReloadReport(problem="web.port"))).outcome is Outcome.SKIPPED


async def test_a_reload_that_is_refused_mends_nothing() -> None:
    refused = ReloadReport(problem="web.port is -1")
    finding = await found(ReloadReport(changes=(PORT,)), reloaded=refused)
    assert finding.mend is not None
    with pytest.raises(SettingsError, match=r"web\.port is -1"):
        await finding.mend()


async def test_without_a_running_gaia_there_is_nothing_to_tell() -> None:
    def ask() -> StatusReport:
        raise NotRunningError("gaia does not run: start it")

    check = settings_check(
        Daemon(ask, lambda: False), lambda: pytest.fail("asked"), lambda: pytest.fail("asked")
    )
    assert [finding.outcome for finding in await check.look()] == [Outcome.SKIPPED]
