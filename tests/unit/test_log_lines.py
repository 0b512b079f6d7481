"""What a log line carries, and what it never shows."""

from __future__ import annotations

import asyncio
import logging
import sys

import pytest

from gaia.logs import REDACTED, RedactingFormatter, _add_turn, turn_in_log


def line(message: str, *args: object, secrets: tuple[str, ...] = (), exc: bool = False) -> str:
    record = logging.LogRecord(
        "gaia.x", logging.INFO, __file__, 1, message, args, sys.exc_info() if exc else None
    )
    assert _add_turn(record)
    return RedactingFormatter(secrets).format(record)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("key sk-abcdefghijklmnopqrstuv end", f"key {REDACTED} end"),
        ("key sk-ant-api03-abcdefghijklmnop_-q end", f"key {REDACTED} end"),
        ("AIza" + "x" * 35, REDACTED),
        ("bot123456789:" + "A" * 35 + "/getUpdates", f"bot{REDACTED}/getUpdates"),
        ("Authorization: Bearer abc.def+ghi/jkl~mno", f"Authorization: Bearer {REDACTED}"),
        ("GET /v1/models?key=hush&alt=sse", f"GET /v1/models?key={REDACTED}&alt=sse"),
        ("a task is risk-averse at 12:00", "a task is risk-averse at 12:00"),
    ],
)
def test_what_looks_like_a_key_is_redacted(text: str, shown: str) -> None:
    assert line("%s", text).endswith(f"gaia.x: {shown}")


def test_known_secrets_are_redacted_the_longer_ones_first() -> None:
    text = line("opensesame-42 opensesame", secrets=("opensesame", "opensesame-42"))
    assert text.endswith(f"gaia.x: {REDACTED} {REDACTED}")


def test_a_secret_with_signs_of_a_pattern_is_taken_as_it_is() -> None:
    assert line("a.c+(x) abc", secrets=("a.c+(x)",)).endswith(f"{REDACTED} abc")


def test_a_value_too_short_for_a_secret_redacts_no_words() -> None:
    assert line("x marks the text", secrets=("x", "")).endswith("x marks the text")


def test_secrets_in_tracebacks_are_redacted() -> None:
    try:
        raise ValueError("asked with opensesame")
    except ValueError:
        text = line("failed", secrets=("opensesame",), exc=True)
    assert f"ValueError: asked with {REDACTED}" in text
    assert text.count("opensesame") == 0


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
