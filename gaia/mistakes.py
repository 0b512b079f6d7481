"""What is wrong in a configuration file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that is wrong in a configuration file, and how to mend it.

    `key` is a dotted path, or empty when the file as a whole is meant; `line`
    and `column` count from 1. Never holds a secret.
    """

    file: str
    line: int | None
    column: int | None
    key: str
    problem: str
    remedy: str

    @property
    def complaint(self) -> str:
        """What is wrong and where, without the remedy."""
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        if self.column is not None:
            place += f", column {self.column}"
        said = f"{self.key} {self.problem}" if self.key else self.problem
        return f"{place}: {said}"

    def __str__(self) -> str:
        return f"{self.complaint}. {self.remedy}"
