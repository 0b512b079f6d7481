"""How long work shows on standard error: a bar in a terminal, a few plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

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
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class PlainCount:
    """A line for each tenth of work that takes a while."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._next_percent = PLAIN_STEP_PERCENT

    def __call__(self, done: int, total: int) -> None:
        percent = done * 100 // total if total else 100
        if percent >= self._next_percent and total >= WORTH_TELLING:
            self._next_percent = percent - percent % PLAIN_STEP_PERCENT + PLAIN_STEP_PERCENT
            typer.echo(f"{self._what} {percent:3d} % of {total:,}", err=True)
