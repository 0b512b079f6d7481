"""Text as it is compared and searched: normalised, and cut into terms.

Terms are what full text knows of a text, in every script: words without accents, by
their stem; characters and pairs of characters of scripts that put no space between
words; emoji. Stored terms are compared with those of later texts: whoever changes them
here has to have the full text made anew.
"""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from itertools import islice

import regex

from gaia.memory.stemming import stem
from gaia.memory.stopwords import STOP_WORDS

LONGEST_TERM = 64
"""Characters of a term, at most: of longer words the beginning counts."""

MOST_TERMS = 10_000
"""Terms of one text, at most: what comes after them is not searched."""

INVISIBLE = regex.compile(r"(?V1)[[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}]--\s]")

_UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Bopomofo}\p{Hangul}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
)
TOKEN = regex.compile(
    rf"(?V1)(?P<unspaced>[{_UNSPACED}][{_UNSPACED}\p{{M}}]*)"
    rf"|(?P<word>[[\p{{L}}\p{{N}}]--[{_UNSPACED}]][[\p{{L}}\p{{N}}\p{{M}}]--[{_UNSPACED}]]*)"
    r"|\p{Regional_Indicator}{2}|\p{Extended_Pictographic}"
)
NO_WORD = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
CHARACTER = regex.compile(r"\P{M}\p{M}*")
SYLLABLE = regex.compile(r"[\p{Han}\p{Hangul}]")

ACCENTS = regex.compile(r"([\p{Latin}\p{Greek}])\p{Mn}+")
POINTING = regex.compile(r"[\u0591-\u05c7\u064b-\u065f\u0670\u06d6-\u06ed\u0640\p{Me}]")
DIGIT = regex.compile(r"(?V1)[\p{Nd}--[0-9]]")
SAME_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"}
    | {"ё": "е", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ٱ": "ا"}
)


def normalise(text: str) -> str:
    """Equal for texts that a reader would take for the same: Unicode's NFKC_Casefold,
    with single spaces. Idempotent; takes any string, broken ones included."""
    visible = INVISIBLE.sub("", text)
    if visible.isascii():
        return " ".join(visible.casefold().split())
    once = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", visible).casefold())
    return " ".join(unicodedata.normalize("NFKC", once.casefold()).split())


def bare_words(text: str) -> str:
    """The words of the normalised text in their order, a space between, and nothing else."""
    return NO_WORD.sub(" ", normalise(text)).strip()


def terms(text: str) -> Mapping[str, int]:
    """How often each term stands in the text, which may be of any size."""
    return Counter(islice(_terms(text, ignoring=frozenset()), MOST_TERMS))


def content_terms(text: str) -> frozenset[str]:
    """The terms that say something: all but stop words."""
    return frozenset(islice(_terms(text, ignoring=STOP_WORDS), MOST_TERMS))


def query_terms(text: str) -> frozenset[str]:
    """The terms to look for: those that say something, or all where none does."""
    return content_terms(text) or frozenset(terms(text))


def subject_terms(subject: str | None) -> Mapping[str, int]:
    """The terms by which a memory is found when a question names its subject."""
    return {as_subject(term): 1 for term in content_terms(subject or "")}


def as_subject(term: str) -> str:
    """The form in which full text knows a term of a subject; no term of a text has it."""
    return f"@{term}"


def without(text: str, unwanted: Set[str]) -> str:
    """The text without the words whose terms are all unwanted; as it is if none is left."""
    if not unwanted:
        return text
    words = [word for word in text.split() if not _says_only(word, unwanted)]
    return " ".join(words) if content_terms(" ".join(words)) else text


def storable(text: str) -> str:
    """The text as a file can hold it: without NUL and half characters."""
    return text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _terms(text: str, *, ignoring: Set[str]) -> Iterator[str]:
    for token in TOKEN.finditer(_fold(normalise(text))):
        if token["unspaced"] is not None:
            yield from _pairs(CHARACTER.findall(token["unspaced"]))
        elif token["word"] is None:
            yield token.group()
        elif token["word"] not in ignoring:
            yield stem(token["word"][:LONGEST_TERM])


def _says_only(word: str, unwanted: Set[str]) -> bool:
    found = content_terms(word)
    return bool(found) and found <= unwanted


def _fold(text: str) -> str:
    """Without what people leave out when they type: accents, vowel points, the forms of
    an alef. Digits of all scripts become the same."""
    if text.isascii():
        return text
    bare = POINTING.sub("", ACCENTS.sub(r"\1", unicodedata.normalize("NFD", text)))
    bare = unicodedata.normalize("NFC", bare).translate(SAME_LETTERS)
    return DIGIT.sub(lambda digit: str(unicodedata.decimal(digit.group(), digit.group())), bare)


def _pairs(characters: list[str]) -> Iterator[str]:
    """Pairs of neighbours, so that a word is found inside a longer run; and such
    characters alone as can be words."""
    for index, character in enumerate(characters):
        if len(characters) == 1 or SYLLABLE.match(character):
            yield character[:LONGEST_TERM]
        if index:
            yield (characters[index - 1] + character)[:LONGEST_TERM]
