"""What a sentence is by its form: a question, a request, something told of oneself.

Nobody understands the sentence here. These are the closed classes of words by which one
asks, bids and says `I`, in some languages, most of them in `words.yaml`; what they miss, the
model is to see, and a sentence that is taken for another kind than it is stays what its user
said.
"""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property

import regex

from gaia.memory.search.pleasantries import QUESTION_MARKS
from gaia.memory.text import normalise
from gaia.phrases import phrases_in

SAME_MARKS = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u300c\u300d\u300e\u300f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)

ADDRESS = regex.compile(r"(?:https?://|www\.)\S+", regex.IGNORECASE)
QUESTION = regex.compile(
    r"\W*(?:(?:do|does|did|is|are|am|was|were|can|could|will|would|should|have|has|had)(?:n't)?"
    r" (?:i|you|we|he|she|it|they|my|your|his|her|our|their|the|this|that|there)\b"
    r"|(?:who|whose|where|why|how|what)(?:'s| is| are| was| were| do| does| did| should| can) )"
    r"|.*(?:[吗嗎呢]|ですか|ますか)\W*$"
)
"""Questions that many write without a mark."""

ASKED_NEXT = regex.compile(
    r"\s*(?:[,;:–—-]+|\.{2,}|…)\s*¿?(?:so |and |but |also )?(?:"
    r"(?:what|how|why)\b|(?:(?:which|where|when|who) )?(?:is|are|was|can|could|would|should|will|do"
    r"|does|did) (?:i|we|you|he|she|it|they|there)\b"
    r"|any (?:ideas?|suggestions?|tips?|advice|recommendations?|chance)\b"
    r"|(?:was|wie|wo|wann|wie viele? \w+|welche\w*(?: (?!ich|du|er|sie|es|wir|ihr|man)\w+)?)"
    r" (?:kann|kannst|könnte\w*|können|soll\w*|darf|muss|gibt|würde\w*|empfiehlst)\b"
    r"|(?:kann(?:st)?|könntest|soll|weißt) (?:du|ich)\b|gibt es\b"
    r"|(?:qué|cuál\w*|dónde|cómo|puedes|podrías|hay alg\w+)\b"
    r"|(?:quel\w*|comment|peux-tu|pouvez-vous|pourrais-tu|tu peux)\b"
    r"|(?:où|qu'|que)\s?(?:est-ce|puis-je|pourrais-je|peut-on)\b"
    r"|(?:cosa|che cosa|puoi|potresti)\b|(?:dove|come) (?:posso|potrei|si può)\b"
    r"|(?:можешь|можете|посоветуешь|посоветуй)\b"
    r"|(?:что|где|как|куда) (?:мне )?\w+(?:ть|ти)(?:ся)?\b)",
    regex.IGNORECASE,
)
"""How a sentence goes on that first tells something, and then asks something else:
`I am vegetarian, what can I cook?`"""

POLITELY = regex.compile(
    r"\W*(?:(?:can|could|would|will) you|kannst du|könntest du|können sie|könnten sie|peux-tu"
    r"|pourrais-tu|pouvez-vous|tu peux|puedes|podrías|puede|puoi|potresti|você pode|pode|poderia"
    r"|можешь|не мог|kun je|kan je|kan du|możesz)\b",
    regex.IGNORECASE,
)
"""How one asks for something in the form of a question."""


ENDS_IN_COLON = regex.compile(r":\W*$")
HOLDS_TEXT = regex.compile(r":\s*\S|\"[^\"]+\"")
"""The end of what introduces a text, and a text behind it or within quotation marks."""


@cache
def words_of(name: str) -> tuple[Sequence[str], Sequence[str]]:
    """The words of a class of `words.yaml`, and those of scripts without spaces."""
    told = _classes()[name]
    return told["spaced"].split(), told.get("unspaced", "").split()


@cache
def _classes() -> Mapping[str, Mapping[str, str]]:
    told: Mapping[str, Mapping[str, str]] = phrases_in(__package__, "words.yaml")
    return told


class AnyOf:
    """Looks for any word of a class, those of scripts without spaces also within others. They
    are read at the first use: digests alone need them, and every start would wait for it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def search(self, text: str) -> regex.Match[str] | None:
        """The first of them in a text."""
        return self._pattern.search(text)

    @cached_property
    def _pattern(self) -> regex.Pattern[str]:
        spaced, unspaced = words_of(self._name)
        return regex.compile("|".join([rf"\b(?:{'|'.join(spaced)})\b", *unspaced]))


BIDDING = AnyOf("bidding")
BEFORE_BIDDING = regex.compile(
    r"(?:please|pls|hey|ok|okay|now|then|and|gaia|bitte|jetzt|dann|por favor"
    r"|s'il te plaît|per favore"
    r"|пожалуйста|alsjeblieft|proszę)[ ,]+"
)

SPEAKING = AnyOf("speaking")
ORDERING = AnyOf("ordering")
REWORDING = AnyOf("rewording")
NEXT = AnyOf("next")


def plain(text: str) -> str:
    """The text as the words here are compared with it."""
    return normalise(text).translate(SAME_MARKS)


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, with a mark or by its form."""
    bare = ADDRESS.sub(" ", sentence)
    return bool(QUESTION_MARKS.search(bare) or QUESTION.match(plain(bare)))


def is_request(sentence: str) -> bool:
    """Whether a sentence bids somebody do something of the moment, politely, by a command or
    not."""
    if sentence.lstrip().startswith("/"):
        return True
    said = plain(sentence).lstrip(" ,.!-")
    while (before := BEFORE_BIDDING.match(said)) is not None:
        said = said[before.end() :]
    found = BIDDING.search(said[:40])
    is_bidden = found is not None and found.start() == 0
    return is_bidden or POLITELY.match(said) is not None


def awaits_text(sentence: str) -> bool:
    """Whether what follows is rather somebody's text than said: a sentence ends in a colon, or
    asks for other words in the place of some that it does not have itself."""
    said = plain(sentence)
    if ENDS_IN_COLON.search(said):
        return True
    if REWORDING.search(said) is None or HOLDS_TEXT.search(said):
        return False
    is_asked = is_question(sentence) or is_request(sentence) or NEXT.search(said) is not None
    return is_asked or SPEAKING.search(said) is None


def told_before_asking(sentence: str) -> str:
    """What a question tells before it asks: `I am vegetarian` of `I am vegetarian, what can
    I cook?`; empty where it only asks."""
    cuts = [found.start() for found in ASKED_NEXT.finditer(sentence)]
    # The last clause asks. One before it may tell more: `films, where dogs die, can you ...`.
    while len(cuts) > 1 and _asks(sentence[cuts[-2] : cuts[-1]]):
        cuts.pop()
    told = sentence[: cuts[-1]].strip() if cuts else ""
    return told if SPEAKING.search(plain(told)) and not is_question(told) else ""


def _asks(clause: str) -> bool:
    bare = plain(clause).lstrip(" ,;:.…-")
    return QUESTION.match(bare) is not None or POLITELY.match(bare) is not None


def tells_of_oneself(sentence: str) -> bool:
    """Whether a sentence is a statement of somebody about themselves, as far as its form
    shows it."""
    asks = is_question(sentence) or is_request(sentence)
    return not asks and SPEAKING.search(plain(sentence)) is not None


def may_be_order(text: str) -> bool:
    """Whether the text, kept by itself, may tell gaia what to do: only its user knows."""
    return ORDERING.search(plain(text)) is not None and not tells_of_oneself(text)
