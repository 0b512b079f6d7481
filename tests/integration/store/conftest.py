"""A home, and gaia's store in processes of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gaia.paths import Home

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    return home


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a program from the folder `programs`; none outlives its test."""
    started: list[subprocess.Popen[str]] = []

    def start(name: str, *arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, PROGRAMS / f"{name}.py", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """A small file system of its own; needs the right to mount."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"this user may not mount a file system here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of one megabyte."""
    folder = tmp_path / "small disk"
    folder.mkdir()
    with mounted(folder, "size=1m"):
        yield folder
