"""The language of a message, and what has a small model answer in it, to the person.

Told only to answer in the language of the message, a small model answers many a message
in English; and what people say of themselves it says over again, as if it were the person.
Shown once how it is done, it does neither: a conversation begins with an example in its
language. A message in another language than that asks for an answer in its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

FEWEST_WORDS = 2
"""Fewer words belong to several languages, or are names."""
LEAST_LEAD = 9.0
"""As a logarithm, how much likelier than English a language is, or English than others."""

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?<!\w)'[^']*'(?!\w)")


def language_of(message: str) -> str:
    """The language of `message`, by ISO 639-1; empty where it is not certain. Words in
    quotation marks are spoken of, and do not count, nor do those after a colon, unless what
    stands before it is a name. The first call loads what it needs and takes a second."""
    before, _, after = _QUOTED.sub(" ", message).partition(":")
    own = before if _has_words(before) else after
    if not _has_words(own):
        return ""
    import py3langid  # type: ignore[import-untyped]

    ranked = py3langid.rank(own)
    (language, likelihood), (_, next_likelihood) = ranked[:2]
    rival = next_likelihood if language == "en" else dict(ranked)["en"]
    return language if likelihood - rival >= LEAST_LEAD else ""


class Manner(NamedTuple):
    """What asks for an answer in a language, in that language, and what somebody says and is
    answered, by turns: nothing that could be taken for what is known of a person."""

    request: str = ""
    example: Sequence[str] = ()


@cache
def manners() -> Mapping[str, Manner]:
    """By language."""
    told = json.loads(resources.files(__package__).joinpath("manners.json").read_bytes())
    return {language: Manner(**manner) for language, manner in told.items()}


def _has_words(text: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", text)) >= FEWEST_WORDS
