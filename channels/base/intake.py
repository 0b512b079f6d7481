"""What both channels do alike with a message that arrives: its text is made storable, and cut.

One that cannot be read or committed comes again a few times, and is then set aside with a
line in the log, so that it neither comes again for ever nor hides those behind it.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass

from gaia import fence
from gaia import text as texts
from gaia.errors import StoreError
from gaia.lru import LruCache
from gaia.messages import Attachment, RepliedTo

LONGEST_NAME = 128
LONGEST_WORDS = 300
"""How many characters of somebody else's words, or of a name, a note has."""

ATTEMPTS = 5
"""How often the core may fail at a message, for another reason than its store."""

_MOST_REMEMBERED = 500

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
"""What JSON can carry and no database takes: NUL, and half of a pair of surrogates."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a message holds besides its words: files, notes of the rest, and what it
    replies to."""

    attachments: tuple[Attachment, ...] = ()
    notes: tuple[str, ...] = ()
    replied_to: RepliedTo | None = None


def clean(text: str) -> str:
    """Replace what cannot be stored in `text`."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str, longest: int) -> str:
    """Put `text` into one line of at most `longest` characters, and make it storable."""
    return texts.one_line(clean(text), longest)


def quoted(text: str, longest: int = LONGEST_WORDS) -> str:
    """Put words of others into quotes, which nothing in them can end, and make them storable."""
    return fence.quoted(clean(text), longest)


def quoted_if_command(text: str) -> str:
    """Put a command that somebody else gave into quotes, so that nobody gives it."""
    return f'"{text}"' if text.startswith("/") else text


def unknown_note(text: str, content: Content, kind: str) -> tuple[str, ...]:
    """Note that nothing was found in a message: it is newer than gaia, most likely."""
    if text or content.attachments or content.notes:
        return ()
    named = f": {quoted(kind)}" if kind else ""
    return (f"(sent something that cannot be read here{named})",)


class Attempts:
    """Counts how often the core failed at each message, by the provider's name for it.

    It remembers those that failed last.
    """

    def __init__(self) -> None:
        self._failures = LruCache[Hashable, int](_MOST_REMEMBERED)

    def fail(self, name: Hashable) -> bool:
        """Count a failure, and tell whether it was the last one allowed."""
        failures = (self._failures.get(name) or 0) + 1
        if failures >= ATTEMPTS:
            self._failures.drop(name)
            return True
        self._failures.put(name, failures)
        return False

    async def commit(
        self, name: Hashable, committing: Awaitable[None], set_aside: Callable[[Exception], None]
    ) -> None:
        """Commit a message, or call `set_aside` once the core failed at it too often.

        Raises `StoreError` while the message is to come again.
        """
        try:
            await committing
        except StoreError:
            raise
        except Exception as exc:
            if not self.fail(name):
                raise StoreError(f"gaia fails at it: {type(exc).__name__}") from exc
            set_aside(exc)


def log_set_aside(
    logger: logging.Logger, what: str, exc: Exception, fields: Sequence[str] | None = None
) -> None:
    """Log that `what` is set aside: the type of the error, where it was raised, and the
    names of the fields that arrived. The error's own words may be those of the message."""
    named = None if fields is None else ", ".join(fields) or "nothing known"
    reading = f" while reading {named}" if named else ""
    trace = "".join(traceback.format_tb(exc.__traceback__)).rstrip()
    logger.error("%s is set aside: %s%s\n%s", what, type(exc).__name__, reading, trace)
