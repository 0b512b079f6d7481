"""Lines on standard error: for somebody who looks on, for the journal, or for a pipe."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TextIO

from gaia.logs.line import Line, as_text, body

COLOURS = {"WARNING": "\x1b[33m", "ERROR": "\x1b[31m", "CRITICAL": "\x1b[1;31m"}
PLAIN = "\x1b[0m"

PRIORITIES = {"DEBUG": 7, "INFO": 6, "WARNING": 4, "ERROR": 3, "CRITICAL": 2}
"""As syslog(3) numbers them."""


def terminal_form(stream: TextIO, environ: Mapping[str, str]) -> Callable[[Line], str]:
    """How lines look on `stream`: short on a terminal, without the time in the journal,
    which has its own, and as in a file elsewhere."""
    if is_journal(stream, environ):
        return for_journal
    if not stream.isatty():
        return as_text
    return for_terminal_in_colour if wants_colour(stream, environ) else for_terminal


def for_terminal(line: Line) -> str:
    """The line with the local time of the day."""
    return f"{line.at.astimezone():%H:%M:%S} {line.level:<7} {body(line)}"


def for_terminal_in_colour(line: Line) -> str:
    """The same, with what is wrong in colour."""
    return coloured(for_terminal(line), line.level)


def for_journal(line: Line) -> str:
    """The line, each of its lines with the priority that systemd reads: sd-daemon(3)."""
    priority = f"<{PRIORITIES.get(line.level, 6)}>"
    return "\n".join(priority + each for each in body(line).split("\n"))


def coloured(text: str, level: str) -> str:
    """A text in the colour of its level."""
    colour = COLOURS.get(level)
    return text.replace(level, f"{colour}{level}{PLAIN}", 1) if colour else text


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether colours show on `stream`, and nobody has switched them off.

    `NO_COLOR` counts unless it is empty, https://no-color.org.
    """
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM", "dumb") != "dumb"


def is_journal(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether `stream` is the journal's that `JOURNAL_STREAM` tells of, as systemd.exec(5)
    has it: a program that gaia's own output is piped into inherits the variable."""
    named = environ.get("JOURNAL_STREAM", "")
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{status.st_dev}:{status.st_ino}"
