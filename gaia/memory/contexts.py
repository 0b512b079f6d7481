"""Contexts: where a memory applies. What is global is seen everywhere, what belongs to another
context nowhere but there."""

from __future__ import annotations

import regex

from gaia.errors import UnfitMemoryError

GLOBAL = "global"

LONGEST = 32
"""Characters of a name."""

NAME = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}_.-]*")


def visible(context: str) -> frozenset[str]:
    """The contexts whose memories are seen in one."""
    return frozenset({GLOBAL, context})


ONLY_GLOBAL = visible(GLOBAL)


def checked(words: str) -> str:
    """The name of a context as it is stored.

    Raises:
        UnfitMemoryError: It cannot be one.
    """
    name = words.strip().casefold()
    if len(name) > LONGEST or NAME.fullmatch(name) is None:
        raise UnfitMemoryError(
            f"{words!r} cannot be the name of a context: use one word of at most {LONGEST} letters"
        )
    return name
