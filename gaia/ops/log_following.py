"""Follows the log as it is written: hears of changes from the system, and looks by itself
where that tells of none, as on some network folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from watchfiles import watch

from gaia.logs.line import Line
from gaia.ops.log_reading import LogReader

LOOK_MILLISECONDS = 1000
"""The longest time without a look."""

GATHER_MILLISECONDS = 200
"""How long changes in quick succession may be gathered; a pause of a tenth ends that."""


def follow(reader: LogReader, folder: Path) -> Iterator[Sequence[Line]]:
    """What is written, as it is, without end. The folder has to be there. Blocks."""
    for _ in watch(
        folder,
        watch_filter=None,
        debounce=GATHER_MILLISECONDS,
        step=GATHER_MILLISECONDS // 10,
        rust_timeout=LOOK_MILLISECONDS,
        yield_on_timeout=True,
        recursive=False,
    ):
        yield reader.more()
