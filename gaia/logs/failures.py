"""How a failure is told in the log: with its traceback, unless it is an outage of the database,
which fails all there is at once and again, and of which the message says everything."""

from __future__ import annotations

import logging

from gaia.errors import StoreError


def log_failure(logger: logging.Logger, exc: Exception, words: str, *arguments: object) -> None:
    """Log a failure of a part that goes on."""
    if isinstance(exc, StoreError):
        logger.error(f"{words}: %s", *arguments, exc)
    else:
        logger.error(words, *arguments, exc_info=exc)
