"""From what a logger is told to a line without secrets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from gaia.logs.line import Line, as_text
from gaia.logs.redaction import Redaction
from gaia.logs.turn import present_turn


class RedactingFormatter(logging.Formatter):
    """Formats a line, traceback and all. Secrets are taken out of what was said before it
    gets its form, in which they would look different."""

    def __init__(self, secrets: Iterable[str], write: Callable[[Line], str] = as_text) -> None:
        super().__init__()
        self._redact = Redaction(secrets, numbers=True)
        self._write = write

    def format(self, record: logging.LogRecord) -> str:
        return self._write(self._line(record))

    def _line(self, record: logging.LogRecord) -> Line:
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        below = [text for text in (record.exc_text, record.stack_info) if text]
        return Line(
            at=datetime.fromtimestamp(record.created, UTC),
            level=record.levelname,
            logger=record.name,
            turn=present_turn(),
            message=self._redact(record.getMessage()),
            exception=self._redact("\n".join(below)) if below else None,
        )
