"""Findings as people and scripts read them."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

import typer

from gaia.cli.chat.control_characters import strip_controls
from gaia.findings import Check, Finding, Outcome
from gaia.ops.doctor.running import Examined

COLOURS = {
    Outcome.OK: "green",
    Outcome.FIXED: "blue",
    Outcome.WARNING: "yellow",
    Outcome.FAILED: "red",
    Outcome.SKIPPED: "cyan",
}
OUTCOME_WIDTH = max(map(len, Outcome)) + 2
NARROWEST = 24
"""The least room for words: a narrower terminal breaks the lines itself."""


class Columns:
    """Findings as lines: each in columns, with its remedy below it.

    No line is wider than `width`, unless a word is, such as an address to be copied.
    """

    def __init__(self, checks: Sequence[Check], *, width: int, is_coloured: bool) -> None:
        self._name_width = max(len(check.name) for check in checks) + 2
        self._width = width
        self._is_coloured = is_coloured

    def told(self, examined: Examined) -> str:
        """All that a check found."""
        lines = [
            line for finding in examined.findings for line in self._lines(examined.check, finding)
        ]
        return "\n".join(lines)

    def _lines(self, name: str, finding: Finding) -> Sequence[str]:
        indent = OUTCOME_WIDTH + self._name_width
        detail = _wrapped(finding.detail, self._width - indent)
        remedy = _wrapped(finding.remedy, self._width - OUTCOME_WIDTH) if finding.remedy else []
        first = f"{'':{OUTCOME_WIDTH - len(finding.outcome)}}{name:<{self._name_width}}{detail[0]}"
        return [
            self._outcome(finding.outcome) + first,
            *(" " * indent + line for line in detail[1:]),
            *(" " * OUTCOME_WIDTH + line for line in remedy),
        ]

    def _outcome(self, outcome: Outcome) -> str:
        if not self._is_coloured:
            return outcome.value
        return typer.style(outcome.value, fg=COLOURS[outcome])


def summary(examined: Sequence[Examined]) -> str:
    """The last line: what there is to do."""
    outcomes = [finding.outcome for each in examined for finding in each.findings]
    counted = ", ".join(_counts(outcomes))
    return f"\n{counted}." if counted else "\nAll is well."


def as_json(examined: Sequence[Examined]) -> str:
    """One document: whether a check failed, and each finding apart."""
    findings = [
        {
            "check": each.check,
            "outcome": finding.outcome,
            "detail": finding.detail,
            "remedy": finding.remedy,
        }
        for each in examined
        for finding in each.findings
    ]
    is_ok = not any(each.has(Outcome.FAILED) for each in examined)
    return json.dumps({"ok": is_ok, "findings": findings}, indent=2)


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether colours show on `stream`, and nobody has switched them off.

    `NO_COLOR` counts unless it is empty, https://no-color.org.
    """
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM", "dumb") != "dumb"


def _wrapped(text: str, width: int) -> list[str]:
    """Addresses and paths stay whole, for copying."""
    text = " ".join(strip_controls(text).split())
    lines = textwrap.wrap(
        text, max(width, NARROWEST), break_long_words=False, break_on_hyphens=False
    )
    return lines or [""]


def _counts(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome, one, many in (
        (Outcome.FAILED, "1 failure", "failures"),
        (Outcome.WARNING, "1 warning", "warnings"),
        (Outcome.FIXED, "1 thing mended", "things mended"),
    ):
        if number := outcomes.count(outcome):
            yield one if number == 1 else f"{number} {many}"
