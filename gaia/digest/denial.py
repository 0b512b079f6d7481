"""Denial: whether a sentence says by itself that something known of its user is not so.

Nobody understands the sentence here. A clause of it denies what is known where it consists of
the same words, of such as deny, and of such as say nothing, and where it speaks of its user: so
one that names somebody else, a dream, a doubt or another time never does. What these closed
classes of words miss stands beside what is known.
"""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

import unicodedata
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache

import regex

from gaia.digest.plain import SAME_MARKS, AnyOf, plain, words_of
from gaia.memory.text import terms

CONDITIONAL = AnyOf("conditional")
UNREAL = AnyOf("unreal")

BREAK = regex.compile(
    r"[,;.!?…،؛、。，；！？\n]|\s[-–—]\s"
    r"|(?<!')\b(?:and|but|because|since|und|aber|weil|denn|seit|et|depuis|y|pero|porque|desde|e"
    r"|perché|maar|omdat|sinds|och|sedan|и|но|ve|ama|çünkü)\b(?!')",
    regex.IGNORECASE,
)
WORD = regex.compile(
    r"(?V1)(?P<kana>\p{Hiragana}+)|\p{Han}|[\p{Katakana}ー]+"
    r"|[[\p{L}\p{N}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}ー]]+"
)
KANA = regex.compile(
    r"(?:もう|[はがをにで])*|\p{Hiragana}{0,2}(?:[てで]い)?"
    r"(?:る|だ|です|ます|(?P<no>ない|なく(?:なった|なりました)|(?:ありま)?せん|ません)(?:です|でした)?)"
)
"""The endings and particles around Japanese words."""

SHORT = (
    (regex.compile(r"\b[Ii]'m\b"), "we"),
    (regex.compile(r"\bI\b|(?:^|(?<=[,;.] ))i\b|\bi(?= (?:am|do|have|no|never)\b)"), "we"),
    (regex.compile(r"(?<=\w)n't\b", regex.IGNORECASE), " not"),
    (regex.compile(r"(\w+?)[ae]?m([ıiuü]yor(?:um|uz)\b)"), r"değilim \1\2"),
)
"""What is written in short: denials within a word, in English and in Turkish, as in `don't`
and `yaşamıyorum`; and the English `I`, which is `in` or `and` to others."""

OF_SPEAKER = regex.compile(r"(?:o|mos?|m|my|ę|u[mz]|у|ю)$")
"""Endings of verbs of those who speak of themselves, in languages that need no `I`."""

TURKISH_AM = regex.compile(r"(\w+)y?[ıiuü]m \1")
FORMS = regex.compile(r"(\p{Ll}\w{2,})[aei]?t? \1(?:o|e|ę|e?m|u[mz]|[ai]?mos?|en)?")
"""Forms of a word: with the ending that is `I am` in Turkish, and without it; of a verb, as it is
said of somebody, and by them: `vive vivo`."""

HAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


@dataclass(frozen=True, slots=True)
class Clause:
    """What is left of a clause: the words that say something, as they are written, which
    deny, whether it is of its speaker, and whether in a script without spaces."""

    words: Sequence[str]
    denials: Set[str]
    is_of_speaker: bool
    is_unspaced: bool


class Statement:
    """What is known of a user, or was said by them, as it may be denied. `names` are the terms
    by which it may name them."""

    def __init__(self, known: str, names: Set[str]) -> None:
        clause = _clause(known)
        self._words = [each for each in clause.words if _term(each) not in names]
        self._is_named = len(self._words) < len(clause.words)
        if self._is_named:
            self._words = [each for each in self._words if _term(each) not in _terms_of("is")]
        self._clause = clause

    def is_denied_by(self, said: Sequence[Clause]) -> bool:
        """Whether one of the clauses of what its user said denies it, or says what it denies."""
        return bool(self._words) and any(
            self._is_denied_by(clause, is_first=clause is said[0]) for clause in said
        )

    def _is_denied_by(self, clause: Clause, *, is_first: bool) -> bool:
        forms = _forms(self._words, clause.words, is_inflected=self._is_named)
        if forms is None or clause.denials == self._clause.denials:
            return False
        # `Mein Bruder zog um und wohnt nicht mehr hier`: who is meant is said in the first one.
        if clause.is_of_speaker or (is_first and clause.is_unspaced):
            return True
        if self._is_named:
            return any(one != other and OF_SPEAKER.search(other) for one, other in forms)
        return not (self._clause.is_of_speaker or clause.is_unspaced)


def denies(said: str, known: str, names: Set[str]) -> bool:
    """Whether what a user said denies what is known of them, see `Statement`."""
    return Statement(known, names).is_denied_by(clauses(said))


def clauses(said: str) -> Sequence[Clause]:
    """The clauses of what somebody said outright; none where one is a dream, or depends on
    another, or holds somewhere alone."""
    found = [each.strip() for each in BREAK.split(said) if each and each.strip()]
    told = [_clause(each) for each in found]
    if UNREAL.search(plain(said)) or any(map(_restricts, found, told)):
        return []
    return told


def _clause(text: str) -> Clause:
    written = unicodedata.normalize("NFKC", text).translate(SAME_MARKS)
    for short, full in SHORT:
        written = short.sub(full, written)
    words: list[str] = []
    denials: set[str] = set()
    is_of_speaker = False
    for found in WORD.finditer(written):
        kana = KANA.fullmatch(found["kana"]) if found["kana"] else None
        term = _term(found.group())
        if (kana and kana["no"]) or term in _terms_of("denying"):
            denials.add(term)
        elif not (kana or term in _terms_of("who") or term in _terms_of("empty")):
            words.append(found.group())
        is_of_speaker |= term in _terms_of("who")
    return Clause(words, denials, is_of_speaker, HAN.search(text) is not None)


def _forms(
    known: Sequence[str], said: Sequence[str], *, is_inflected: bool
) -> Sequence[tuple[str, str]] | None:
    """The words of two statements, side by side, if they are the same in the same order,
    wherever that begins: `in Graz wohne` and `wohnt in Graz`; else None. One may be another
    form where it `is_inflected`."""
    if len(known) != len(said):
        return None
    starts = 1 if any(map(HAN.search, known)) else len(known)
    for start in range(starts):
        forms = list(zip([*known[start:], *known[:start]], said, strict=True))
        others = [each for each in forms if _term(each[0]) != _term(each[1])]
        if not others or (len(others) == 1 and _is_form(*others[0], is_inflected=is_inflected)):
            return forms
    return None


def _is_form(known: str, said: str, *, is_inflected: bool) -> bool:
    """Whether two words may be forms of one; a name has none."""
    both = f"{known} {said.casefold()}"
    if TURKISH_AM.fullmatch(both.casefold()):
        return True
    return is_inflected and FORMS.fullmatch(both) is not None


def _restricts(text: str, clause: Clause) -> bool:
    """Whether another clause depends on this one, by one of its first two words, or by the
    first where it but tells a place or a time."""
    first = plain(text).split()[:2]
    places = _term(first[0]) in _terms_of("placing") and not (
        clause.is_of_speaker or clause.denials
    )
    return CONDITIONAL.search(" ".join(first)) is not None or (places and bool(clause.words))


@cache
def _terms_of(name: str) -> Set[str]:
    """The terms of a class of `words.yaml`."""
    return frozenset(map(_term, words_of(name)[0]))


def _term(word: str) -> str:
    return " ".join(terms(word))
