"""A disk that is full, and one that cannot be written to."""

import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from gaia.clock import SystemClock
from gaia.errors import HomeError, StoreError
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.lock import DaemonLock
from gaia.store.opener import open_database
from gaia.store.people.users import Role, User, Users


@pytest.fixture
def full_home(small_disk: Path) -> Home:
    """A home on a disk without a free byte."""
    home = Home(small_disk / "home")
    home.create()
    fill(small_disk)
    return home


@pytest.fixture
async def read_only_home(small_disk: Path) -> Home:
    """A home with a database, on a disk that has become read-only."""
    home = Home(small_disk / "home")
    home.create()
    await (await open_database(home)).close()
    make_read_only(small_disk)
    return home


def fill(disk: Path) -> None:
    with (disk / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
        while True:
            ballast.write(bytes(4096))


def make_read_only(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


def empty(disk: Path) -> None:
    (disk / "ballast").unlink()


async def fill_with_addresses(users: Users, user: User) -> None:
    for n in range(10_000):
        await users.link(user, Address("telegram", f"{n:0200}"))


async def test_a_full_disk_is_named_when_the_database_is_created(full_home: Home) -> None:
    with pytest.raises(StoreError, match=r"gaia\.db.*(free some space|free space|not full)"):
        await open_database(full_home)


async def test_after_a_full_disk_start_works_once_there_is_space(
    full_home: Home, small_disk: Path
) -> None:
    with pytest.raises(StoreError):
        await open_database(full_home)
    empty(small_disk)
    await (await open_database(full_home)).close()


async def test_a_disk_that_fills_up_loses_nothing_that_was_stored(small_disk: Path) -> None:
    home = Home(small_disk / "home")
    home.create()
    database = await open_database(home)
    users = Users(database, SystemClock())
    ada = await users.create("Ada", Role.OWNER)
    with pytest.raises(StoreError, match=r"gaia\.db.*the disk is full: free some space"):
        await fill_with_addresses(users, ada)
    stored = await users.addresses(ada)
    assert len(stored) > 10
    await database.close()

    reopened = await open_database(home)
    assert await Users(reopened, SystemClock()).addresses(ada) == stored
    await reopened.close()


async def test_a_read_only_disk_is_named(read_only_home: Home) -> None:
    with pytest.raises(StoreError, match=r"gaia\.db.*(writable|may write)"):
        await open_database(read_only_home)


def test_a_lock_on_a_read_only_disk_is_named(read_only_home: Home) -> None:
    with pytest.raises(HomeError, match=r"daemon\.lock.*Read-only file system"):
        DaemonLock(read_only_home).acquire()
