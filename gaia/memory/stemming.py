"""Stems: the part of a word that its inflected forms share.

Light on purpose: endings are cut and nothing is looked up, so that a stem never depends
on a language being guessed, and stored terms stay comparable with later ones. A word
always has the same stem, so words of a language without rules here are found as they
stand. The English rules are applied to all words in plain Latin letters; the plural `-s`
is common to several of its languages.
"""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

import re

CYRILLIC = re.compile(r"[\u0400-\u04ff]+")
ARABIC = re.compile(r"[\u0600-\u06ff]+")
VOWEL = re.compile(r"[aeiouy]")
DOUBLED = re.compile(r"([bdfgmnprt])\1$")

SIBILANT_PLURALS = ("sses", "xes", "ches", "shes", "zes")
ENGLISH_ENDINGS = ("ingly", "edly", "ing", "ed", "ly")

RUSSIAN_ENDINGS = (
    *("иями", "ями", "ами", "ией", "иям", "ием", "иях", "ого", "его", "ому", "ему", "ыми", "ими"),
    *("ая", "яя", "ое", "ее", "ые", "ие", "ый", "ий", "ой", "ую", "юю", "ах", "ях", "ом", "ем"),
    *("ов", "ев", "ей", "ам", "ям", "ть", "ла", "ло", "ли", "ет", "ут", "ют", "ит", "ат", "ят"),
    *("а", "я", "о", "е", "ы", "и", "у", "ю", "ь", "й"),
)

ARABIC_PREFIXES = ("وال", "بال", "كال", "فال", "لل", "ال")
ARABIC_ENDINGS = ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")

SHORTEST = 3
"""Letters that are left of a word at least."""


def stem(word: str) -> str:
    """The stem of a word, which is normalised and without accents."""
    if word.isascii():
        return _english(word)
    if CYRILLIC.fullmatch(word):
        return _without_ending(word, RUSSIAN_ENDINGS)
    if ARABIC.fullmatch(word):
        return _without_ending(_without_prefix(word, ARABIC_PREFIXES), ARABIC_ENDINGS)
    return word


def _english(word: str) -> str:
    if len(word) <= SHORTEST or not word.isalpha():
        return word
    word = _singular(word)
    for ending in ENGLISH_ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= SHORTEST and VOWEL.search(base):
            word = DOUBLED.sub(r"\1", base) if len(base) > SHORTEST else base
            break
    if len(word) > SHORTEST:
        word = word.removesuffix("e")
    if len(word) > SHORTEST and word.endswith("y"):
        word = word[:-1] + "i"
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > SHORTEST + 1:
        return word[:-3] + "y"
    if word.endswith(SIBILANT_PLURALS):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_prefix(word: str, prefixes: tuple[str, ...]) -> str:
    for prefix in prefixes:
        if word.startswith(prefix) and len(word) - len(prefix) >= SHORTEST:
            return word[len(prefix) :]
    return word


def _without_ending(word: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            return word[: -len(ending)]
    return word
