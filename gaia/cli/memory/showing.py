"""Memories as the command line shows them: rows of a table, or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from gaia.memory.memory import Memory

HEADINGS = ("ID", "SINCE", "KIND", "TEXT")


def memory_table(memories: Sequence[Memory]) -> str:
    """A line for each memory, as wide as the terminal."""
    return table([memory_row(each) for each in memories])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows below `HEADINGS`, as wide as the terminal."""
    from gaia.cli.table import columns, terminal_width

    return columns(HEADINGS, rows, width=terminal_width())


def memory_row(memory: Memory) -> tuple[str, str, str, str]:
    """What a table shows of a memory."""
    return row(memory.memory_id, memory.valid_from, memory.kind, memory.text, memory.sensitive)


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


def memory_json(memory: Memory, about: Sequence[str] | None = None) -> dict[str, object]:
    """A memory, as a script reads it; with what it is about where that is known."""
    shown: dict[str, object] = {
        "memory_id": memory.memory_id,
        "kind": memory.kind,
        "text": memory.text,
        "quote": memory.quote,
        "subject": memory.subject,
        "predicate": memory.predicate,
        "object": memory.object,
        "context": memory.context,
        "sensitive": memory.sensitive,
        "source": memory.source,
        "status": memory.status,
        "support": memory.support,
        "said_at": memory.valid_from.isoformat(),
        "superseded_at": memory.valid_to and memory.valid_to.isoformat(),
        "superseded_by": memory.superseded_by,
        "expires_at": memory.expires_at and memory.expires_at.isoformat(),
        "due_at": memory.due_at and memory.due_at.isoformat(),
        "digest_id": memory.digest_id,
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
    }
    return shown if about is None else {**shown, "about": list(about)}


def counted_memories(number: int) -> str:
    """A number of memories in words."""
    from gaia.ops.words import counted

    return counted(number, "memory", "memories")
