"""Grounds: whether the names and figures of a text were said, or come from nowhere.

A model that is asked for facts adds what it knows or makes up: a year, a surname, the
name of somebody else. Names are words that begin with a capital letter; where a script
has none, most of what a text says has to come from what was said.
"""
# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set
from datetime import date
from functools import cached_property
from itertools import takewhile

import regex

from gaia.memory.digest.figures import Figures, Founded
from gaia.memory.digest.passages import UNSPACED
from gaia.memory.text import content_terms, normalise

_LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}]--{UNSPACED.pattern}]"
NAME = regex.compile(rf"(?V1)(?<!{_LETTER})[\p{{Lu}}\p{{Lt}}]{_LETTER}*")
BEGINNING = regex.compile(r"(?:^|[.!?:;]\s+)[^\p{L}\p{N}]*")
CASED = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{Armenian}]")
LETTER = regex.compile(r"\p{L}")

_ROLES = """
user gaia assistant nutzer nutzerin benutzer usuario usuaria utilisateur utilisatrice utente
usuário usuária gebruiker användaren użytkownik пользователь користувач χρήστης
"""
ROLES = frozenset(_ROLES.split())
"""Names for the two who talk."""

_OPENERS = """
always never answer answers reply respond responds speak speaks use uses call calls write writes
keep avoid avoids remind reminds address send begin start stop please prefer prefers like likes
love loves dislike dislikes hate hates live lives work works want wants need needs own owns has
have drink drinks eat eats enjoy enjoys play plays plan plans study studies learn learns speak
moved moving born married allergic vegetarian vegan lactose currently formerly sister brother
mother father wife husband partner daughter son friend colleague boss works new no not every
asked talked discussed mentioned told said wrote planned planning looked still open
conversation discussion topics then later finally
la los las le les il lo gli os der die das den het η ο οι το τα
"""
OPENERS = frozenset(_OPENERS.split())
"""Ordinary words with which a statement begins, and so with a capital letter."""

CAPITALISES_NOUNS = regex.compile(
    r"\b(?:ist|hat|und|der|die|das|den|dem|mit|nicht|kein\w*|eine?[nrms]?|wohnt|mag|im|am|zur|zum"
    r"|trinkt|isst|arbeitet|spricht|heißt|möchte)\b"
)
"""German: its ordinary nouns have a capital letter too."""

INFLECTION = regex.compile(r"[aeiouyаеиоуыэюяіїєьąęėůαειου]+$")
"""How the same name ends in another case, in languages that inflect names."""

SHORTEST_KIN = 5
"""Letters that two words have in common at their beginning, at least, to be of one family."""

ENOUGH = 0.5
"""The part of a text's content terms that come from what was said, where names cannot be
told by their capitals."""


class Grounds:
    """What was said, as the ground of what may be told of it."""

    def __init__(self, texts: Iterable[str], beside: Grounds | None = None) -> None:
        self._texts = tuple(texts)
        self._beside = beside

    def and_also(self, text: str) -> Grounds:
        """These grounds and one more text; what is known of these is not told again."""
        return Grounds([text], beside=self)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The content terms of all that was said."""
        known = self._beside.terms if self._beside else frozenset[str]()
        return known.union(*map(content_terms, self._texts))

    @cached_property
    def figures(self) -> Figures:
        """The figures of all that was said."""
        figures = Figures.of(self._texts)
        return figures.joined(self._beside.figures) if self._beside else figures

    def judge(self, text: str, said_on: date) -> Founded:
        """How far the names and figures of `text`, told of a message of that day, were said."""
        figures, rest = self.figures.judge(text, said_on)
        return max(figures, self._names(rest))

    def share(self, text: str, besides: Set[str] = frozenset()) -> float:
        """The part of the content terms of `text` that were said; `besides` do not count."""
        wanted = content_terms(text) - besides
        known = sum(1 for term in wanted if is_among(term, self.terms))
        return known / len(wanted) if wanted else 1.0

    def _names(self, text: str) -> Founded:
        unknown = [name for name in names(text) if not self._knows(name)]
        if unknown:
            if CAPITALISES_NOUNS.search(normalise(text)):
                return Founded.PERHAPS
            is_opener = text.lstrip().startswith(unknown[0]) and len(unknown) == 1
            return Founded.OPENER if is_opener else Founded.NOWHERE
        if not _is_cased(text) and self.share(text, ROLES) < ENOUGH:
            return Founded.PERHAPS
        return Founded.SAID

    def _knows(self, name: str) -> bool:
        return all(
            is_among(term, self.terms) or INFLECTION.sub("", term) in self._uninflected
            for term in content_terms(name)
        )

    @cached_property
    def _uninflected(self) -> Set[str]:
        return {INFLECTION.sub("", term) for term in self.terms} - {""}


def names(text: str) -> Iterator[str]:
    """The names of a text, as far as capital letters show them."""
    beginnings = {each.end() for each in BEGINNING.finditer(text)}
    for each in NAME.finditer(text):
        word = normalise(each.group())
        is_opener = each.start() in beginnings and word in OPENERS
        if content_terms(word) and word not in ROLES and not is_opener:
            yield each.group()


def is_among(term: str, known: Collection[str]) -> bool:
    """Whether the term, or one of the same family, is known: `vegetarierin` where
    `vegetarisch` is."""
    return term in known or any(_is_kin(term, each) for each in known)


def share_a_term(first: Collection[str], second: Collection[str]) -> bool:
    """Whether two sets of terms have one in common, or of the same family."""
    return any(is_among(term, second) for term in first)


def _is_kin(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    if shorter < SHORTEST_KIN or one[:SHORTEST_KIN] != other[:SHORTEST_KIN]:
        return False
    common = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    )
    return 3 * common >= 2 * shorter


def _is_cased(text: str) -> bool:
    letters = LETTER.findall(text)
    return 2 * len(CASED.findall(text)) >= len(letters)
