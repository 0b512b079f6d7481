"""How a pull shows on standard error: a bar in a terminal, a few plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from gaia.weights.pull import Progress

PLAIN_STEP_PERCENT = 10


@contextmanager
def pull_progress(model: str) -> Iterator[Progress]:
    """What to tell of the pull of `model`."""
    if not sys.stderr.isatty():
        yield PlainProgress(model)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        SpinnerColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=None),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=120) as bar:
        yield BarProgress(bar, model)


class BarProgress:
    """A line for each source, and a bar with the rate and the time left.

    Where bytes of an earlier pull are taken over, the rate begins after them.
    """

    def __init__(self, bar: RichProgress, model: str) -> None:
        self._bar = bar
        self._model = model
        self._task: TaskID | None = None

    def source(self, name: str) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._say(f"pulling {self._model} from {name}")
        self._task = self._bar.add_task("", total=None)

    def bytes_done(self, done: int, total: int) -> None:
        if self._task is not None:
            self._bar.update(self._task, completed=done, total=total)

    def discarded(self, name: str, cause: str) -> None:
        self._say(f"{name}: {cause}")

    def _say(self, text: str) -> None:
        self._bar.console.print(text, markup=False, highlight=False)


class PlainProgress:
    """A line for each source and for each tenth."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._next_percent = 0

    def source(self, name: str) -> None:
        self._next_percent = 0
        typer.echo(f"pulling {self._model} from {name}", err=True)

    def bytes_done(self, done: int, total: int) -> None:
        percent = done * 100 // total
        if percent >= self._next_percent:
            self._next_percent = percent - percent % PLAIN_STEP_PERCENT + PLAIN_STEP_PERCENT
            typer.echo(f"{percent:3d} % of {total / 10**6:,.0f} MB", err=True)

    def discarded(self, name: str, cause: str) -> None:
        typer.echo(f"{name}: {cause}", err=True)
