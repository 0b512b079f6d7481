"""Sets logging up by the settings, and anew when they have changed."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from gaia.logs.files import BYTES_PER_MEGABYTE, FILE, PrivateFileHandler
from gaia.logs.formatting import RedactingFormatter
from gaia.logs.line import as_json, as_text
from gaia.logs.terminal import terminal_form
from gaia.settings.schema import LoggingSettings

CHATTY = (
    "google_genai",
    "httpx",
    "httpcore",
    "httpx2",
    "httpcore2",
    "openai",
    "anthropic",
    "alembic",
    "apscheduler",
    "uvicorn",
    "telegram",
    "twilio",
    "watchfiles",
    "tzlocal",
    "markdown_it",
)
"""Libraries that log requests, some with URLs that hold keys, or with messages, or each
look at the time or a folder, or each step of theirs. Only their warnings count."""

SILENT = "google_adk"
"""Logs a traceback for each error that it raises as well; whoever catches it logs it."""


def configure(
    settings: LoggingSettings, folder: Path, secrets: Iterable[str], *, to_terminal: bool
) -> None:
    """Log to `gaia.log` in `folder`, and to standard error if asked.

    For the program that owns the process; again whenever the settings or the secrets have
    changed. No line is lost between the two, and none of the first has a new secret.
    """
    secrets = tuple(secrets)
    is_json = settings.format == "json"
    file = PrivateFileHandler(
        folder / FILE,
        maxBytes=settings.file_megabytes * BYTES_PER_MEGABYTE,
        backupCount=settings.files_kept,
        encoding="utf-8",
        # Half a character, as a broken name may have it, costs no line.
        errors="backslashreplace",
        delay=True,
    )
    file.setFormatter(RedactingFormatter(secrets, as_json if is_json else as_text))
    handlers: list[logging.Handler] = [file]
    if to_terminal:
        terminal = logging.StreamHandler(sys.stderr)
        write = as_json if is_json else terminal_form(sys.stderr, os.environ)
        terminal.setFormatter(RedactingFormatter(secrets, write))
        handlers.append(terminal)
    _replace(handlers)
    _set_levels(getattr(logging, settings.level))
    logging.captureWarnings(capture=True)


def _replace(handlers: list[logging.Handler]) -> None:
    """In one step: a line that another thread logs meanwhile goes to all of the old ones,
    which still append it to the file after they were closed, or to all of the new."""
    root = logging.getLogger()
    before, root.handlers = root.handlers, handlers
    for handler in before:
        handler.close()


def _set_levels(level: int) -> None:
    logging.getLogger().setLevel(level)
    for name in CHATTY:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
    logging.getLogger(SILENT).setLevel(logging.CRITICAL)
