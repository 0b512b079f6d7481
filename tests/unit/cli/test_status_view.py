"""The status report on a terminal."""

from __future__ import annotations

from gaia.cli.status_view import shown
from gaia.ops.status_text import Line, Tone

LONG = "the 24-hour window of WhatsApp is closed: what has not been sent waits until they write"


def told(*lines: Line, width: int = 80, is_coloured: bool = False) -> list[str]:
    return shown(lines, width=width, is_coloured=is_coloured).splitlines()


def test_subjects_and_names_stand_in_columns() -> None:
    assert told(
        Line("home", "/home/ada"),
        Line("channels", "works", name="terminal"),
        Line("channels", "works", name="sms"),
        Line("outbox", "1 waiting"),
        Line("outbox", "1 waits: x"),
    ) == [
        "home       /home/ada",
        "channels   terminal  works",
        "           sms       works",
        "outbox     1 waiting",
        "           1 waits: x",
    ]


def test_long_lines_go_on_below_and_fit_the_terminal() -> None:
    lines = told(Line("outbox", LONG), Line("channels", LONG, name="whatsapp"))
    assert lines == [
        "outbox     the 24-hour window of WhatsApp is closed: what has not been sent",
        "             waits until they write",
        "channels   whatsapp  the 24-hour window of WhatsApp is closed: what has not been",
        "                       sent waits until they write",
    ]
    assert max(map(len, lines)) <= 80


def test_columns_within_a_text_stay() -> None:
    assert told(Line("today", " 3 calls      45 tokens", name="bob")) == [
        "today      bob   3 calls      45 tokens"
    ]


def test_only_what_is_wrong_is_coloured_and_columns_stay() -> None:
    lines = (
        Line("home", "/home/ada"),
        Line("inbox", "2 unanswered", Tone.WARNING),
        Line("channels", "does not work", Tone.BAD, "telegram"),
    )
    plain = told(*lines)
    assert not any("\x1b" in line for line in plain)
    assert told(*lines, is_coloured=True) == [
        plain[0],
        "inbox      \x1b[33m2 unanswered\x1b[0m",
        "channels   telegram  \x1b[31mdoes not work\x1b[0m",
    ]


def test_nothing_that_a_terminal_obeys_is_shown_and_long_names_are_cut() -> None:
    assert told(Line("today", "a\x1b[2Jb", name="\x9b31m" + "x" * 30)) == [
        f"today      {'x' * 19}…  ab"
    ]
