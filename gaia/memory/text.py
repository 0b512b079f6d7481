"""Text as it is compared and searched: normalised, and cut into terms."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

WORD = re.compile(r"\w+")


def normalise(text: str) -> str:
    """Equal for texts that a reader would take for the same."""
    text = unicodedata.normalize("NFKC", text.replace("\x00", "")).casefold()
    return " ".join(text.split())


def terms(text: str) -> Mapping[str, int]:
    """How often each term stands in the text."""
    return Counter(WORD.findall(normalise(text)))


def content_terms(text: str) -> frozenset[str]:
    """The terms that say something."""
    return frozenset(terms(text))


def storable(text: str) -> str:
    """The text as a file can hold it: without NUL and half characters."""
    return text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
