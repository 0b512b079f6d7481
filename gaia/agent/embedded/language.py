"""The language of a message, and the words that ask a small model to answer in it.

Told only to answer in the language of the message, a small model answers many a message
in English, above all what people say of themselves.
"""

from __future__ import annotations

import re

REQUESTS = {
    "de": "Antworte auf Deutsch.",
    "es": "Responde en español.",
    "fr": "Réponds en français.",
    "it": "Rispondi in italiano.",
    "pt": "Responda em português.",
}
"""What asks for an answer in each language, in that language: in English it helps less."""
FEWEST_WORDS = 2
"""Fewer words belong to several languages, or are names."""
LEAST_LEAD = 10.0
"""How much likelier than English a language has to be, as a logarithm."""

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?<!\w)'[^']*'(?!\w)")


def request_for(message: str) -> str:
    """What asks for an answer in the language of `message`: empty for English, for a
    language without such a request, and where the language is not certain. Words in
    quotation marks are spoken of, and do not count, nor do those after a colon, unless what
    stands before it is a name. The first call loads what it needs and takes a second."""
    before, _, after = _QUOTED.sub(" ", message).partition(":")
    own = before if _has_words(before) else after
    if not _has_words(own):
        return ""
    import py3langid  # type: ignore[import-untyped]

    ranked = py3langid.rank(own)
    language, likelihood = ranked[0]
    if likelihood - dict(ranked)["en"] < LEAST_LEAD:
        return ""
    return REQUESTS.get(language, "")


def _has_words(text: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", text)) >= FEWEST_WORDS
