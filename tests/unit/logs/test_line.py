"""How lines look on standard error."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gaia.logs.line import Line, as_text, terminal_form

AT = datetime(2026, 11, 28, 17, 3, 2, tzinfo=UTC)
LINE = Line(AT, "ERROR", "gaia", "3f2a", "failed", "Traceback (most recent call last):\nX: y")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(environ: Mapping[str, str]) -> str:
    return terminal_form(Terminal(), environ)(LINE)


def test_a_terminal_gets_the_time_of_day_and_colour() -> None:
    text = shown({"TERM": "xterm"})
    assert text.startswith(f"{AT.astimezone():%H:%M:%S} \x1b[31mERROR\x1b[0m   [3f2a] gaia: failed")


@pytest.mark.parametrize("environ", [{"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}, {}])
def test_nobody_is_shown_colour_against_their_will(environ: Mapping[str, str]) -> None:
    assert "\x1b" not in shown(environ)


def test_the_journal_gets_a_priority_for_each_line_and_no_time(tmp_path: Path) -> None:
    with (tmp_path / "journal").open("w") as stream:
        status = os.fstat(stream.fileno())
        environ = {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
        assert terminal_form(stream, environ)(LINE).split("\n") == [
            "<3>[3f2a] gaia: failed",
            "<3>  Traceback (most recent call last):",
            "<3>  X: y",
        ]


def test_a_pipe_gets_what_the_file_has_also_when_the_journal_is_not_at_its_end(
    tmp_path: Path,
) -> None:
    with (tmp_path / "pipe").open("w") as stream:
        assert terminal_form(stream, {"JOURNAL_STREAM": "1:2"})(LINE) == as_text(LINE)
    assert terminal_form(io.StringIO(), {"JOURNAL_STREAM": "1:2"})(LINE) == as_text(LINE)
