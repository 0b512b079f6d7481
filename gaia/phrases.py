"""Phrases as patterns: what people say, in a notation that reads like it.

`[]` may be missing, `(|)` are alternatives, `~` stands for any words and `_` for one. `{}` is what
is wanted, and `…` is short for `{~}`; `<>` has a name of its own, `called`. Accents may be missing:
many leave them out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from importlib import resources
from typing import Any

import regex
import yaml

NOTATION = {
    "[": "(?:",
    "]": ")?",
    "(": "(?:",
    ")": ")",
    "|": "|",
    "{": "(?P<wanted>",
    "}": ")",
    "~": ".+?",
    "_": r"[\w'-]+",
    "…": "(?P<wanted>.+?)",
    "<": "(?P<called>",
    ">": ")",
    # What stands between two words that may be missing need not be there either.
    " ": r"(?:\s+|\b\s*)",
}


def phrases_in(package: str, name: str) -> Any:
    """The phrases in a YAML file of a package, in whatever order they stand there."""
    return yaml.safe_load(resources.files(package).joinpath(name).read_text("utf-8"))


def any_phrase(phrases: Iterable[str]) -> regex.Pattern[str]:
    """A pattern for any of some phrases, to be looked for in what `without_accents` leaves."""
    return regex.compile("|".join(map(_pattern, phrases)), regex.IGNORECASE)


def without_accents(text: str) -> str:
    """A text without accents, in which everything has the same place."""
    return "".join(unicodedata.normalize("NFD", each)[0] for each in text)


def _pattern(phrase: str) -> str:
    return "".join(NOTATION.get(each) or regex.escape(each) for each in without_accents(phrase))
