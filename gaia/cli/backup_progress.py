"""How far a backup is: a bar on standard error in a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from gaia.ops.backup.progress import Progress


@contextmanager
def backup_progress() -> Iterator[Progress]:
    """What to tell of a backup. The bar is gone when the block has ended."""
    if not sys.stderr.isatty():
        from gaia.ops.backup.progress import Silent

        yield Silent()
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield BarProgress(bar)


class BarProgress:
    """A bar for each step, in the place of the one before."""

    def __init__(self, bar: RichProgress) -> None:
        self._bar = bar
        self._task: TaskID | None = None

    def step(self, what: str) -> None:
        """Begin a new bar."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(what, total=None)

    def bytes_done(self, done: int, total: int) -> None:
        """Move the bar."""
        if self._task is not None:
            self._bar.update(self._task, completed=done, total=total)
