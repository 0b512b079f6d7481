"""Logging: where lines go, what each carries, and what none of them may show.

A line carries the id of the turn that it belongs to. Keys and tokens are
replaced wherever they would appear, tracebacks included.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from gaia.settings.schema import LoggingSettings

FORMAT = "%(asctime)s %(levelname)-7s %(turn)s%(name)s: %(message)s"
REDACTED = "[redacted]"

SECRET_SHAPES = re.compile(
    r"(?:sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|\d{6,}:[A-Za-z0-9_-]{30,}"
    r"|(?<=Bearer )[A-Za-z0-9._~+/-]{8,}|(?<=[?&]key=)[^&\s]+)"
)
"""What looks like a key of OpenAI or Anthropic, of Google, a Telegram bot's
token, or a credential in a header or a URL."""

SHORTEST_SECRET = 6
"""Shorter values, such as the placeholder key of a local server, would redact ordinary words."""

CHATTY = (
    "google_genai",
    "httpx",
    "httpcore",
    "openai",
    "anthropic",
    "aiosqlite",
    "alembic",
    "apscheduler",
    "uvicorn",
    "telegram",
    "twilio",
)
"""Libraries that log requests, some with URLs that hold keys, or with messages, or each
look at the time. Only their warnings count."""

SILENT = "google_adk"
"""Logs a traceback for each error that it raises as well; whoever catches it logs it."""

_turn_id: ContextVar[str | None] = ContextVar("turn_id", default=None)


@contextmanager
def turn_in_log(turn_id: str | None) -> Iterator[None]:
    """Stamp the log lines written within the block, and by its tasks, with the turn's id."""
    token = _turn_id.set(turn_id)
    try:
        yield
    finally:
        _turn_id.reset(token)


def configure(
    settings: LoggingSettings, folder: Path, secrets: Iterable[str], *, to_terminal: bool
) -> None:
    """Log to `gaia.log` in `folder`, and to standard error if asked.

    Called once, by the program that owns the process.
    """
    handlers: list[logging.Handler] = [
        PrivateFileHandler(
            folder / "gaia.log",
            maxBytes=settings.file_megabytes * 1_000_000,
            backupCount=settings.files_kept,
            encoding="utf-8",
            delay=True,
        )
    ]
    if to_terminal:
        handlers.append(logging.StreamHandler(sys.stderr))
    formatter = RedactingFormatter(secrets)
    for handler in handlers:
        handler.setFormatter(formatter)
        handler.addFilter(_add_turn)
    logging.basicConfig(level=settings.level, handlers=handlers, force=True)
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger(SILENT).setLevel(logging.CRITICAL)
    logging.captureWarnings(capture=True)


class PrivateFileHandler(RotatingFileHandler):
    """Makes files that only their owner can read."""

    def _open(self) -> TextIOWrapper:
        os.close(os.open(self.baseFilename, os.O_CREAT | os.O_WRONLY, 0o600))
        return super()._open()

    def let_go(self) -> None:
        """Close the file, within its lock: the next line opens the one that is there then."""
        if self.stream is not None:
            self.stream.close()
            self.stream = None

    def writes_into(self, folder: Path) -> bool:
        """Whether the file is in that folder."""
        return Path(self.baseFilename).parent == folder.absolute()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """A disk that is full costs lines of the file, not a traceback for each."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


class Redaction:
    """Takes known secrets, and what looks like one, out of a text."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = sorted((s for s in secrets if len(s) >= SHORTEST_SECRET), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __call__(self, text: str) -> str:
        text = SECRET_SHAPES.sub(REDACTED, text)
        return self._known.sub(REDACTED, text) if self._known else text


class RedactingFormatter(logging.Formatter):
    """Formats a line, traceback and all, and takes secrets out of the result."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__(FORMAT)
        self._redact = Redaction(secrets)

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(super().format(record))


def _add_turn(record: logging.LogRecord) -> bool:
    turn_id = _turn_id.get()
    record.turn = f"[{turn_id}] " if turn_id else ""
    return True
