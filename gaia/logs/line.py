"""One line of the log: what it says, the two forms in which it is written, and back.

As text it is `2026-11-28 18:17:03.123+01:00 INFO    [turn] logger: message`; what follows
the first line of a message, and an exception, is indented, so that whatever a message
holds, a line that is not indented begins a new one. As JSON it is one object with the keys
time, level, logger, turn, message and exception, always all of them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime

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
    return Line(
        line.at,
        line.level,
        line.logger,
        line.turn,
        "\n".join([line.message, *more[:at]]),
        "\n".join(more[at:]) or line.exception,
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
