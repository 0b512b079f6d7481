"""The nightly backup, and backups that hold what was forgotten."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from gaia.errors import BackupBusyError, BackupError
from gaia.memory import forget, ledger
from gaia.ops.backup.archives import archive_name, archives_in
from gaia.ops.backup.backups import Backups, build_backup_job, replace_outdated
from gaia.ops.backup.create import Wanted, make_backup
from gaia.ops.backup.replace import replace_home
from gaia.ops.backup.staging import backup_lock
from gaia.ops.forget_worker import carry_out_apart
from gaia.paths import Home
from gaia.schedule.jobs import Daily
from gaia.settings.schema import BackupSettings, Settings
from gaia.store.engine import Database
from gaia.store.opener import open_database
from gaia.store.people.users import Users
from gaia.swappable import Swappable
from gaia.testing.clock import START, FakeClock, until

pytestmark = pytest.mark.sqlite

WORDS = b"blue pot"
MINUTE = 60
DEFAULTS = BackupSettings()


@pytest.fixture
async def database(home: Home) -> AsyncIterator[Database]:
    database = await open_database(home)
    yield database
    await database.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def with_words(home: Home) -> Sequence[Path]:
    """The files below the home that hold the words, once they are unzipped."""
    files = [path for path in home.root.rglob("*") if path.is_file()]
    return [path for path in files if WORDS in _unzipped(path)]


def _unzipped(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if ".gz" in path.name else content


def backups(
    home: Home,
    database: Database,
    clock: FakeClock,
    settings: BackupSettings = DEFAULTS,
    doubt: str = "",
) -> Backups:
    return Backups(
        home=home,
        database=database,
        settings=Swappable(Settings(backup=settings)),
        passphrase=lambda: None,
        clock=clock,
        doubt_clock=partial(asyncio.sleep, 0, doubt),
    )


async def forget_all(database: Database, clock: FakeClock) -> None:
    (ada,) = await Users(database, clock).list()
    with database.writing() as session:
        ledger.numbers(session, ada.user_id)
        forget.forget_everything(session, ada.user_id, now=clock.now())


async def test_the_job_makes_one_and_removes_the_old(
    home: Home, database: Database, clock: FakeClock
) -> None:
    home.backups.mkdir()
    old = [
        home.backups / archive_name(START - timedelta(days=99), nightly=nightly, encrypted=False)
        for nightly in (True, False)
    ]
    for path in old:
        path.write_text("")
    job = build_backup_job(backups(home, database, clock), BackupSettings(hour=4))
    assert (job.name, job.when) == ("backup", Daily(4))
    await job.run()
    assert [each.path.name for each in archives_in(home.backups)] == [
        old[1].name,
        "gaia-nightly-2026-01-01T120000.000Z.tar.gz",
    ]


async def test_while_the_clock_is_doubted_none_is_removed(
    home: Home, database: Database, clock: FakeClock
) -> None:
    home.backups.mkdir()
    old = START - timedelta(days=400)
    (home.backups / archive_name(old, nightly=True, encrypted=False)).write_text("")
    await backups(home, database, clock, doubt="it is 400 d ahead").run_nightly()
    assert len(archives_in(home.backups)) == 2
    clock.advance(1)
    await backups(home, database, clock).run_nightly()
    assert all(each.taken_at >= START for each in archives_in(home.backups))


async def test_one_that_fails_is_told_and_takes_none_of_the_old(
    home: Home, database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    disk = str(tmp_path / "disk")
    with pytest.raises(BackupError, match="no folder"):
        await backups(home, database, clock, BackupSettings(folder=disk)).run_nightly()


async def test_without_backups_none_is_made(
    home: Home, database: Database, clock: FakeClock
) -> None:
    await backups(home, database, clock, BackupSettings(enabled=False)).run_nightly()
    assert not home.backups.exists()


@pytest.mark.parametrize("enabled", [True, False])
async def test_what_is_forgotten_leaves_the_backups_too(
    home: Home, database: Database, clock: FakeClock, enabled: bool
) -> None:
    home.settings_file.write_text(f"backup:\n  enabled: {str(enabled).lower()}\n")
    for nightly in (True, False):
        await make_backup(home, Wanted(home.backups, nightly=nightly), clock)
    await database.checkpoint()
    assert len(with_words(home)) == 3
    clock.advance(MINUTE)
    await forget_all(database, clock)
    assert await carry_out_apart(home, database, clock)
    assert with_words(home) == []
    left = archives_in(home.backups)
    assert [each.is_nightly for each in left] == ([True] if enabled else [])


async def test_no_backup_goes_before_there_is_another(
    home: Home, database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    made = await make_backup(home, Wanted(home.backups), clock)
    settings = BackupSettings(folder=str(tmp_path / "disk"))
    clock.advance(MINUTE)
    await forget_all(database, clock)
    home.settings_file.write_text(f"backup:\n  folder: {tmp_path / 'disk'}\n")
    assert not await carry_out_apart(home, database, clock)
    assert made.path.exists()
    running = backups(home, database, clock, settings)
    running.wake()
    await clock.until_sleeping()
    assert made.path.exists()
    (tmp_path / "disk").mkdir()
    clock.advance(MINUTE * MINUTE)
    await until(lambda: not made.path.exists())
    await running.cancel()
    assert len(archives_in(tmp_path / "disk")) == 1


async def test_one_that_is_being_made_meanwhile_is_waited_for(
    home: Home, database: Database, clock: FakeClock
) -> None:
    await forget_all(database, clock)
    with backup_lock(home):
        assert not await carry_out_apart(home, database, clock)
        with pytest.raises(BackupBusyError):
            await replace_outdated(home, database, BackupSettings(), None, clock, runs=True)
    assert await carry_out_apart(home, database, clock)


async def test_what_a_killed_backup_left_is_no_hiding_place(
    home: Home, database: Database, clock: FakeClock
) -> None:
    staged = home.backups / ".staging"
    staged.mkdir(parents=True)
    (staged / "gaia.db").write_bytes(WORDS)
    (home.backups / f"{archive_name(START, nightly=True, encrypted=False)}.partial").write_bytes(
        gzip.compress(WORDS)
    )
    await forget_all(database, clock)
    assert await carry_out_apart(home, database, clock)
    assert with_words(home) == []


async def test_backups_of_before_a_removal_go(
    home: Home, database: Database, clock: FakeClock
) -> None:
    await make_backup(home, Wanted(home.backups), clock)
    clock.advance(MINUTE)
    (ada,) = await Users(database, clock).list()
    await Users(database, clock).note_forgotten(ada)
    await replace_outdated(home, database, BackupSettings(enabled=False), None, clock, runs=False)
    assert archives_in(home.backups) == []


async def test_a_later_backup_stays(home: Home, database: Database, clock: FakeClock) -> None:
    await forget_all(database, clock)
    assert await carry_out_apart(home, database, clock)
    clock.advance(MINUTE)
    made = await make_backup(home, Wanted(home.backups), clock)
    assert await carry_out_apart(home, database, clock)
    assert [each.path for each in archives_in(home.backups)] == [made.path]


@pytest.mark.parametrize("days", [400, -400])
@pytest.mark.parametrize("passphrase", [None, "four words for locks"])
async def test_a_forget_under_a_wrong_clock_takes_the_older_ones_once(
    home: Home, database: Database, clock: FakeClock, days: int, passphrase: str | None
) -> None:
    older = await make_backup(home, Wanted(home.backups), clock)
    wrong = FakeClock(START + timedelta(days=days))
    await forget_all(database, wrong)
    assert await carry_out_apart(home, database, wrong)
    assert not older.path.exists()
    (fresh,) = archives_in(home.backups)
    clock.advance(MINUTE)
    made = await make_backup(home, Wanted(home.backups, passphrase=passphrase), clock)
    for _ in range(2):
        await replace_outdated(home, database, DEFAULTS, passphrase, clock, runs=True)
        clock.advance(MINUTE)
    assert {each.path for each in archives_in(home.backups)} == {fresh.path, made.path}


async def test_one_made_while_the_clock_was_ahead_goes_with_what_it_holds(
    home: Home, database: Database, clock: FakeClock
) -> None:
    ahead = FakeClock(START + timedelta(days=400))
    for nightly in (True, False):
        await make_backup(home, Wanted(home.backups, nightly=nightly), ahead)
    await forget_all(database, clock)
    assert await carry_out_apart(home, database, clock)
    assert with_words(home) == []
    assert [each.taken_at for each in archives_in(home.backups)] == [START]
    # One that already knew of a forgotten thing is told by its mark, whenever it is looked at.
    stale = await make_backup(home, Wanted(home.backups), ahead)
    clock.advance(MINUTE)
    await forget_all(database, clock)
    await carry_out_apart(home, database, ahead)
    assert not stale.path.exists()


async def test_newer_backups_outlive_the_restore_of_an_older_one(
    home: Home, database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    old = await make_backup(home, Wanted(tmp_path), clock)
    await forget_all(database, clock)
    clock.advance(MINUTE)
    assert await carry_out_apart(home, database, clock)
    clock.advance(MINUTE)
    newer = await make_backup(home, Wanted(home.backups), clock)
    await database.close()
    await replace_home(old.path, None, home, clock)
    restored = await open_database(home)
    await replace_outdated(home, restored, DEFAULTS, None, clock, runs=True)
    assert newer.path.exists()
    clock.advance(MINUTE)
    await forget_all(restored, clock)
    assert await carry_out_apart(home, restored, clock)
    await restored.close()
    assert not newer.path.exists()
