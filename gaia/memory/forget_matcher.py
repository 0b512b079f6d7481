"""Which texts say what is to be forgotten. The decision alone: no file is touched here.

A text says it when it, or a part of it of `PART` characters, has

- half of a phrase's content terms, and at least two of them; or the one that there is;
- nothing but them, as in an answer of one word; or hardly anything else: three quarters
  of its own terms, and at least two, are the phrase's, as in a piece that was cut from a
  longer text;
- a term of it that reads like a code: `B52x`, `4711`, but no year and no `10th`;
- all of its words in their order, where these are stop words or no words at all.

So a paraphrase goes with what it tells again, and a message that shares a common word
stays. It leans towards forgetting: nobody can ask afterwards what a text meant.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from gaia.memory import text as texts
from gaia.store.redaction import REPLACEMENT

PART = 600
"""Characters of a text that are judged together. In longer ones, words that have
nothing to do with each other would add up."""

LONGEST_ORDINARY = 16
"""Letters of the longest stems that are ordinary words."""

FEWEST = 2
"""Terms in common, at least, unless the phrase or the text has only one."""

CODE = re.compile(r"(?=.*\d).{4,}")
NO_CODE = re.compile(r"(?:19|20)\d\d|\d{1,3}\D{1,3}")
"""Years; and ordinals and quantities, such as `10th` or `250ml`."""

PLAIN = re.compile(r"[\t\n\r -~]*")
PLAIN_WORD = re.compile(r"[a-z0-9]+")
WORDS_IN_MIND = 50_000


NARROW = "\x1e"
"""Stands before a phrase of one word that is looked for by itself alone: of many texts that
have the word, few say what was forgotten."""

FRAME = texts.content_terms(
    "remember remembered forget forgotten keep kept memory group mind note delete deletes undo"
)
"""What stands around a memory where it was kept, in a command and its answer."""


class ForgetMatcher:
    """What to look for: the texts of what is forgotten."""

    def __init__(self, phrases: Collection[str]) -> None:
        self._narrow = frozenset(
            place for place, phrase in enumerate(phrases) if phrase.startswith(NARROW)
        )
        phrases = [phrase.removeprefix(NARROW) for phrase in phrases]
        self._terms = [texts.content_terms(phrase) for phrase in phrases]
        literal = [
            re.escape(texts.normalise(phrase))
            for phrase, terms in zip(phrases, self._terms, strict=True)
            if not terms and texts.normalise(phrase)
        ]
        self._phrases = re.compile(rf"(?<!\w)(?:{'|'.join(literal)})(?!\w)") if literal else None
        self._holders: Mapping[str, Collection[int]] = _holders(self._terms)
        self._codes = frozenset(term for term in self._holders if is_code(term))
        self._terms_of_word = lru_cache(WORDS_IN_MIND)(texts.content_terms)

    @property
    def terms(self) -> frozenset[str] | None:
        """One of these stands in every text that says it; None where it may be any text."""
        return None if self._phrases else frozenset(self._holders)

    def match(self, text: str) -> bool:
        """Whether the text says one of them. Nothing that was replaced before does."""
        return text != REPLACEMENT and any(map(self._match_part, parts(text)))

    def _match_part(self, part: str) -> bool:
        if self._phrases and self._phrases.search(texts.normalise(part)):
            return True
        found = self._content_terms(part)
        known = [term for term in found if term in self._holders]
        if not known:
            return False
        if not self._codes.isdisjoint(known):
            return True
        apart = {term for term in found if term not in FRAME and not term.isdigit()}
        shared = Counter(phrase for term in known for phrase in self._holders[term])
        return any(
            apart <= self._terms[phrase]
            if phrase in self._narrow
            else self._is_enough(count, of_phrase=len(self._terms[phrase]), of_text=len(found))
            for phrase, count in shared.items()
        )

    def _content_terms(self, part: str) -> frozenset[str]:
        """Ten times as fast where words are plain and come again, as in logs."""
        if not PLAIN.fullmatch(part):
            return texts.content_terms(part)
        return frozenset().union(*map(self._terms_of_word, PLAIN_WORD.findall(part.lower())))

    def _is_enough(self, shared: int, *, of_phrase: int, of_text: int) -> bool:
        if of_phrase == 1 or shared == of_text:
            return True
        return shared >= FEWEST and (2 * shared >= of_phrase or 4 * shared >= 3 * of_text)


def is_code(term: str) -> bool:
    """Whether a term says by itself what it was part of: a code, or a very long word."""
    if CODE.fullmatch(term):
        return not NO_CODE.fullmatch(term)
    return len(term) >= LONGEST_ORDINARY


def parts(text: str) -> Iterator[str]:
    """The text, or, of a longer one, parts that overlap by half: what stands together
    is in one of them."""
    if len(text) <= PART:
        yield text
        return
    for start in range(0, len(text) - PART // 2, PART // 2):
        yield text[start : start + PART]


def _holders(terms: Collection[Collection[str]]) -> Mapping[str, Collection[int]]:
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for phrase, of_phrase in enumerate(terms):
        for term in of_phrase:
            holders[term].append(phrase)
    return holders


def narrowed(text: str) -> str:
    """The phrase for a memory: one of a single ordinary word is looked for by itself."""
    terms = texts.content_terms(text)
    return NARROW + text if len(terms) == 1 and not is_code(next(iter(terms))) else text
