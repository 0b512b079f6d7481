"""Text as phrase books read it: in lower case, without accents, each character of a known
place in the original."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

ALIKE = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "’": "'", "‘": "'", "–": "-", "—": "-"})  # noqa: RUF001
_SPACES = frozenset(" \n")
LAST_ACCENTED = 0x52F
"""Latin, Greek and Cyrillic end here, but for Latin letters of two more blocks."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A text, its folded form, and for each character of that form where it comes from."""

    original: str
    text: str
    places: Sequence[int]

    def source(self, start: int, end: int) -> str:
        """The words of the original that became `text[start:end]`."""
        first, after = self._bounds(start, end)
        return self.original[first:after]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where in the original these words begin and end, without the blanks around them."""
        first, after = self._bounds(start, end)
        words = self.original[first:after]
        return first + len(words) - len(words.lstrip()), after - len(words) + len(words.rstrip())

    def _bounds(self, start: int, end: int) -> tuple[int, int]:
        if not start < min(end, len(self.places)):
            return 0, 0
        after = self.places[end] if end < len(self.places) else len(self.original)
        return self.places[start], after


def fold(original: str) -> Folded:
    """The folded form of a text, with single spaces. Takes any string."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(original):
        if character.isspace():
            if characters and characters[-1] in _SPACES:
                characters[-1] = "\n" if "\n" in (character, characters[-1]) else " "
                continue
            character = "\n" if character == "\n" else " "
        folded = character.lower() if character.isascii() else _fold_character(character)
        characters.append(folded)
        places.extend([place] * len(folded))
    return Folded(original, "".join(characters), places)


def fold_pattern(pattern: str) -> str:
    """The folded form of what stands in a phrase book."""
    return fold(pattern).text


def _fold_character(character: str) -> str:
    if unicodedata.combining(character) and ord(character) <= LAST_ACCENTED:
        return ""
    compatible = unicodedata.normalize("NFKC", character)
    if len(compatible) != 1:
        return character.lower()
    lower = compatible.lower()
    if ord(compatible) <= LAST_ACCENTED or 0x1E00 <= ord(compatible) <= 0x1FFF:
        lower = "".join(
            each for each in unicodedata.normalize("NFD", lower) if not unicodedata.combining(each)
        )
    lower = lower.translate(ALIKE)
    digit = unicodedata.decimal(lower, None) if len(lower) == 1 else None
    return lower if digit is None else str(digit)
