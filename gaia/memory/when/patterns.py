"""How the patterns of a phrase book become expressions, and which words beside a phrase are
looked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from gaia.memory.when.folded import fold_pattern

NUMERIC = {
    "never": (r"<y>-\d\d-\d\dt\d\d:\d\d[\d:.]*(?:z|[+-]\d\d:?\d\d)",),
    "iso": (
        r"(?<![\d.:/-])<y>-(?P<mon_n>\d\d)-(?P<d>\d\d)([t ]+<h>:<m>(:\d\d)?)?(?![\d/-])",
        r"(?<![\d.:/-])<y>(?P<sep>[./])(?P<mon_n>\d\d?)\g<sep>(?P<d>\d\d?)(?![\d/-])",
    ),
    "dotted": (r"(?<![\d.:/-])(<wd>,? )?(?P<d>\d\d?)\. ?(?P<mon_n>\d\d?)\. ?<y>(?![\d/-])",),
    "slashed": (r"(?<![\d.:/-])(?P<d>\d\d?)(?P<sep>[/-])(?P<mon_n>\d\d?)\g<sep><y>(?![\d/-])",),
}
"""Dates in figures alone, which every language has. One with a zone of its own is not read."""

AND = "and|und|y|e|et|en|og|och|i|и|ve|&|和|零|과|와|"
"""What stands between hours and minutes, in any language."""

OR = "or|oder|ou|of|eller|lub|или|veya|或"

HALF = (
    "(an? |ein(er)? |une? |una |uma )?(half|quarter|halb|viertel|dreiviertel|demie?|quart|medi[ao]"
    "|cuarto|mezz[ao]|quarto|mei[ao]|kwart|половин|четверт|pół|kwadrans|halv|kvart|buçuk|半|반)"
)
"""A part of a unit, in any language."""

TABLE = regex.compile(r"(?<![Pg])<([a-z]+)(\d?)>")

EDGES = ("until", "since", "from", "to", "not")
"""Kinds that stand before another phrase, or with `_after` behind it."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of a book as an expression: what its phrases mean, and the words they may have."""

    kind: str
    expression: regex.Pattern[str]
    offset: int = 0
    fixed: Mapping[str, str] = field(default_factory=dict)
    """Words that the pattern means without naming them."""


class Writer:
    """Makes expressions of patterns."""

    def __init__(self, tables: Mapping[str, Any], ordinal: str, *, spaced: bool) -> None:
        self.spaced = spaced
        self.gap = r"\s+" if spaced else r"\s*"
        words = {
            name: "|".join(expression.pattern for expression, _ in table)
            for name, table in tables.items()
        }
        self.alternatives = {
            **words,
            "n": "|".join(filter(None, (r"\d{1,3}", words["n"]))),
            "h": "|".join(filter(None, (r"[01]?\d|2[0-4]", words["h"]))),
            "m": r"[0-5]\d",
            "d": r"0?[1-9]|[12]\d|3[01]",
            "y": r"(?:19|20)\d\d",
        }
        self.ordinal = ordinal

    def expression(self, pattern: str, edges: tuple[str, str] | None = None) -> str:
        """An expression of the regex module."""
        folded = fold_pattern(pattern).replace("(?p<", "(?P<").replace(" ", self.gap)
        folded = folded.replace("<ordinal>", self.ordinal)
        folded = folded.replace(f"{self.gap}?", r"\s*")
        whole = TABLE.sub(self._table, folded)
        before, after = edges or ((r"(?<![\w])", r"(?![\w])") if self.spaced else ("", ""))
        return f"{before}(?:{whole}){after}"

    def _table(self, found: regex.Match[str]) -> str:
        table, name = found[1], found[1] + found[2]
        if table == "weekdays":
            one = self.alternatives["weekday"]
            return rf"(?P<weekdays>(?:{one})s?(?:[\s,、]+(?:\w{{1,3}}\s+)*(?:{one})s?)*)"
        inner = self.alternatives[table]
        name = table if found[2] == "3" else name
        digits = table in {"d", "m", "h", "y", "n"}
        inner = rf"(?<!\d)(?:{inner})(?!\d)" if digits and not self.spaced else f"(?:{inner})"
        if table == "bareday":
            name = f"weekday{found[2]}"
        return rf"(?P<{name}>{inner})"


