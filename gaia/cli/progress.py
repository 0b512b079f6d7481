"""Progress on standard error: a bar in a terminal, a few plain lines or nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from gaia.ops.backup.archives import Progress as BackupProgress
    from gaia.weights.pull import Progress as PullProgress

PLAIN_STEP_PERCENT = 10

WORTH_TELLING = 200
"""Things to do below which no plain line is worth it."""

Told = Callable[[int, int], None]
"""Gets how many are done, and of how many."""


@contextmanager
def counting(what: str) -> Iterator[Told]:
    """What to tell of work on many things, called `what`."""
    if not sys.stderr.isatty():
        yield PlainCount(what)
        return
    from rich import progress

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(bar_width=None),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=_console(), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def backup_progress() -> Iterator[BackupProgress]:
    """What to tell of a backup. The bar is gone when the block has ended."""
    if not sys.stderr.isatty():
        from gaia.ops.backup.archives import Silent

        yield Silent()
        return
    from rich import progress

    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(bar_width=None),
        progress.DownloadColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=_console(), transient=True) as bar:
        yield Bar(bar)


@contextmanager
def pull_progress(model: str) -> Iterator[PullProgress]:
    """What to tell of the pull of `model`."""
    if not sys.stderr.isatty():
        yield PlainPull(model)
        return
    from rich import progress

    columns = (
        progress.SpinnerColumn(),
        progress.BarColumn(bar_width=None),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=_console(), speed_estimate_period=120) as bar:
        yield PullBar(bar, model)


def _console() -> Console:
    from rich.console import Console

    return Console(stderr=True)


class Bar:
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


class PullBar(Bar):
    """A line for each source, and a bar with the rate and the time left.

    Where bytes of an earlier pull are taken over, the rate begins after them.
    """

    def __init__(self, bar: RichProgress, model: str) -> None:
        super().__init__(bar)
        self._model = model

    def source(self, name: str) -> None:
        self._say(f"pulling {self._model} from {name}")
        self.step("")

    def discarded(self, name: str, cause: str) -> None:
        self._say(f"{name}: {cause}")

    def _say(self, text: str) -> None:
        self._bar.console.print(text, markup=False, highlight=False)


class Tenths:
    """Tells each time that another tenth of something is done, in percent."""

    def __init__(self, first_percent: int) -> None:
        self._next_percent = first_percent

    def reached(self, done: int, total: int) -> int | None:
        """How much is done, if that is a tenth more than was told; None if it is not."""
        percent = done * 100 // total if total else 100
        if percent < self._next_percent:
            return None
        self._next_percent = percent - percent % PLAIN_STEP_PERCENT + PLAIN_STEP_PERCENT
        return percent


class PlainCount:
    """A line for each tenth of work that takes a while."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._tenths = Tenths(PLAIN_STEP_PERCENT)

    def __call__(self, done: int, total: int) -> None:
        if total >= WORTH_TELLING and (percent := self._tenths.reached(done, total)) is not None:
            typer.echo(f"{self._what} {percent:3d} % of {total:,}", err=True)


class PlainPull:
    """A line for each source and for each tenth."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._tenths = Tenths(0)

    def source(self, name: str) -> None:
        self._tenths = Tenths(0)
        typer.echo(f"pulling {self._model} from {name}", err=True)

    def bytes_done(self, done: int, total: int) -> None:
        if (percent := self._tenths.reached(done, total)) is not None:
            typer.echo(f"{percent:3d} % of {total / 10**6:,.0f} MB", err=True)

    def discarded(self, name: str, cause: str) -> None:
        typer.echo(f"{name}: {cause}", err=True)
