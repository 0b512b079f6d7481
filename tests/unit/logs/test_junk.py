"""What strangers can have gaia log."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from gaia.logs.handlers import JUNK_SECONDS, OnceAMinute


@pytest.fixture
def junk() -> Iterator[tuple[logging.Logger, list[float]]]:
    now = [1000.0]
    logger = logging.getLogger("tests.junk")
    once = OnceAMinute(lambda: now[0])
    logger.addFilter(once)
    yield logger, now
    logger.removeFilter(once)


def test_a_line_is_logged_once_a_minute_and_says_how_many_were_not(
    junk: tuple[logging.Logger, list[float]], caplog: pytest.LogCaptureFixture
) -> None:
    logger, now = junk
    for number in range(5):
        logger.warning("request %d is invalid", number)
    logger.warning("something else")
    now[0] += JUNK_SECONDS
    logger.warning("request %d is invalid", 5)
    assert caplog.messages == [
        "request 0 is invalid",
        "something else",
        "request 5 is invalid (4 more since this was last said)",
    ]


def test_another_exception_is_another_line(
    junk: tuple[logging.Logger, list[float]], caplog: pytest.LogCaptureFixture
) -> None:
    logger, _ = junk
    for exc in (ValueError("a"), ValueError("b"), KeyError("c")):
        logger.error("it failed", exc_info=exc)
    assert len(caplog.messages) == 2


def test_lines_that_are_never_the_same_are_not_remembered_for_ever() -> None:
    now = [0.0]
    once = OnceAMinute(lambda: now[0])
    for number in range(10_000):
        now[0] += JUNK_SECONDS
        once.filter(logging.makeLogRecord({"msg": f"line {number}"}))
    assert len(once._told_at) < 100