def patterns_of(told: Mapping[str, Any], write: Writer) -> Iterator[Pattern]:
    """The patterns that a book has, and the dates in figures of every language."""
    for kind, table in (("day_part", "day_parts"), ("day", "days")):
        for offset, patterns in told.get(table, {}).items():
            for pattern in listed(patterns):
                expression = regex.compile(write.expression(pattern))
                yield Pattern(kind, expression, int(offset))
    for key, patterns in told["phrases"].items():
        kind, _, unit = key.partition(":")
        fixed = {"unit": unit, "period": unit} if unit else {}
        if kind not in EDGES and not kind.endswith("_after"):
            for pattern in _with_two_units(listed(patterns)):
                yield Pattern(kind, regex.compile(write.expression(pattern)), fixed=fixed)
    for kind, figures in NUMERIC.items():
        for pattern in figures:
            yield Pattern(kind, regex.compile(write.expression(pattern, ("", ""))))


def _with_two_units(patterns: Sequence[str]) -> Iterator[str]:
    """The patterns, and those of a length with two units as well: "in 1 hour and 30 minutes"."""
    yield from patterns
    for pattern in patterns:
        for length in ("<n> <unit>", "<n> ?<unit>", "<n><unit>"):
            if length in pattern and "<n2>" not in pattern:
                yield pattern.replace(length, rf"{length},? ?({AND}) ?<n2> ?<unit2>")


def edges_of(phrases: Mapping[str, Any], write: Writer) -> Iterator[tuple[str, regex.Pattern[str]]]:
    """The words before and after a phrase, such as "until", by their kind."""
    for kind in EDGES:
        if kind in phrases:
            words = "|".join(listed(phrases[kind]))
            before = r"(?<![\w])" if write.spaced else ""
            yield kind, regex.compile(write.expression(words, (before, r"\s*$")))
        if f"{kind}_after" in phrases:
            words = "|".join(listed(phrases[f"{kind}_after"]))
            yield f"{kind}_after", regex.compile(write.expression(words, (r"\s*", "")))


def unread_of(told: Mapping[str, Any], write: Writer) -> Iterator[tuple[str, regex.Pattern[str]]]:
    """Words beside a phrase: so long before or after it, another length, or which week, month
    or year."""
    words = told["phrases"]
    edges = [each for kind in ("until", "since", "not") for each in listed(words.get(kind, ()))]
    joined = "|".join(edges)
    length = "<n3> ?<unit3>"
    some = "(<n3> )?<unit3>" if write.spaced else length
    larger = "|".join(told["units"][unit] for unit in ("week", "month", "year"))
    glue = rf"(?:(?:{told['glue']}) )*" if write.spaced else "の?的?의?"
    start, blank = (r"(?<!\w)" if write.spaced else ""), r"[\s,]*"
    for name, pattern, edge in (
        ("apart", told.get("apart", rf"{some} ({joined})" if joined else ""), (start, r"(?!\w)")),
        ("length_before", rf"{length},? ?({AND})", (start, r"\s*$")),
        ("length_after", rf"({AND}) ?({HALF}|\d|{length})", (blank, "")),
        ("time_after", rf"({AND}{OR}) <h3>", (blank, r"(?!\w)")),
        ("part_too", f"({AND}{OR}) {glue}<part3>" if write.spaced else "", (blank, r"(?!\w)")),
        ("unit_after", "<unit3>" if write.spaced else "", (r"\s*", r"(?!\w)")),
        ("week_after", f"({told['units']['week']})" if write.spaced else "", (r"\s+", r"(?!\w)")),
        ("part_after", f"{glue}({larger})", (r"\s*", r"(?!\w)" if write.spaced else "")),
    ):
        if pattern:
            yield name, regex.compile(write.expression(pattern, edge))


def listed(patterns: str | Sequence[str]) -> Sequence[str]:
    """The patterns of one key."""
    return [patterns] if isinstance(patterns, str) else patterns
