"""Private files that are whole or not there, and locks between processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from stat import S_IMODE

import pytest

from gaia.files import UNFINISHED, create, lock, open_new, replacing, rewrite


def mode_of(file: Path) -> int:
    return S_IMODE(file.stat().st_mode)


def test_a_file_is_private_whatever_it_replaces(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("old")
    file.chmod(0o644)
    rewrite(file, b"new")
    assert (file.read_bytes(), mode_of(file)) == (b"new", 0o600)
    assert list(tmp_path.iterdir()) == [file]


def test_what_fails_half_way_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("old")

    def fail() -> None:
        with replacing(file) as stream:
            stream.write(b"half")
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        fail()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_what_a_crash_left_is_written_over(tmp_path: Path) -> None:
    (tmp_path / f"a{UNFINISHED}").write_text("left")
    rewrite(tmp_path / "a", b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_a_new_file_is_never_an_old_one(tmp_path: Path) -> None:
    file = tmp_path / "a"
    create(file)
    assert mode_of(file) == 0o600
    with pytest.raises(FileExistsError):
        open_new(file)


def test_creating_keeps_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("kept")
    create(file)
    assert file.read_text() == "kept"


LOCK = """
import sys
from pathlib import Path
from gaia.files import lock
lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_is_held_by_one_process_and_dies_with_it(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    command = [sys.executable, "-c", LOCK, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BlockingIOError):
            lock(file)
        holder.kill()
        holder.wait()
    os.close(lock(file))
