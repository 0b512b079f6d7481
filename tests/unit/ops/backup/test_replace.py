"""A home whose place a restored one takes."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from gaia.errors import BackupError, VanishedError
from gaia.ops import exports
from gaia.ops.backup.archives import Progress
from gaia.ops.backup.create import Made
from gaia.ops.backup.replace import replace_home
from gaia.ops.backup.restore import restore_backup
from gaia.ops.backup.staging import backup_lock, clear_leftovers
from gaia.paths import Home
from gaia.store.lock import DaemonLock
from gaia.store.opener import open_database
from gaia.testing.clock import FakeClock

pytestmark = pytest.mark.sqlite

Make = Callable[..., Awaitable[Made]]


class Watching(Progress):
    """Looks at every step whether the home is there."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.seen: list[bool] = []

    def step(self, what: str) -> None:
        self.seen.append(self._home.database.exists())

    def bytes_done(self, done: int, total: int) -> None:
        self.seen.append(self._home.database.exists())


async def test_the_home_stays_until_the_other_one_is_ready(make: Make, home: Home) -> None:
    watching = Watching(home)
    done = await replace_home((await make()).path, None, home, FakeClock(), watching)
    assert len(watching.seen) > 1
    assert all(watching.seen)
    assert done.aside == home.moved_aside()[0]
    assert list(home.unfinished_restores()) == []


async def test_where_something_comes_between_both_moves_the_home_is_named(
    make: Make, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await make()

    def come_between(folder: Path, there: Home) -> None:
        there.create()
        raise BackupError("it is not empty")

    monkeypatch.setattr("gaia.ops.backup.restore._move", come_between)
    with pytest.raises(BackupError, match=r"before is in '.*home\.before-2026-01-01T120000'"):
        await replace_home(made.path, None, home, FakeClock())
    (aside,) = home.moved_aside()
    assert Home(aside).database.exists()


async def test_where_the_second_move_fails_the_first_is_taken_back(
    make: Make, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await make()

    def fail(folder: Path, there: Home) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gaia.ops.backup.restore._move", fail)
    with pytest.raises(KeyboardInterrupt):
        await replace_home(made.path, None, home, FakeClock())
    assert home.database.exists()
    assert list(home.moved_aside()) == []


async def test_no_home_begins_empty_where_a_restore_was_killed_between(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    unfinished = tmp_path / f"{home.restoring_prefix}abc"
    for folder in (unfinished, tmp_path / "home.before-2026-01-01T120000"):
        folder.mkdir()
    with pytest.raises(VanishedError, match=r"home\.before-2026-01-01T120000.*move that back"):
        await open_database(home)
    unfinished.rmdir()
    await (await open_database(home)).close()


def test_what_a_killed_restore_unpacked_goes_but_not_what_another_unpacks(home: Home) -> None:
    killed, under_way, of_another = (
        Home(home.root.with_name(name))
        for name in (
            f"{home.restoring_prefix}killed",
            f"{home.restoring_prefix}lives",
            f"{home.restoring_prefix}two-killed",
        )
    )
    for each in (killed, under_way, of_another):
        each.root.mkdir()
    with DaemonLock(under_way), backup_lock(home):
        clear_leftovers(home)
    assert [each.root.exists() for each in (killed, under_way, of_another)] == [False, True, True]


@pytest.mark.parametrize("replace", [True, False])
async def test_a_home_behind_a_link_is_restored_behind_it(
    make: Make, home: Home, tmp_path: Path, replace: bool
) -> None:
    made = await make()
    link = Home(tmp_path / "link")
    if replace:
        link.root.symlink_to(home.root)
        await replace_home(made.path, None, link, FakeClock())
    else:
        (tmp_path / "disk").mkdir()
        link.root.symlink_to(tmp_path / "disk")
        await restore_backup(made.path, None, link, FakeClock())
    assert link.root.is_symlink()
    assert link.database.exists()


@pytest.mark.parametrize("folder", ["copies", "own/copies", ".", "{home}/copies"])
@pytest.mark.parametrize("is_restored", [True, False])
async def test_backups_within_the_home_go_along(
    make: Make, home: Home, folder: str, is_restored: bool
) -> None:
    """Whether the settings of before name the folder, or those of the backup."""
    plain = home.settings_file.read_text()
    named = f"backup:\n  folder: {folder.format(home=home.root)}\n"
    place = home.root / folder.format(home=home.root)
    place.mkdir(parents=True, exist_ok=True)
    home.settings_file.write_text(named if is_restored else plain)
    made = await make(to=place)
    home.settings_file.write_text(plain if is_restored else named)
    await replace_home(made.path, None, home, FakeClock())
    assert (place / made.path.name).exists()


async def test_files_that_memories_were_exported_to_stay_known(
    make: Make, home: Home, tmp_path: Path
) -> None:
    exports.note(home, "ada", tmp_path / "one.md")
    made = await make()
    elsewhere = Home(tmp_path / "elsewhere" / "home")
    await restore_backup(made.path, None, elsewhere, FakeClock())
    exports.note(home, "ada", tmp_path / "two.md")
    await replace_home(made.path, None, home, FakeClock())
    assert known(elsewhere) == ["one.md"]
    assert known(home) == ["one.md", "two.md"]


def known(home: Home) -> list[str]:
    lines = home.exports_file.read_text().splitlines()
    return [Path(json.loads(line)["path"]).name for line in lines]
