"""Findings as lines of a terminal, and the line that says what is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import pytest

from gaia.cli.findings_text import Columns, summary, wants_colour
from gaia.cli.waiting_line import WaitingLine
from gaia.findings import Check, Finding, failed, ok, warning
from gaia.ops.doctor.running import Examined

XTERM = {"TERM": "xterm"}
LONG = "nobody at all answers there, however long and however often it is asked"


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


async def nothing() -> Sequence[Finding]:
    return []


def told(*findings: Finding, width: int = 60, is_coloured: bool = False) -> str:
    columns = Columns([Check("address", nothing)], width=width, is_coloured=is_coloured)
    return columns.told(Examined("address", findings))


def test_a_finding_is_a_line_and_its_remedy_stands_below() -> None:
    assert told(ok("is fine"), failed("is not", "Mend it.")).splitlines() == [
        "ok       address  is fine",
        "failed   address  is not",
        "         Mend it.",
    ]


def test_long_words_are_broken_at_blanks_under_their_column() -> None:
    assert told(failed(LONG, LONG)).splitlines() == [
        "failed   address  nobody at all answers there, however long",
        "                  and however often it is asked",
        "         nobody at all answers there, however long and",
        "         however often it is asked",
    ]


@pytest.mark.parametrize("width", [1, 20, 40, 80])
def test_an_address_is_never_broken(width: int) -> None:
    url = "https://gaia.example/" + "-very-long" * 10
    assert url in told(failed(f"see {url}", f"open {url}"), width=width)


def test_nothing_that_a_terminal_obeys_is_shown() -> None:
    shown = told(failed("a\x1b[2Jb\x07\nc", "d\x9b31me"))
    assert shown.splitlines() == ["failed   address  ab c", "         de"]


def test_the_outcome_alone_is_coloured_and_columns_stay() -> None:
    plain = told(warning("is odd", "Look."))
    coloured = told(warning("is odd", "Look."), is_coloured=True)
    assert coloured == plain.replace("warning", "\x1b[33mwarning\x1b[0m")


def test_the_last_line_counts_what_there_is_to_do() -> None:
    assert summary([Examined("a", [ok("")])]) == "\nAll is well."
    found = [Examined("a", [failed("", ""), failed("", "")]), Examined("b", [warning("")])]
    assert summary(found) == "\n2 failures, 1 warning."


def test_colours_are_for_terminals_that_nobody_wants_plain() -> None:
    assert wants_colour(Terminal(), XTERM)
    assert wants_colour(Terminal(), {**XTERM, "NO_COLOR": ""})
    assert not wants_colour(Terminal(), {**XTERM, "NO_COLOR": "1"})
    assert not wants_colour(Terminal(), {"TERM": "dumb"})
    assert not wants_colour(StringIO(), XTERM)


def test_what_is_waited_for_is_said_and_taken_away() -> None:
    terminal = Terminal()
    line = WaitingLine(terminal, XTERM)
    line.clear()
    assert terminal.getvalue() == ""
    line.say("address")
    assert terminal.getvalue() == "\r\x1b[Kchecking address ..."
    line.clear()
    line.clear()
    assert terminal.getvalue() == "\r\x1b[Kchecking address ...\r\x1b[K"


@pytest.mark.parametrize(
    ("stream", "environ"), [(StringIO(), XTERM), (Terminal(), {"TERM": "dumb"})]
)
def test_nothing_is_said_where_it_could_not_be_taken_away(
    stream: StringIO, environ: dict[str, str]
) -> None:
    line = WaitingLine(stream, environ)
    line.say("address")
    line.clear()
    assert stream.getvalue() == ""
