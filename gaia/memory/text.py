"""Text as it is compared and searched: normalised, and cut into terms.

Terms are what full text knows of a text, in every script: words without accents, by
their stem; characters and pairs of characters of scripts that put no space between
words; emoji. Stored terms are compared with those of later texts: whoever changes them
here has to have the full text rebuilt.

Stems are light on purpose: endings are cut and nothing is looked up, so that a stem never
depends on a language being guessed, and stored terms stay comparable with later ones. A word
always has the same stem, so words of a language without rules here are found as they stand.
The English rules are applied to all words in plain Latin letters; the plural `-s` is common
to several of its languages.
"""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from itertools import islice

import regex

ENGLISH = """
a about above after again against all am an and any are as at be because been before being
below between both but by can could d did didn do does doesn doing don down during each few
for from further had has have having he her here hers herself him himself his how i if in into
is isn it its itself just ll m me might more most my myself no nor not now of off on once only
or other our ours ourselves out over own re s same she should so some such t than that the
their theirs them themselves then there these they this those through to too under until up
ve very was we were what when where which while who whom why will with would you your yours
yourself yourselves
"""

OTHERS = """
der das den dem ein eine einen einem einer ich du sie wir ihr mein meine meinen dein deine und
oder aber nicht ist sind bin hat habe mit auf fur von zu im wie wo wann wer
le les un une des du je tu il elle nous vous mon ma mes ton ta tes et ou mais ne pas est sont
suis avec dans pour sur de que qui quoi quand comment
el los las uno una unos yo ella mi mis tu tus su sus y o pero es son soy esta con en para por
del que quien cuando donde como
lo gli io lui lei noi voi mio mia e ma non sono con per di che chi quando dove come
os ao eu ele ela meu minha nao sou com em por do da que quem quando onde
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот
от меня еще нет о из ему ли или быть был до вас уж вам ведь там потом себя ничего ей может они
тут где есть надо ней для мы тебя их чем была сам чтоб без чего раз тоже себе под кто этот мой
моя мое мои
في من على الى عن ان هو هي انا انت ما هل كان كانت هذا هذه ذلك مع لا لم لن و او
"""

STOP_WORDS = frozenset((ENGLISH + OTHERS).split()) - {"sur", "son", "del"}
"""Words that say nothing by themselves, in the form of terms before stemming. English in full;
of other languages the most frequent, and only such as mean nothing else in English, since
nobody tells in which language a text is."""

LONGEST_TERM = 64
"""Characters of a term, at most: of longer words the beginning counts."""

MOST_TERMS = 10_000
"""Terms of one text, at most: what comes after them is not searched."""

INVISIBLE = regex.compile(r"(?V1)[[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}]--\s]")

UNSPACED_SCRIPTS = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Bopomofo}\p{Hangul}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
)
"""Part of a class of a regular expression: what puts no space between words."""

TOKEN = regex.compile(
    rf"(?V1)(?P<unspaced>[{UNSPACED_SCRIPTS}][{UNSPACED_SCRIPTS}\p{{M}}]*)"
    rf"|(?P<word>[[\p{{L}}\p{{N}}]--[{UNSPACED_SCRIPTS}]][[\p{{L}}\p{{N}}\p{{M}}]--[{UNSPACED_SCRIPTS}]]*)"
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


def stem(word: str) -> str:
    """The stem of a word, which is normalised and without accents."""
    if word.isascii():
        return _english(word)
    if CYRILLIC.fullmatch(word):
        return _without_ending(word, RUSSIAN_ENDINGS)
    if ARABIC.fullmatch(word):
        return _without_ending(_without_prefix(word, ARABIC_PREFIXES), ARABIC_ENDINGS)
    return word


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
