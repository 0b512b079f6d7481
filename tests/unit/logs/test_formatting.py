"""What a log line carries, its two forms, and what it never shows."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from datetime import UTC, datetime

import pytest

from gaia.logs import REDACTED, RedactingFormatter, turn_in_log
from gaia.logs.line import Line, as_json, as_text, continued, parse

AT = datetime(2026, 11, 28, 17, 3, 2, 125_000, tzinfo=UTC)


def record(message: str, *args: object, exc: bool = False) -> logging.LogRecord:
    return logging.LogRecord(
        "gaia.x", logging.INFO, __file__, 1, message, args, sys.exc_info() if exc else None
    )


def line(message: str, *args: object, secrets: tuple[str, ...] = (), exc: bool = False) -> str:
    return RedactingFormatter(secrets).format(record(message, *args, exc=exc))


def read(text: str) -> Line:
    first, *more = text.split("\n")
    parsed = parse(first)
    assert parsed is not None
    assert all(parse(each) is None for each in more)
    return continued(parsed, more)


def test_known_secrets_are_redacted_the_longer_ones_first() -> None:
    text = line("opensesame-42 opensesame", secrets=("opensesame", "opensesame-42"))
    assert text.endswith(f"gaia.x: {REDACTED} {REDACTED}")


def test_secrets_in_tracebacks_are_redacted() -> None:
    try:
        raise ValueError("asked with opensesame by +4915112345678")
    except ValueError:
        text = line("failed", secrets=("opensesame",), exc=True)
    assert f"ValueError: asked with {REDACTED} by {REDACTED}" in text
    assert "opensesame" not in text


def test_a_secret_that_json_writes_otherwise_is_redacted_too() -> None:
    formatter = RedactingFormatter(('open"sesame\\',), as_json)
    said = json.loads(formatter.format(record("asked with %s", 'open"sesame\\')))
    assert said["message"] == f"asked with {REDACTED}"


def test_lines_carry_the_innermost_turn() -> None:
    assert "[" not in line("before")
    with turn_in_log("t1"):
        assert "[t1] gaia.x: one" in line("one")
        with turn_in_log("t2"):
            assert "[t2] gaia.x: two" in line("two")
        with turn_in_log(None):
            assert "[" not in line("none")
        assert "[t1] gaia.x: one" in line("one")
    assert "[" not in line("after")


async def test_tasks_of_a_turn_carry_it_and_others_do_not() -> None:
    async def said() -> str:
        await asyncio.sleep(0)
        return line("hello")

    outside = asyncio.create_task(said())
    with turn_in_log("t1"):
        inside = asyncio.create_task(said())
    assert "[t1]" in await inside
    assert "[t1]" not in await outside


def test_json_has_all_keys_and_utc() -> None:
    assert json.loads(as_json(Line(AT, "INFO", "gaia.x", None, "hello"))) == {
        "time": "2026-11-28T17:03:02.125Z",
        "level": "INFO",
        "logger": "gaia.x",
        "turn": None,
        "message": "hello",
        "exception": None,
    }


HARD = [
    Line(AT, "INFO", "gaia.x", None, "hello"),
    Line(AT, "WARNING", "gaia.core.handler", "3f2a9c", "two\nlines\n  and more"),
    Line(AT, "ERROR", "gaia", "3f2a9c", "failed", "Traceback (most recent call last):\n  at\nX: y"),
    Line(AT, "INFO", "gaia", None, "[t1] gaia: forged\n2026-11-28 17:03:02.125Z ERROR gaia: no"),
    Line(AT, "CRITICAL", "py.warnings", None, '{"time": "no"}\n{"time": "no"}'),
    Line(AT, "DEBUG", "gaia", None, ""),
]


@pytest.mark.parametrize("original", HARD)
def test_both_forms_are_read_as_they_were_written(original: Line) -> None:
    assert read(as_text(original)) == original
    assert read(as_json(original)) == original


def test_no_message_makes_a_line_of_its_own() -> None:
    text = as_text(Line(AT, "INFO", "gaia", None, f"x\n{as_text(HARD[0])}\r{as_json(HARD[0])}"))
    first, *more = text.split("\n")
    assert parse(first) is not None
    assert [parse(each) for each in more] == [None]
    assert "\r" not in text


def test_what_a_terminal_would_obey_is_spelt_out() -> None:
    assert as_text(Line(AT, "INFO", "gaia", None, "\x1b[2J\x9b\ttab")).endswith(
        "\\x1b[2J\\x9b\ttab"
    )
    for control in "\x1b\x85\u2028\u2029":
        assert control not in as_json(Line(AT, "INFO", "gaia", None, control))
