"""Archives by their names, and how long they are kept."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.errors import BackupError
from gaia.ops.backup.archives import Archive, archive_name, archives_in, backup_folder, outlived
from gaia.paths import Home
from gaia.settings.schema import BackupSettings

NOW = datetime(2026, 6, 30, 3, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def nightly(taken_at: datetime, *, is_nightly: bool = True) -> Archive:
    name = archive_name(taken_at, nightly=is_nightly, encrypted=False)
    return Archive(Path(name), taken_at, is_nightly, False, 1)


def test_a_name_tells_what_an_archive_is(tmp_path: Path) -> None:
    at = datetime(2026, 6, 30, 3, 0, 0, 123_000, tzinfo=UTC)
    names = {
        archive_name(at, nightly=True, encrypted=False): (True, False),
        archive_name(at, nightly=False, encrypted=True): (False, True),
    }
    assert set(names) == {
        "gaia-nightly-2026-06-30T030000.123Z.tar.gz",
        "gaia-2026-06-30T030000.123Z.tar.gz.age",
    }
    others = ["gaia-at-0004.db", "holiday.tar.gz", "gaia-2026-13-30T030000.123Z.tar.gz", ".lock"]
    for name in [*names, *others, f"{next(iter(names))}.partial"]:
        (tmp_path / name).write_text("content")
    found = archives_in(tmp_path)
    assert {each.path.name: (each.is_nightly, each.is_encrypted) for each in found} == names
    assert {each.taken_at for each in found} == {at}


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert archives_in(tmp_path / "disk") == []


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(BackupError, match="/loop' cannot be read"):
        archives_in(tmp_path / "loop")


def test_a_relative_folder_is_one_of_the_home(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert backup_folder(home, BackupSettings()) == tmp_path / "backups"
    assert backup_folder(home, BackupSettings(folder="copies")) == tmp_path / "copies"
    assert backup_folder(home, BackupSettings(folder="/mnt/disk")) == Path("/mnt/disk")


def test_of_a_year_of_nights_the_last_days_and_a_night_of_each_week_before_are_kept() -> None:
    kept: list[Archive] = []
    settings = BackupSettings(keep_days=7, keep_weeks=4)
    for days in range(365):
        now = NOW + days * DAY
        kept.append(nightly(now))
        going = outlived(kept, settings, now)
        kept = [each for each in kept if each not in going]
        ages = [(now - each.taken_at).days for each in kept]
        assert set(range(min(days + 1, 7))) <= set(ages)
        assert max(ages) < 7 + 4 * 7
    assert len(kept) in (7 + 4, 7 + 5)
    of_whole_weeks = [each for each in kept if now - each.taken_at > 13 * DAY]
    assert {each.taken_at.isoweekday() for each in of_whole_weeks} == {7}


def test_what_an_owner_made_stays() -> None:
    old = nightly(NOW - 999 * DAY, is_nightly=False)
    assert outlived([old, nightly(NOW)], BackupSettings(keep_weeks=0), NOW) == []


@given(st.lists(st.integers(0, 400 * 24), max_size=40), st.integers(1, 30), st.integers(0, 10))
def test_the_newest_and_those_of_the_last_days_always_stay(
    hours: list[int], days: int, weeks: int
) -> None:
    archives = [nightly(NOW - timedelta(hours=each)) for each in sorted(set(hours), reverse=True)]
    going = outlived(archives, BackupSettings(keep_days=days, keep_weeks=weeks), NOW)
    assert all(NOW - each.taken_at >= days * DAY for each in going)
    assert not archives or archives[-1] not in going
    left = [each for each in archives if each not in going]
    assert outlived(left, BackupSettings(keep_days=days, keep_weeks=weeks), NOW) == []
