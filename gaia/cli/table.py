"""Rows of text in columns, as wide as a terminal shows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime


def columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The rows under their headings, each column as wide as its widest cell."""
    from rich.cells import cell_len

    lines = [headings, *rows]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def local_time(time: datetime) -> str:
    """A time as the machine's clock on the wall shows it, to the second."""
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}"
