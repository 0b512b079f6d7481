from __future__ import annotations

import io
import sys

import pytest

from gaia.cli.progress import pull_progress


class TerminalText(io.StringIO):
    """What a terminal was told to show."""

    def isatty(self) -> bool:
        return True


def test_the_bar_fits_into_a_line_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = TerminalText()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    with pull_progress("qwen2.5-coder-1.5b-instruct-q4_k_m") as progress:
        progress.source("the Python package index")
        progress.bytes_done(100_000_000, 1_100_000_000)
    assert "0.1/1.1 GB" in shown.getvalue()
    assert "…" not in shown.getvalue()
