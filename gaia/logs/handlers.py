"""Sets logging up by the settings, and again when they have changed: the files that lines are
written into and their rotation, how often strangers can have a line logged, and how failures
are told, also those that nobody catches."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from io import TextIOWrapper
from logging import LogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path
from time import monotonic
from types import TracebackType

from gaia.errors import StoreError
from gaia.files import create
from gaia.logs.line import as_json, as_text, terminal_form
from gaia.logs.redaction import RedactingFormatter
from gaia.logs.terminal import TerminalHandler
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
    "mem0",
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

OPEN_TO_ANYBODY = ("uvicorn.error", "asyncio", "gaia.web.connections")
"""What these say, anybody who reaches a port can have them say, as often as they like."""

JUNK_SECONDS = 60.0
"""Between two lines that say the same of what strangers do."""

FILE = "gaia.log"
BYTES_PER_MEGABYTE = 1_000_000
logger = logging.getLogger(__name__)


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
        terminal = TerminalHandler(sys.stderr)
        write = as_json if is_json else terminal_form(sys.stderr, os.environ)
        terminal.setFormatter(RedactingFormatter(secrets, write))
        handlers.append(terminal)
    _replace(handlers)
    _set_levels(getattr(logging, settings.level))
    _limit_junk()
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


def _limit_junk() -> None:
    for name in OPEN_TO_ANYBODY:
        logger = logging.getLogger(name)
        if not any(isinstance(each, OnceAMinute) for each in logger.filters):
            logger.addFilter(OnceAMinute())


class OnceAMinute(logging.Filter):
    """A filter that passes a message, as its template and the kind of its exception tell it, once
    a minute. The next one that passes tells how many did not."""

    def __init__(self, seconds: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._seconds = seconds
        self._told_at: dict[object, float] = {}
        self._untold: dict[object, int] = {}

    def filter(self, record: LogRecord) -> bool:
        now, key = self._seconds(), (record.msg, record.exc_info and record.exc_info[0])
        if now - self._told_at.get(key, -JUNK_SECONDS) < JUNK_SECONDS:
            self._untold[key] = self._untold.get(key, 0) + 1
            return False
        self._forget(now)
        self._told_at[key] = now
        untold = self._untold.pop(key, 0)
        if untold:
            record.msg = f"{record.msg} ({untold} more since this was last said)"
        return True

    def _forget(self, now: float) -> None:
        """Keep no message for longer than an hour: some hold what changes each time."""
        old = [key for key, at in self._told_at.items() if now - at > 60 * JUNK_SECONDS]
        for key in old:
            del self._told_at[key]
            self._untold.pop(key, None)


class PrivateFileHandler(RotatingFileHandler):
    """Makes files that only their owner can read.

    A line that reaches it when it is closed is still appended, and the file is left as it
    was: another one writes there by then.
    """

    _is_closed = False

    def _open(self) -> TextIOWrapper:
        create(Path(self.baseFilename))
        return super()._open()

    def emit(self, record: LogRecord) -> None:
        super().emit(record)
        if self._is_closed:
            self.let_go()

    def close(self) -> None:
        with self.lock or nullcontext():
            self._is_closed = True
            super().close()

    def shouldRollover(self, record: LogRecord) -> bool:  # noqa: N802 - logging's name
        return not self._is_closed and bool(super().shouldRollover(record))

    def doRollover(self) -> None:  # noqa: N802 - logging's name
        """Begin a new file, and keep no more of the older ones than there are to be."""
        super().doRollover()
        file = Path(self.baseFilename)
        for number, older in numbered(file.parent, file.name):
            if number > self.backupCount:
                older.unlink(missing_ok=True)

    def let_go(self) -> None:
        """Close the file, within its lock: the next line opens the one that is there then."""
        if self.stream is not None:
            self.stream.close()
            self.stream = None

    def writes_into(self, folder: Path) -> bool:
        """Whether the file is in that folder."""
        return Path(self.baseFilename).parent == folder.absolute()

    def handleError(self, record: LogRecord) -> None:  # noqa: N802 - logging's name
        """A disk that is full costs lines of the file, not a traceback for each."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def log_files(folder: Path) -> Sequence[Path]:
    """The files of a log, the oldest first."""
    older = sorted(numbered(folder, FILE), reverse=True)
    newest = folder / FILE
    return [*(file for _, file in older), *([newest] if newest.is_file() else [])]


def numbered(folder: Path, name: str) -> Sequence[tuple[int, Path]]:
    """The files that were rotated, each with its number: the higher, the older."""
    return [
        (int(file.suffix[1:]), file)
        for file in folder.glob(f"{name}.*")
        if file.suffix[1:].isdecimal() and file.stem == name
    ]


def log_failure(logger: logging.Logger, exc: Exception, words: str, *arguments: object) -> None:
    """Log a failure of a part that goes on: with its traceback, unless it is an outage of the
    database, which fails all there is at once and again, and whose message says everything."""
    if isinstance(exc, StoreError):
        logger.error(f"{words}: %s", *arguments, exc)
    else:
        logger.error(words, *arguments, exc_info=exc)


def log_uncaught() -> None:
    """Log what would be printed of this process. For the program that owns it."""
    sys.excepthook = _of_program
    threading.excepthook = _of_thread
    sys.unraisablehook = _unraisable


def logs_uncaught() -> bool:
    """Whether this process logs what it would print."""
    return sys.excepthook is _of_program


def _of_program(kind: type[BaseException], exc: BaseException, at: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, exc, at)
    else:
        logger.critical("gaia ends by a mistake of its own", exc_info=(kind, exc, at))


def _of_thread(failure: threading.ExceptHookArgs) -> None:
    name = failure.thread.name if failure.thread else "?"
    exc = failure.exc_value
    logger.error("thread %s failed", name, exc_info=exc)


def _unraisable(failure: sys.UnraisableHookArgs) -> None:
    what = failure.err_msg or "an exception could not be raised"
    # The object itself may hold anything, and show it.
    logger.error("%s in %s", what, type(failure.object).__name__, exc_info=failure.exc_value)
