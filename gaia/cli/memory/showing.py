"""Memories as the command line shows them: rows of a table, or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from gaia.ops.queries.memories import MemoryReport

HEADINGS = ("ID", "SINCE", "KIND", "TEXT")


def memory_table(memories: Sequence[MemoryReport]) -> str:
    """A line for each memory, as wide as the terminal."""
    return table([memory_row(each) for each in memories])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows below `HEADINGS`, as wide as the terminal."""
    from gaia.cli.table import columns, terminal_width

    return columns(HEADINGS, rows, width=terminal_width())


def memory_row(memory: MemoryReport) -> tuple[str, str, str, str]:
    """What a table shows of a memory."""
    return row(memory.memory_id, memory.said_at, memory.kind, memory.text, memory.sensitive)


def row(
    memory_id: int, since: datetime, kind: str, text: str, hidden: bool
) -> tuple[str, str, str, str]:
    """What a table shows of what is known of a memory."""
    kind = f"{kind}, hidden" if hidden else kind
    return str(memory_id), f"{since.astimezone():%Y-%m-%d}", kind, shown_line(text)


def shown_line(text: str) -> str:
    """A stored text on one line, with nothing in it that a terminal would obey."""
    from gaia.cli.chat.control_characters import strip_controls
    from gaia.memory.excerpts import one_line

    return one_line(strip_controls(text))


def counted_memories(number: int) -> str:
    """A number of memories in words."""
    from gaia.ops.words import counted

    return counted(number, "memory", "memories")
