"""Exceptions that nobody caught: they go the way of all lines, past no redaction."""

from __future__ import annotations

import logging
import sys
import threading
from types import TracebackType

logger = logging.getLogger(__name__)


def log_uncaught() -> None:
    """Log what would be printed of this process. For the program that owns it."""
    sys.excepthook = _of_program
    threading.excepthook = _of_thread
    sys.unraisablehook = _unraisable


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
