"""Rows of text in columns, as wide as a terminal shows them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import datetime


def columns(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, width: int | None = None
) -> str:
    """The rows under their headings, each column as wide as its widest cell; lines that
    are wider than `width` are cut."""
    from rich.cells import cell_len

    lines = [headings, *rows]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    told = (
        "  ".join(
            cell + " " * (widest - cell_len(cell))
            for cell, widest in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )
    return "\n".join(told if width is None else (cut(line, width) for line in told))


def cut(line: str, width: int) -> str:
    """A line that is no wider than `width`; what was cut ends in an ellipsis."""
    from rich.cells import cell_len, set_cell_size

    return line if cell_len(line) <= width else f"{set_cell_size(line, width - 1).rstrip()}…"


def terminal_width() -> int:
    """How wide the terminal is; 80 where there is none."""
    return shutil.get_terminal_size().columns


def local_time(time: datetime) -> str:
    """A time as the machine's clock on the wall shows it, to the second."""
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}"
