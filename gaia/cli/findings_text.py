"""Findings as people and scripts read them."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence

import typer

from gaia.cli.chat.control_characters import strip_controls
from gaia.cli.table import terminal_width
from gaia.findings import Check, Finding, Outcome
from gaia.ops.doctor.running import Examined

COLOURS = {
    Outcome.OK: "green",
    Outcome.WARNING: "yellow",
    Outcome.FAILED: "red",
    Outcome.SKIPPED: "bright_black",
}
OUTCOME_WIDTH = max(map(len, Outcome)) + 2
NARROWEST = 24
"""The least room for words: a narrower terminal breaks the lines itself."""


def printer(checks: Sequence[Check]) -> Callable[[Examined], None]:
    """Prints what the checks find, in columns: each finding, its remedy below it."""
    name_width = max(len(check.name) for check in checks) + 2
    width, coloured = terminal_width(), wants_colour()

    def show(examined: Examined) -> None:
        for finding in examined.findings:
            lines = told(examined.check, finding, name_width=name_width, width=width)
            typer.echo("\n".join(_coloured(lines, finding.outcome) if coloured else lines))

    return show


def told(name: str, finding: Finding, *, name_width: int, width: int) -> Sequence[str]:
    """A finding as lines no wider than `width`, unless a word is."""
    indent = OUTCOME_WIDTH + name_width
    detail = _wrapped(finding.detail, width - indent)
    first = f"{finding.outcome:<{OUTCOME_WIDTH}}{name:<{name_width}}{detail[0]}"
    rest = [" " * indent + line for line in detail[1:]]
    remedy = _wrapped(finding.remedy, width - OUTCOME_WIDTH) if finding.remedy else []
    return [first.rstrip(), *rest, *(" " * OUTCOME_WIDTH + line for line in remedy)]


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


def wants_colour() -> bool:
    """Whether standard output shows colours, and nobody has switched them off.

    `NO_COLOR` counts unless it is empty, https://no-color.org.
    """
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") != "dumb"
    )


def _wrapped(text: str, width: int) -> list[str]:
    """Addresses and paths stay whole, for copying."""
    text = " ".join(strip_controls(text).split())
    lines = textwrap.wrap(
        text, max(width, NARROWEST), break_long_words=False, break_on_hyphens=False
    )
    return lines or [""]


def _coloured(lines: Sequence[str], outcome: Outcome) -> Sequence[str]:
    word = typer.style(outcome.value, fg=COLOURS[outcome], bold=outcome is Outcome.FAILED)
    return [word + lines[0].removeprefix(outcome), *lines[1:]]


def _counts(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome, one, many in (
        (Outcome.FAILED, "1 failure", "failures"),
        (Outcome.WARNING, "1 warning", "warnings"),
    ):
        if number := outcomes.count(outcome):
            yield one if number == 1 else f"{number} {many}"
