"""What nobody caught is logged like everything else."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys, threading
from pathlib import Path
from gaia import logs
from gaia.logs.uncaught import log_uncaught
from gaia.settings.schema import LoggingSettings

logs.configure(LoggingSettings(), Path(sys.argv[1]), ["opensesame"], to_terminal=True)
log_uncaught()

class Last:
    def __del__(self):
        raise ValueError("opensesame in __del__")

def fail():
    raise ValueError("opensesame in a thread")

thread = threading.Thread(target=fail, name="worker")
thread.start()
thread.join()
Last()
raise ValueError("opensesame in the program")
"""


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("logs")
    program = subprocess.run(
        [sys.executable, "-c", PROGRAM, folder], capture_output=True, text=True, check=False
    )
    assert program.returncode == 1
    return (folder / "gaia.log").read_text(), program.stderr


def test_what_nobody_caught_is_logged_without_secrets(ended: tuple[str, str]) -> None:
    for text in ended:
        for place in ("in a thread", "in __del__", "in the program"):
            assert f"ValueError: [redacted] {place}" in text
        assert "opensesame" not in text


def test_the_line_says_which_thread_failed(ended: tuple[str, str]) -> None:
    assert "thread worker failed" in ended[0]
