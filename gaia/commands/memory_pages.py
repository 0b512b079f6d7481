"""Memories in pages, with buttons to the next ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gaia.commands.memory_text import line, whose
from gaia.commands.registry import Call
from gaia.core.slash import Reply
from gaia.errors import UnknownMemoryError
from gaia.memory import ledger
from gaia.memory.memory import Memory, Page
from gaia.messages import Button

PAGE_SIZE = 10

Told = TypeVar("Told", str, Reply)


def verb_of(words: str) -> tuple[str, str]:
    """The first word after a command, in lower case, and what stands behind it."""
    verb, _, rest = words.partition(" ")
    return verb.lower(), rest.strip()


def page_number(words: str) -> int:
    """The number of the page that is asked for: 1 where none is named."""
    _, told = verb_of(words)
    return int(told) if told.isdecimal() and len(told) < 10 else 1


def memory_number(words: str) -> int:
    """The number of the memory that is named behind the verb, with a `#` or without.

    Raises:
        UnknownMemoryError: None is.
    """
    _, told = verb_of(words)
    number = told.removeprefix("#")
    if not number.isdecimal() or len(number) > 18:
        raise UnknownMemoryError(f"{told!r} is no number of a memory")
    return int(number)


def with_memory(call: Call, then: Callable[[Call, Memory], Told]) -> Told | str:
    """What `then` makes of the memory that is named behind the verb, whatever its status."""
    try:
        number = memory_number(call.words)
        return then(call, ledger.get(call.session, call.caller.user.user_id, number))
    except UnknownMemoryError:
        return f"There is no such number in {whose(call.caller)} memory. /memory lists all."


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
