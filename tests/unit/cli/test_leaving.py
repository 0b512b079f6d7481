"""A process ends although a thread of it does not."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import atexit, threading
from gaia.cli.leaving import leave_threads

atexit.register(print, "the interpreter ended")
waiting = threading.Event()
if {runs}:
    threading.Thread(target=waiting.wait, daemon=True).start()
print("done")
leave_threads(7)
"""


@pytest.mark.parametrize(
    ("runs", "ended"), [(True, (7, "done\n")), (False, (0, "done\nthe interpreter ended\n"))]
)
def test_the_interpreter_is_left_where_a_thread_runs(runs: bool, ended: tuple[int, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(runs=runs)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == ended
