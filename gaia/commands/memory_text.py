"""Memories in words and in pages, as the commands tell them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from gaia.commands.registry import Call
from gaia.core.slash import Reply
from gaia.errors import UnknownMemoryError
from gaia.memory import ledger
from gaia.memory.excerpts import quoted
from gaia.memory.memory import Memory, Page
from gaia.messages import Button
from gaia.store.memory_tables import MemorySource, MemoryStatus
from gaia.text import counted_memories, number_in

SOURCES = {
    MemorySource.USER: "you asked me to keep it, word for word",
    MemorySource.TOOL: "I kept it during a conversation",
    MemorySource.DIGEST: "you said it in a conversation",
    MemorySource.IMPORT: "it was imported",
    MemorySource.DISCOVERY: "it was found on the machine, and you confirmed it",
}

UNDERSTOOD = {
    "same": "A second check confirmed that I understood you",
    "past": "As I understood you, that used to be true and no longer is.",
    "only now": "As I understood you, that is true only for a while.",
    "perhaps pasted": (
        "It comes after a colon or a request, or among other lines, where people often paste "
        "text of others: only you know whether it is about you."
    ),
    "perhaps for once": "You may have meant it for one answer only: only you know.",
    "not said outright": "You did not say it outright.",
    "not verified": "My reading of it was not checked, so I keep only your own words.",
}
MISUNDERSTOOD = "A second check was not sure that I understood you, so I keep only your own words."

MARKS = {
    MemoryStatus.PENDING: ", not sure",
    MemoryStatus.SUPERSEDED: ", no longer so",
    MemoryStatus.ARCHIVED: ", no longer so",
}
"""What a list says of a memory that does not count."""

NUMBER = re.compile(r"(?<![\w#])#?(\d{1,18})\b", re.ASCII)
INCOGNITO = "You are incognito, so I keep nothing: /incognito off lets me remember again."

PAGE_SIZE = 10
Told = TypeVar("Told", str, Reply)


def understood(memory: Memory) -> str:
    """How sure it is that a sentence was understood that gaia learned by itself."""
    told = UNDERSTOOD.get(memory.verdict or "not verified", MISUNDERSTOOD)
    if memory.verdict != "same":
        return told
    return f"{told}: {quoted(memory.label)}" if memory.label else f"{told}."


def line(memory: Memory, *, with_status: bool = True) -> str:
    """A memory in a list, marked when it does not count."""
    marks = [", hidden"] if memory.sensitive else []
    marks += [MARKS[memory.status]] if with_status and memory.status in MARKS else []
    if memory.status is MemoryStatus.PENDING and memory.replaces is not None:
        marks.append(f", in the place of #{memory.replaces}")
    said = f"{day(memory.valid_from)}{''.join(marks)}"
    return f"#{memory.memory_id} ({said}) {quoted(memory.told)}"


def day(time: datetime) -> str:
    """A date in words, in the machine's time zone."""
    local = time.astimezone()
    return f"{local.day} {local:%B %Y}"


def verb_of(words: str) -> tuple[str, str]:
    """The first word after a command, in lower case, and what stands behind it."""
    verb, _, rest = words.partition(" ")
    return verb.lower(), rest.strip()


def page_number(words: str) -> int:
    """The number of the page that is asked for: 1 where none is named."""
    return number_in(verb_of(words)[1]) or 1


def memory_number(words: str) -> int:
    """The number of the memory that is named behind the verb, with a `#` or without.

    Raises:
        UnknownMemoryError: None is.
    """
    _, told = verb_of(words)
    number = number_in(told)
    if number is None:
        raise UnknownMemoryError(f"{told!r} is not the number of a memory")
    return number


def memory_numbers(words: str) -> Sequence[int]:
    """All numbers that are named behind the verb."""
    return [int(number) for number in NUMBER.findall(verb_of(words)[1])]


def with_memory(call: Call, then: Callable[[Call, Memory], Told]) -> Told | str:
    """What `then` makes of the memory that is named behind the verb, whatever its status, unless
    it belongs to another context."""
    try:
        memory = ledger.get(call.session, call.user_id, memory_number(call.words))
        return not_here(call, memory) or then(call, memory)
    except UnknownMemoryError:
        return f"There is no memory with that number. /memory lists {call.whose} memories."


def not_here(call: Call, memory: Memory) -> str:
    """What is said in the place of a memory of another context; empty where it is seen."""
    if memory.context in call.seen:
        return ""
    return (
        f"#{memory.memory_id} belongs to the context {quoted(memory.context)}: "
        f"/context {memory.context} goes there."
    )


def elsewhere(call: Call, status: MemoryStatus = MemoryStatus.ACTIVE) -> str:
    """How many memories of one status there are in other contexts, in words; empty where there
    are none."""
    session, user_id = call.session, call.user_id
    here = ledger.count(session, user_id, status, call.seen)
    others = ledger.count(session, user_id, status) - here
    return f"{counted_memories(others)} in other contexts: /context." if others else ""


def paged(page: Page, head: str, command: str, *, tail: str = "") -> Reply:
    """A page below its `head`; `command` and a number show another one. `tail` stands
    below everything."""
    buttons: list[Button] = []
    if page.number > 1:
        buttons.append(Button("Newer", f"{command} {page.number - 1}"))
    if page.number < page.pages:
        buttons.append(Button("Older", f"{command} {page.number + 1}"))
    which = f", page {page.number} of {page.pages}" if buttons else ""
    lines = [f"{head}, the newest first{which}:", *map(line, page.memories)]
    lines += [f"{buttons[-1].label} ones: {buttons[-1].command}"] if buttons else []
    return Reply("\n".join([*lines, tail] if tail else lines), tuple(buttons))
