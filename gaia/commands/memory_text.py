"""Memories in the words of a reply. What people had gaia keep is shown in quotes on one
line, as text: it is no formatting, and cannot look like something that gaia says.
"""

from __future__ import annotations

import re
from datetime import datetime

from gaia.core.slash import Caller
from gaia.memory.excerpts import one_line
from gaia.memory.memory import Memory
from gaia.store.memory_tables import MemorySource, MemoryStatus

LONGEST_SHOWN = 300
"""Characters of a memory in a list."""

FORMATTING = re.compile(
    r"[*`\[<|~]|\\(?=[!-/:-@\[-`{-~])|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])", re.ASCII
)
"""Where Markdown would begin: an underscore inside a word, say, is none."""

SOURCES = {
    MemorySource.USER: "you gave it to me, word for word",
    MemorySource.TOOL: "I kept it when we talked",
    MemorySource.DIGEST: "I gathered it from a conversation",
    MemorySource.IMPORT: "it was imported",
}

MARKS = {
    MemoryStatus.HELD: ", not sure",
    MemoryStatus.SUPERSEDED: ", no longer so",
    MemoryStatus.ARCHIVED: ", no longer so",
}
"""What a list says of a memory that does not count."""


def quoted(text: str, *, longest: int | None = LONGEST_SHOWN) -> str:
    """Somebody's words in quotes, cut when they are long."""
    shown = one_line(text, longest).replace("\u201c", '"').replace("\u201d", '"')
    return f"\u201c{FORMATTING.sub(_escaped, shown)}\u201d"


def line(memory: Memory, *, with_status: bool = True) -> str:
    """A memory in a list, marked when it does not count."""
    marks = [", hidden"] if memory.sensitive else []
    marks += [MARKS[memory.status]] if with_status and memory.status in MARKS else []
    said = f"{day(memory.valid_from)}{''.join(marks)}"
    return f"#{memory.memory_id} ({said}) {quoted(memory.text)}"


def day(time: datetime) -> str:
    """A date in words, in the machine's time zone."""
    local = time.astimezone()
    return f"{local.day} {local:%B %Y}"


def whose(caller: Caller) -> str:
    """Whose memory a command is about, before a noun: in a group it is the group's."""
    return "your" if caller.conversation.direct else "this group's"


def counted(number: int) -> str:
    """A number of memories in words."""
    return "1 memory" if number == 1 else f"{number:,} memories"


def _escaped(mark: re.Match[str]) -> str:
    return f"\\{mark[0]}"
