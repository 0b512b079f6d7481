"""A line on the terminal that says what is waited for, and goes when it is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

ERASE_LINE = "\r\x1b[K"


class WaitingLine:
    """Writes to `stream`, and only if that is a terminal that can erase a line."""

    def __init__(self, stream: TextIO, environ: Mapping[str, str]) -> None:
        self._stream = stream
        self._can_erase = stream.isatty() and environ.get("TERM", "dumb") != "dumb"
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
            self._stream.write(f"{ERASE_LINE}{text}")
            self._stream.flush()
