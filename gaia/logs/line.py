"""One line of the log: what it says, the two forms in which it is written, and back.

As text it is `2026-11-28 18:17:03.123+01:00 INFO    [turn] logger: message`; what follows
the first line of a message, and an exception, is indented, so that whatever a message
holds, a line that is not indented begins a new one. As JSON it is one object with the keys
time, level, logger, turn, message and exception, always all of them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TextIO

INDENT = "  "
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
TRACEBACK = re.compile(r"^[ +|]*(?:Exception Group )?Traceback \(most recent call last\):$")
HEAD = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d{3}(?:[+-]\d\d:\d\d)?) (?P<level>[A-Z]+) +"
    r"(?:\[(?P<turn>\w+)\] )?(?P<logger>[\w.-]+): (?P<message>.*)"
)

CONTROLS = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}
"""What a terminal would obey."""

LINE_ENDS = str.maketrans({"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""Characters that JSON lets stand, and that some programs take for the end of a line."""

COLOURS = {"WARNING": "\x1b[33m", "ERROR": "\x1b[31m", "CRITICAL": "\x1b[1;31m"}
PLAIN = "\x1b[0m"

PRIORITIES = {"DEBUG": 7, "INFO": 6, "WARNING": 4, "ERROR": 3, "CRITICAL": 2}
"""As syslog(3) numbers them."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line, with its exception if one was logged. `at` is aware."""

    at: datetime
    level: str
    logger: str
    turn: str | None
    message: str
    exception: str | None = None

    @property
    def severity(self) -> int:
        """The level as a number: the greater, the worse."""
        return LEVELS.index(self.level) if self.level in LEVELS else len(LEVELS)

    @property
    def said(self) -> str:
        """The message, with the exception below it."""
        return self.message if self.exception is None else f"{self.message}\n{self.exception}"


def as_text(line: Line) -> str:
    """The line for a file, without a line end."""
    at = line.at.astimezone().isoformat(sep=" ", timespec="milliseconds")
    return f"{at} {line.level:<7} {body(line)}"


def body(line: Line) -> str:
    """The text from the turn on."""
    turn = f"[{line.turn}] " if line.turn else ""
    said = line.said.translate(CONTROLS).replace("\n", f"\n{INDENT}")
    return f"{turn}{line.logger}: {said}"


def as_json(line: Line) -> str:
    """The line as an object, without a line end."""
    at = line.at.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    fields = {
        "time": f"{at}Z",
        "level": line.level,
        "logger": line.logger,
        "turn": line.turn,
        "message": line.message,
        "exception": line.exception,
    }
    return json.dumps(fields, ensure_ascii=False).translate(LINE_ENDS)


def parse(text: str) -> Line | None:
    """The line that `text` begins, in either form; None if it belongs to the one before."""
    return _from_json(text) if text.startswith("{") else _from_text(text)


def continued(line: Line, more: list[str]) -> Line:
    """The line with what follows its first: the rest of its message, and an exception."""
    more = [each.removeprefix(INDENT) for each in more]
    at = next((place for place, each in enumerate(more) if TRACEBACK.match(each)), len(more))
    return replace(
        line,
        message="\n".join([line.message, *more[:at]]),
        exception="\n".join(more[at:]) or line.exception,
    )


def _from_text(text: str) -> Line | None:
    head = HEAD.fullmatch(text)
    if head is None:
        return None
    try:
        at = datetime.fromisoformat(head["at"]).astimezone()
    except ValueError:
        return None
    return Line(at, head["level"], head["logger"], head["turn"], head["message"])


def _from_json(text: str) -> Line | None:
    try:
        fields = json.loads(text)
        return Line(
            datetime.fromisoformat(fields["time"]),
            str(fields["level"]),
            str(fields["logger"]),
            None if fields["turn"] is None else str(fields["turn"]),
            str(fields["message"]),
            None if fields["exception"] is None else str(fields["exception"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


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
