"""Who of a group said something: in a group's turns each message begins with its
sender's name and a colon, and its other lines are indented.
"""

from __future__ import annotations

from collections.abc import Iterable

import regex

from gaia.memory.digest.passages import Passage
from gaia.store.archive import ArchivedTurn

SENDER = regex.compile(r"^(?P<name>[^\s:][^:\n]{0,79}): ", regex.MULTILINE)


def senders(turns: Iterable[ArchivedTurn]) -> frozenset[str]:
    """The names of all who wrote in these turns."""
    return frozenset(each["name"] for turn in turns for each in SENDER.finditer(turn.words))


def sender_of(passage: Passage) -> str | None:
    """The name of who said this."""
    before = passage.turn.words[: passage.start + len(passage.quote)]
    found = [each["name"] for each in SENDER.finditer(before)]
    return found[-1] if found else None
