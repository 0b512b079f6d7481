"""Copies a home, and kills itself once so many rows of a step are done.

killed_copy.py HOME TARGET STEP ROWS
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gaia.ops.database_copy.copy import copy_database
from gaia.paths import Home
from gaia.store.location import url_of

root, target, deadly_step, rows = sys.argv[1:]


@contextmanager
def deadly(step: str) -> Iterator[Callable[[int, int], None]]:
    """Kills the process in the one step."""

    def told(done: int, total: int) -> None:
        if step == deadly_step and done >= int(rows):
            os.kill(os.getpid(), signal.SIGKILL)

    yield told


copy_database(Home(Path(root)), url_of(target), deadly)
