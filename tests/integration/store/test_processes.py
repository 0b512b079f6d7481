"""Several processes on one home, some of which are killed."""

import os
import signal
from collections.abc import Callable
from subprocess import Popen

import pytest

from gaia.clock import SystemClock
from gaia.errors import AlreadyRunningError
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.lock import DaemonLock
from gaia.store.opener import open_database
from gaia.store.people.users import Role, User, Users

Start = Callable[..., Popen[str]]


def output(process: Popen[str]) -> list[str]:
    """What the process printed until it ended well."""
    printed, _ = process.communicate()
    assert process.returncode == 0
    return printed.split()


def next_line(process: Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def create(home: Home, name: str) -> None:
    database = await open_database(home)
    await Users(database, SystemClock()).create(name, Role.OWNER)
    await database.close()


async def addresses(home: Home, name: str) -> tuple[User, set[Address]]:
    database = await open_database(home)
    users = Users(database, SystemClock())
    user = await users.find(name)
    found = set(await users.addresses(user))
    await database.close()
    return user, found


def test_processes_that_create_the_database_at_once_agree(home: Home, start: Start) -> None:
    processes = [start("open_database", home.root) for _ in range(3)]
    assert [output(process) for process in processes] == [["0"]] * 3


async def test_writers_in_two_processes_lose_nothing(home: Home, start: Start) -> None:
    await create(home, "Ada")
    writers = [start("add_addresses", home.root, "Ada", prefix, 100) for prefix in "ab"]
    written = {line for writer in writers for line in output(writer)}
    assert len(written) == 200
    _, found = await addresses(home, "Ada")
    assert {address.sender for address in found} == written


async def test_a_killed_writer_leaves_all_that_it_committed(home: Home, start: Start) -> None:
    await create(home, "Ada")
    writer = start("add_addresses", home.root, "Ada", "a", 100_000)
    for _ in range(20):
        next_line(writer)
    writer.send_signal(signal.SIGKILL)
    # Some of it is in the buffer already, which `communicate` would leave there.
    assert writer.stdout is not None
    rest = writer.stdout.read()
    writer.wait()
    printed = {f"a{n}" for n in range(20 + len(rest.split()))}

    _, found = await addresses(home, "Ada")
    senders = {address.sender for address in found}
    assert senders >= printed
    assert len(senders) <= len(printed) + 1


def test_the_lock_keeps_a_second_process_out(home: Home, start: Start) -> None:
    holder = start("hold_lock", home.root)
    next_line(holder)
    with pytest.raises(AlreadyRunningError, match=rf"process {holder.pid}\)"):
        DaemonLock(home).acquire()
    holder.communicate()
    with DaemonLock(home):
        pass


def test_sigkill_frees_the_lock_although_a_child_lives_on(home: Home, start: Start) -> None:
    holder = start("hold_lock", home.root)
    child = int(next_line(holder))
    holder.kill()
    holder.wait()
    try:
        os.kill(child, 0)
        with DaemonLock(home):
            pass
    finally:
        os.kill(child, signal.SIGKILL)
