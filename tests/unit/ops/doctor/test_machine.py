"""What gaia stands on: disk, versions, time zones, packages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

import gaia
from gaia.findings import Check, Finding, Outcome
from gaia.ops.doctor.machine import (
    Times,
    channels_are_ours,
    disk_check,
    file_system_checks,
    packages_check,
    runtime_checks,
)
from gaia.paths import Home
from gaia.testing.clock import START, FakeClock

OWN_ROOT = str(Path(gaia.__file__).parent.parent)


async def found(check: Check) -> Finding:
    (finding,) = await check.look()
    return finding


@pytest.mark.parametrize(
    ("least", "little", "outcome"),
    [(0, 0, Outcome.OK), (0, 2**60, Outcome.WARNING), (2**60, 2**60, Outcome.FAILED)],
)
async def test_free_space_is_held_against_its_bounds(
    tmp_path: Path, least: int, little: int, outcome: Outcome
) -> None:
    finding = await found(disk_check(Home(tmp_path), least=least, little=little))
    assert finding.outcome is outcome
    assert "free" in finding.detail


async def test_a_full_disk_is_told_with_what_gaia_has_on_it(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.create()
    with (home.models / "model.gguf").open("wb") as file:
        file.truncate(3 * 2**30)
    finding = await found(disk_check(home, least=2**60, little=2**61))
    assert finding.remedy == f"Free some space. gaia has 3.0 GB in {home.models}."


@pytest.mark.parametrize(("kind", "outcome"), [("ext4", Outcome.OK), ("nfs4", Outcome.WARNING)])
async def test_a_disk_of_another_machine_is_a_warning(
    tmp_path: Path, kind: str, outcome: Outcome
) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(f"28 1 259:2 / / rw,relatime shared:1 - {kind} source rw\n")
    (check,) = file_system_checks(Home(tmp_path), table)
    finding = await found(check)
    assert finding.outcome is outcome
    assert kind in finding.detail
    assert ("GAIA_HOME" in finding.remedy) == (outcome is Outcome.WARNING)


async def test_without_a_table_of_mounts_the_file_system_is_not_checked(tmp_path: Path) -> None:
    assert file_system_checks(Home(tmp_path), tmp_path / "none") == []
    (tmp_path / "empty").touch()
    (check,) = file_system_checks(Home(tmp_path), tmp_path / "empty")
    assert (await found(check)).outcome is Outcome.SKIPPED


async def versions(*sqlite: int) -> Finding:
    return await found(runtime_checks(FakeClock(), sqlite_version=sqlite)[0])


async def test_a_sqlite_that_is_too_old_fails() -> None:
    assert (await versions(3, 35, 0)).outcome is Outcome.OK
    finding = await versions(3, 34, 9)
    assert finding.outcome is Outcome.FAILED
    assert "SQLite 3.34.9 is too old" in finding.detail


@pytest.mark.parametrize(
    ("zone", "outcome"),
    [
        ("", Outcome.OK),
        ("Europe/Berlin", Outcome.OK),
        (":Asia/Kolkata", Outcome.OK),
        ("CET-1CEST", Outcome.OK),
        ("/usr/share/zoneinfo/UTC", Outcome.OK),
        ("Europe/Berln", Outcome.WARNING),
    ],
)
async def test_a_time_zone_that_there_is_not_is_a_warning(zone: str, outcome: Outcome) -> None:
    finding = await found(runtime_checks(FakeClock(), {"TZ": zone})[1])
    assert finding.outcome is outcome


def django_channels(folder: Path) -> str:
    (folder / "channels").mkdir(parents=True)
    (folder / "channels" / "__init__.py").touch()
    about = folder / "channels-4.3.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: channels\nVersion: 4.3.1\n")
    return str(folder)


async def packages(search_path: Sequence[str]) -> Finding:
    return await found(packages_check(search_path))


async def test_gaias_own_channels_are_fine() -> None:
    assert (await packages([OWN_ROOT])).outcome is Outcome.OK
    assert channels_are_ours([OWN_ROOT])


async def test_another_package_of_that_name_is_told_whether_or_not_it_comes_first(
    tmp_path: Path,
) -> None:
    other = django_channels(tmp_path / "site-packages")
    first = await packages([other, OWN_ROOT])
    assert first.outcome is Outcome.FAILED
    assert f"is {other}/channels, and not gaia's own" in first.detail
    assert not channels_are_ours([other, OWN_ROOT])
    behind = await packages([OWN_ROOT, other])
    assert behind.outcome is Outcome.FAILED
    assert "environment of its own" in behind.remedy


async def test_channels_that_are_missing_are_told(tmp_path: Path) -> None:
    assert "is not there" in (await packages([str(tmp_path)])).detail


async def found_of_clock(*ahead: timedelta) -> Finding:
    """What is found where this machine is so much ahead of each host."""
    times = Times(FakeClock())
    for number, each in enumerate(ahead):
        times.heard(f"h{number}.example", format_datetime(START - each, usegmt=True))
    (finding,) = await times.check().look()
    return finding


async def test_a_clock_that_is_right_by_one_host_is_right() -> None:
    assert (
        await found_of_clock(timedelta(days=400), timedelta(seconds=-119))
    ).outcome is Outcome.OK


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        (timedelta(seconds=121), "2 min ahead of that of h0.example"),
        (timedelta(days=-1, hours=-3), "1 d 3 h behind that of h0.example"),
    ],
)
async def test_a_clock_that_is_wrong_by_all_of_them_fails(ahead: timedelta, said: str) -> None:
    finding = await found_of_clock(ahead)
    assert finding.outcome is Outcome.FAILED
    assert finding.detail == f"this machine's clock is {said}"
    assert "timedatectl" in finding.remedy


async def test_without_anybody_who_told_the_time_nothing_is_known() -> None:
    assert (await found_of_clock()).outcome is Outcome.SKIPPED
    times = Times(FakeClock())
    times.heard("a.example", "")
    times.heard("a.example", "tomorrow")
    assert (await times.check().look())[0].outcome is Outcome.SKIPPED
