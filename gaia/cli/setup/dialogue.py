"""How questions are put to somebody at a terminal, and what is told them in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import typer

from gaia.cli.console import ask_hidden, strip_controls, wrapped
from gaia.errors import GaiaError
from gaia.findings import Finding, Outcome
from gaia.text import number_in

COLOURS = {Outcome.OK: "green", Outcome.WARNING: "yellow", Outcome.FAILED: "red"}
WIDEST = 92
"""Wider lines are hard to read, however wide the terminal is."""


@dataclass(frozen=True, slots=True)
class Option:
    """One of several things to choose from. `note` says what speaks for it, or is there."""

    name: str
    about: str
    note: str = ""
    is_lacking: bool = False
    """Whether the note speaks against it."""


class Dialogue:
    """Questions and answers. Ctrl-C and Ctrl-D raise `typer.Abort`, out of each of them."""

    def __init__(self, *, width: int, is_coloured: bool) -> None:
        self._width = min(width, WIDEST)
        self._is_coloured = is_coloured

    def heading(self, text: str) -> None:
        """Begin a step."""
        typer.echo(f"\n{self._styled(text, bold=True)}")

    def say(self, text: str) -> None:
        """Tell something, in lines no wider than the terminal. A word stays whole."""
        typer.echo("\n".join(self._wrapped(text)))

    def show(self, line: str) -> None:
        """Show a line that is to be copied, in one piece."""
        typer.echo(f"  {line}")

    def told(self, finding: Finding) -> None:
        """Tell what was found, and below it what to do."""
        colour = COLOURS.get(finding.outcome)
        if finding.outcome is not Outcome.SKIPPED:
            lead = f"{finding.outcome}: "
            first, *others = self._wrapped(lead + finding.detail)
            marked = self._styled(lead.strip(), fg=colour) + first[len(lead) - 1 :]
            typer.echo("\n".join([marked, *others]))
        if finding.remedy:
            self.say(finding.remedy)

    def ask(
        self, question: str, *, default: str = "", check: Callable[[str], str] | None = None
    ) -> str:
        """A line. Enter is the default; an answer that `check` refuses, by an error of
        gaia's, is asked for again."""
        while True:
            given = typer.prompt(question, default=default, show_default=bool(default))
            answer = strip_controls(str(given)).strip()
            try:
                return check(answer) if check else answer
            except GaiaError as exc:
                self.refuse(str(exc))

    def ask_hidden(self, question: str, *, check: Callable[[str], str] | None = None) -> str:
        """A line that does not show; empty if there was none."""
        while True:
            answer = ask_hidden(question).strip()
            try:
                return check(answer) if check and answer else answer
            except GaiaError as exc:
                self.refuse(str(exc))

    def confirm(self, question: str, *, default: bool) -> bool:
        """Yes or no."""
        return typer.confirm(question, default=default)

    def choose(self, question: str, options: Sequence[Option], *, default: int) -> int:
        """The place of one of the options, by its number or its name."""
        width = max(len(option.name) for option in options) + 2
        for place, option in enumerate(options, 1):
            typer.echo(self._listed(f"  {place}  {option.name:<{width}}", option))
        names = [option.name.casefold() for option in options]
        while True:
            answer = self.ask(question, default=str(default + 1)).casefold()
            if answer in names:
                return names.index(answer)
            number = number_in(answer)
            if number is not None and 1 <= number <= len(options):
                return number - 1
            self.refuse(f"There is no {answer!r}: write a number from 1 to {len(options)}.")

    def _listed(self, start: str, option: Option) -> str:
        """An option, in lines that begin below each other."""
        note = f"({option.note})" if option.note else ""
        lines = self._wrapped(f"{option.about} {note}", beside=len(start))
        told = start + f"\n{' ' * len(start)}".join(lines)
        if note and told.endswith(note):
            colour = "yellow" if option.is_lacking else "green"
            told = told.removesuffix(note) + f"({self._styled(option.note, fg=colour)})"
        return told

    def refuse(self, reason: str) -> None:
        """Say why an answer cannot be taken."""
        lead, *others = self._wrapped(f"{reason[:1].upper()}{reason[1:].rstrip('.')}.")
        typer.echo("\n".join([self._styled(lead, fg="red"), *others]))

    def _wrapped(self, text: str, *, beside: int = 0) -> list[str]:
        return wrapped(" ".join(strip_controls(text).split()), max(self._width - beside, 1))

    def _styled(self, text: str, *, fg: str | None = None, bold: bool | None = None) -> str:
        return typer.style(text, fg=fg, bold=bold) if self._is_coloured else text
