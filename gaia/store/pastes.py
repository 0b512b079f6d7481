"""Long pastes: a provider's app cuts a text that is too long for one message into several.

Telegram's apps cut at 4,096 UTF-16 units, in the middle of a word or after the last line or
sentence before that, and the spaces at the cut are dropped. The parts are put together again
as one message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import Row

from gaia.store.inbox import Message, read_message

FULL = 4096
"""UTF-16 units of the longest part."""

NEARLY_FULL = 3500
"""What is shorter was not cut: its sender wrote it so."""

PART_SETTLE = timedelta(seconds=3)
"""The next part of a long paste comes within so long."""


MAY_GO_ON = "(this text may go on in a message that you are not shown)"
"""The note of the last part in a group that came, where a next one could: what is said to
others there is not shown to gaia."""


def may_go_on(row: Row[Any]) -> bool:
    """Whether a message may be a part of a paste that has another behind it."""
    return not row.is_command and _units(row.text) >= NEARLY_FULL


def joined(rows: Sequence[Row[Any]]) -> Iterator[Message]:
    """The messages of a turn, with the parts of each paste as one."""
    whole: Message | None = None
    for position, row in enumerate(rows):
        message, previous = read_message(row), rows[position - 1]
        if whole is None:
            whole = message
        elif _goes_on(previous, row):
            cut = _lost_at_the_cut(previous.text)
            whole = replace(whole, text=f"{whole.text}{cut}{message.text}")
        else:
            yield _ended(whole, previous)
            whole = message
    if whole is not None:
        yield _ended(whole, rows[-1])


def _ended(whole: Message, last: Row[Any]) -> Message:
    """A message whose last part is `last`."""
    is_in_group = last.author is not None
    if is_in_group and may_go_on(last) and not last.attachments:
        return replace(whole, notes=(*whole.notes, MAY_GO_ON))
    return whole


def _goes_on(previous: Row[Any], row: Row[Any]) -> bool:
    """Whether `row` is the next part of the paste that `previous` is a part of."""
    return (
        may_go_on(previous)
        and bool(row.text)
        and not row.attachments
        and not previous.attachments
        and row.received_at - previous.received_at < PART_SETTLE
        and (row.author, row.sender_name, row.is_forwarded)
        == (previous.author, previous.sender_name, previous.is_forwarded)
        and row.notes in ([], previous.notes)
    )


def _lost_at_the_cut(part: str) -> str:
    """What an app dropped behind a part: nothing where it cut a word; a line break where it
    could choose one, which apps prefer; else the space between two words."""
    if _units(part) >= FULL:
        return ""
    return "\n" if "\n" in part[len(part) // 2 :] else " "


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
