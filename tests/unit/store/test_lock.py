"""`DaemonLock` within one process; across processes see tests/integration/store."""

import os

import pytest

from gaia.errors import AlreadyRunningError, HomeError
from gaia.paths import Home
from gaia.store.lock import DaemonLock, is_held


def test_a_second_holder_is_told_the_process_of_the_first(home: Home) -> None:
    with (
        DaemonLock(home),
        pytest.raises(AlreadyRunningError, match=rf"process {os.getpid()}\)") as caught,
    ):
        DaemonLock(home).acquire()
    assert caught.value.exit_code == 3


def test_a_held_lock_is_told_and_a_free_one_makes_no_file(home: Home) -> None:
    assert not is_held(home)
    assert not home.lock_file.exists()
    with DaemonLock(home):
        assert is_held(home)
    assert not is_held(home)


def test_a_refused_holder_does_not_free_the_lock_of_the_first(home: Home) -> None:
    with DaemonLock(home):
        for _ in range(2):
            with pytest.raises(AlreadyRunningError):
                DaemonLock(home).acquire()
        assert home.lock_file.read_text() == f"{os.getpid()}\n"


def test_a_released_lock_can_be_taken_again(home: Home) -> None:
    first = DaemonLock(home)
    first.acquire()
    first.release()
    first.release()
    with DaemonLock(home):
        pass


def test_the_file_of_a_dead_daemon_does_not_count(home: Home) -> None:
    home.lock_file.write_text("123456789012345\n")
    with DaemonLock(home):
        assert home.lock_file.read_text() == f"{os.getpid()}\n"


def test_a_lock_that_cannot_be_opened_is_named(home: Home) -> None:
    home.lock_file.mkdir()
    with pytest.raises(HomeError, match=r"daemon\.lock.*make the home writable"):
        DaemonLock(home).acquire()
