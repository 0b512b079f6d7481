from __future__ import annotations

import subprocess
import sys

CHECK = """
import os, sys
from gaia.cli.standard_streams import open_closed_streams
open_closed_streams()
assert os.open(os.devnull, os.O_RDONLY) > 2
assert sys.stdin.read() == ""
print("nobody reads this", flush=True)
print("nor this", file=sys.stderr, flush=True)
assert [each.fileno() for each in (sys.stdin, sys.stdout, sys.stderr)] == [0, 1, 2]
"""


def test_closed_streams_are_the_null_device() -> None:
    command = ["sh", "-c", 'exec "$0" -c "$1" <&- >&- 2>&-', sys.executable, CHECK]
    assert subprocess.run(command, check=False).returncode == 0
