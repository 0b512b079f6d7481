"""A line on the terminal that says what is waited for, and goes when it is there."""

from __future__ import annotations

import os
import sys

ERASE_LINE = "\r\x1b[K"


class WaitingLine:
    """Writes to standard error, and only to a terminal that can erase a line."""

    def __init__(self) -> None:
        self._can_erase = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._is_shown = False

    def say(self, name: str) -> None:
        """Show that `name` is being checked."""
        self._write(f"checking {name} ...")
        self._is_shown = True

    def clear(self) -> None:
        """Take the line away, if there is one."""
        if self._is_shown:
            self._write("")
            self._is_shown = False

    def _write(self, text: str) -> None:
        if self._can_erase:
            sys.stderr.write(f"{ERASE_LINE}{text}")
            sys.stderr.flush()
