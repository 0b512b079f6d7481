"""What gaia doctor says of backups."""

import shutil
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from gaia.findings import Finding, Outcome
from gaia.ops.backup.archives import archive_name
from gaia.ops.doctor.backups import backup_check
from gaia.paths import Home
from gaia.settings.schema import BackupSettings
from gaia.store import audit, job_runs
from gaia.store.audit import Action
from gaia.store.opener import open_database
from gaia.testing.clock import START, FakeClock

DAY = timedelta(days=1)
DEFAULTS = BackupSettings()


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    home = Home(tmp_path / "home")
    shutil.copytree(fresh_home.root, home.root)
    home.backups.mkdir(exist_ok=True)
    return home


def put_archive(home: Home, days_ago: int) -> None:
    name = archive_name(START - days_ago * DAY, nightly=True, encrypted=False)
    (home.backups / name).write_text("content")


async def note_run(home: Home, days_ago: int, error: str = "") -> None:
    at = START - days_ago * DAY
    database = await open_database(home)
    with database.writing() as session:
        job_runs.expect(session, "backup", at)
        job_runs.begin(session, "backup", due_at=at, now=at)
        job_runs.finish(session, "backup", at, error=error)
    await database.close()


async def look(home: Home, settings: BackupSettings = DEFAULTS) -> Sequence[Finding]:
    return await backup_check(home, settings, FakeClock()).look()


async def the_one(home: Home, settings: BackupSettings = DEFAULTS) -> tuple[Outcome, str]:
    (finding,) = await look(home, settings)
    return finding.outcome, finding.detail


async def test_a_recent_one_is_well(home: Home) -> None:
    put_archive(home, 3)
    put_archive(home, 1)
    await note_run(home, 1)
    assert await the_one(home) == (Outcome.OK, "2, the last one from 1 d 0 h ago")


async def test_before_the_first_night_there_is_none(home: Home) -> None:
    assert await the_one(home) == (
        Outcome.OK,
        "none yet; the next at 03:00 if gaia runs",
    )


async def test_where_none_are_wanted_that_is_said(home: Home) -> None:
    told = await the_one(home, BackupSettings(enabled=False, folder="/nowhere"))
    assert told == (Outcome.OK, "there is none, made by hand only (backup.enabled is false)")


async def test_a_failed_run_is_told_with_its_error(home: Home) -> None:
    put_archive(home, 1)
    await note_run(home, 0, error="BackupError: the disk is full")
    outcome, detail = await the_one(home)
    assert outcome is Outcome.WARNING
    assert detail == "the last backup, 0 s ago, failed: BackupError: the disk is full"


async def test_old_ones_are_told_while_gaia_has_been_up(home: Home) -> None:
    put_archive(home, 5)
    await note_run(home, 1)
    outcome, detail = await the_one(home)
    assert (outcome, detail[:34]) == (Outcome.WARNING, "the last one is 5 d 0 h ago, thoug")


async def test_old_ones_of_a_gaia_that_was_off_are_no_trouble(home: Home) -> None:
    put_archive(home, 5)
    await note_run(home, 5)
    assert await the_one(home) == (Outcome.OK, "1, the last one from 5 d 0 h ago")


async def test_one_that_is_dated_later_than_now_is_told(home: Home) -> None:
    put_archive(home, -400)
    await note_run(home, 1)
    ahead, missing = await look(home)
    assert ahead.outcome is missing.outcome is Outcome.WARNING
    assert ahead.detail.endswith("is dated later than now")
    assert missing.detail == "there is no backup, though one was made 1 d 0 h ago"


async def test_a_folder_that_is_not_there_is_a_fault(home: Home, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    assert await the_one(home, BackupSettings(folder=str(disk))) == (
        Outcome.FAILED,
        f"there is no folder {disk}",
    )


async def test_too_little_room_is_told(home: Home) -> None:
    with home.database.open("r+b") as file:
        file.truncate(1 << 43)
    (finding,) = await backup_check(home, DEFAULTS, FakeClock()).look()
    assert finding.outcome is Outcome.WARNING
    assert "MB are free on the disk of" in finding.detail


async def test_those_that_hold_what_was_forgotten_are_told(home: Home) -> None:
    put_archive(home, 0)
    database = await open_database(home)
    with database.writing() as session:
        audit.record(session, Action.FORGOTTEN, at=START, by=audit.GAIA)
    await database.close()
    outcome, detail = await the_one(home)
    assert outcome is Outcome.WARNING
    assert "may contain what somebody asked to forget since" in detail
