"""How certain it is that the user says outright what was found in their words.

A question says nothing. What is denied, supposed or told as somebody else's words may
be found as if it were said outright; code cannot understand such a sentence, but it can
see that it is one. Doubts make a finding wait, they do not refuse it.
"""

from __future__ import annotations

from functools import cached_property

import regex

from gaia.memory.dates import NUMBER_OF
from gaia.memory.digest import certainty_words as words
from gaia.memory.digest.passages import SAME_MARKS, Passage, sentences
from gaia.memory.pleasantries import QUESTION_MARKS
from gaia.memory.text import content_terms, normalise

WORD = regex.compile(r"\p{L}+")
ADDRESS = regex.compile(r"(?:https?://|www\.)\S+", regex.IGNORECASE)
QUESTION = regex.compile(
    r"\W*(?:(?:do|does|did|is|are|am|was|were|can|could|will|would|should|have|has|had)(?:n't)?"
    r" (?:i|you|we|he|she|it|they|my|your|his|her|our|their|the|this|that|there)\b"
    r"|(?:who|whose|where|why|how|what)(?:'s| is| are| was| were| do| does| did| should| can) )"
    r"|.*(?:[吗嗎呢]|ですか|ますか)\W*$"
)
"""Questions that many write without a mark."""

ASKED_NEXT = regex.compile(
    r"\s*[,;:–—-]+\s*(?:so |and |but |also )?(?:what|which|where|when|how|who|why|can|could|would"  # noqa: RUF001
    r"|should|is there|are there|any|was|wie|wo|wann|welche\w*|kannst|gibt es|qué|cuál|dónde|cómo"
    r"|puedes|quel\w*|où|comment|peux-tu|cosa|dove|come|puoi|что|где|как|можешь)\b",
    regex.IGNORECASE,
)
"""How a sentence goes on that first tells something, and then asks something else:
`I am vegetarian, what can I cook?`"""

REQUEST = regex.compile(
    r"\W*(?:(?:can|could|would|will) you|kannst du|könntest du|peux-tu|pourrais-tu|puedes|podrías"
    r"|puoi|potresti|você pode|pode|можешь|не мог)\b",
    regex.IGNORECASE,
)
"""How one asks for something politely: the form alone is a question."""

CLAUSE_BEGIN = regex.compile(
    r"[,;:—。，、]|\b(?:but|however|aber|sondern|mais|pero|sino|ma|mas|но|а|لكن|אבל)\b|但"  # noqa: RUF001
    r"|\b(?:because|cause|cuz|bc|weil|denn|porque|perché|parce que|car|потому что)\b"
    r"|(?<=\w )(?=(?:not|without|ohne|sans|sin|senza|sem) )",
    regex.IGNORECASE,
)
CLAUSE_END = regex.compile(
    rf"{CLAUSE_BEGIN.pattern}|\b(?:and|so|und|et|y|e|и|og|och|en|ve)\b",
    regex.IGNORECASE,
)
QUOTED = regex.compile(
    r"```(?s:.)*?(?:```|$)|`[^`\n]*`|(?<!\w)['\u2018]\w[^'\u2019\n]*['\u2019](?!\w)"
    r"|“[^”\n]*”|\"[^\"\n]*\"|«[^»\n]*»|„[^“”\n]*[“”]|「[^」\n]*」|『[^』\n]*』|(?m:^[ \t]*>[^\n]*)"
)
"""Words of somebody else, or about a word; and lines that were copied from an answer."""


class AnyOf:
    """Looks for any of some words, `unspaced` ones also within others. What is looked for is
    compiled at the first use: digests alone need it, and every start would wait for it."""

    def __init__(self, spaced: str, unspaced: str) -> None:
        self._alternatives = [rf"\b(?:{'|'.join(spaced.split())})\b", *unspaced.split()]

    def search(self, text: str) -> regex.Match[str] | None:
        """The first of them in a text."""
        return self._pattern.search(text)

    def sub(self, replacement: str, text: str) -> str:
        """The text with something in the place of each."""
        return self._pattern.sub(replacement, text)

    @cached_property
    def _pattern(self) -> regex.Pattern[str]:
        return regex.compile("|".join(self._alternatives))


NEGATORS = AnyOf(words.NEGATORS, words.UNSPACED_NEGATORS)
TURNS = AnyOf(words.TURNS, words.UNSPACED_TURNS)
CONDITIONS = AnyOf(words.CONDITIONS, words.UNSPACED_CONDITIONS)
GUESSES = AnyOf(words.GUESSES, words.UNSPACED_GUESSES)
ADDITIONS = AnyOf(words.ADDITIONS, words.UNSPACED_ADDITIONS)
TIMES = AnyOf(words.TIMES + r" \d+\w*", words.UNSPACED_TIMES)
FIRST_PERSON = AnyOf(words.FIRST_PERSON, words.UNSPACED_FIRST_PERSON)
SPEAKERS = AnyOf(words.SPEAKERS, words.UNSPACED_SPEAKERS)
COMMANDS = AnyOf(words.COMMANDS, words.UNSPACED_COMMANDS)
ADDRESSING = AnyOf(words.ADDRESSING, words.UNSPACED_ADDRESSING)
REPORTS = AnyOf(words.REPORTS, words.UNSPACED_REPORTS)


def asks(passage: Passage) -> bool:
    """Whether the passage is part of a question."""
    if not any(is_question(each.group()) for each in sentences(passage.sentence)):
        return False
    tells_first = speaks_of_oneself(passage.quote) and CLAUSE_BEGIN.search(passage.before) is None
    return not (tells_first and ASKED_NEXT.match(passage.after))


def requests(passage: Passage) -> bool:
    """Whether the passage asks for something, in the form of a question or not."""
    return not asks(passage) or REQUEST.match(passage.sentence) is not None


def is_doubtful(passage: Passage, text: str) -> bool:
    """Whether what `text` tells may not be what the sentence says: without what denies
    it, or supposed, or somebody else's words."""
    return (
        _is_turned_around(passage.sentence, text)
        or is_supposed(passage, text)
        or is_quoted(passage)
    )


def is_supposed(passage: Passage, text: str) -> bool:
    """Whether the passage is not said outright: as a condition, a guess or a joke."""
    said, told = _plain(passage.sentence), _plain(text)
    return any(
        words.search(where) is not None and words.search(told) is None
        for words, where in ((CONDITIONS, said), (GUESSES, _clause(passage)))
    )


def is_quoted(passage: Passage) -> bool:
    """Whether the passage stands between quotation marks or behind `Tom wrote:`, or was
    copied from an answer."""
    end = passage.start + len(passage.quote)
    is_announced = passage.before.rstrip().endswith(":") and is_reported(passage)
    return is_announced or any(
        each.start() < passage.start and end <= each.end()
        for each in QUOTED.finditer(passage.turn.words)
    )


def is_reported(passage: Passage) -> bool:
    """Whether what stands before the passage says that somebody wrote or says it, or that
    it is to be translated."""
    return REPORTS.search(_plain(passage.before)) is not None


def only_repeats(passage: Passage, text: str) -> bool:
    """Whether the sentence says what `text` does, and not that it is over."""
    said = content_terms(passage.sentence)
    return content_terms(text) <= said and not denies(passage.sentence)


def adds_something(passage: Passage) -> bool:
    """Whether the sentence says that something is so as well, and ends nothing."""
    said = _plain(passage.sentence)
    return ADDITIONS.search(said) is not None and not denies(said)


def names_a_time(text: str) -> bool:
    """Whether a date may be told from the text: it has a figure, or a word such as
    `tomorrow` or `May`."""
    said = _plain(text)
    return TIMES.search(said) is not None or not NUMBER_OF.keys().isdisjoint(WORD.findall(said))


def denies(text: str) -> bool:
    """Whether the text denies something, or says that it is over."""
    said = _plain(text)
    return NEGATORS.search(said) is not None or TURNS.search(said) is not None


def speaks_of_oneself(text: str) -> bool:
    """Whether the text is in the first person, as far as its words show it."""
    return FIRST_PERSON.search(_plain(text)) is not None


def speaks_to_gaia(text: str) -> bool:
    """Whether the text tells somebody what to do."""
    return ADDRESSING.search(_plain(text)) is not None


def may_be_order(text: str) -> bool:
    """Whether the text, kept by itself, may tell gaia what to do: only its user knows."""
    return speaks_to_gaia(text) and not tells_of_oneself(text)


def without_orders(text: str) -> str:
    """The text without such words as `always` and `answer`, by which one tells somebody
    what to do: what is left says what."""
    return ADDRESSING.sub(" ", _plain(text))


def tells_of_oneself(sentence: str) -> bool:
    """Whether a sentence is a statement of somebody about themselves, as far as its words
    show it: no question, no command, in the first person."""
    is_command = _is_command(sentence) or is_question(sentence)
    return not is_command and SPEAKERS.search(_plain(sentence)) is not None


def only_asks_for_something(passage: Passage) -> bool:
    """Whether the passage is a request of the moment, in which nobody tells of themselves."""
    return _is_command(passage.sentence) and SPEAKERS.search(_plain(passage.quote)) is None


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, with a mark or by its form."""
    bare = ADDRESS.sub(" ", sentence)
    return bool(QUESTION_MARKS.search(bare) or QUESTION.match(_plain(bare)))


def _is_turned_around(sentence: str, text: str) -> bool:
    """Whether `text` tells what the sentence denies; or denies, in the same words, what it
    tells."""
    if denies(text):
        told = content_terms(NEGATORS.sub(" ", _plain(text)))
        return not denies(sentence) and told <= content_terms(sentence)
    denied: set[str] = set()
    stated: set[str] = set()
    for clause in CLAUSE_END.split(_plain(sentence)):
        is_denied = NEGATORS.search(clause) is not None
        (denied if is_denied else stated).update(content_terms(clause))
    return not content_terms(text).isdisjoint(denied - stated)


def _clause(passage: Passage) -> str:
    begins = [each.end() for each in CLAUSE_BEGIN.finditer(passage.before)]
    end = CLAUSE_END.search(passage.after)
    before = passage.before[begins[-1] if begins else 0 :]
    after = passage.after[: end.start() if end else None]
    return _plain(f"{before}{passage.quote}{after}")


def _plain(text: str) -> str:
    return normalise(text).translate(SAME_MARKS)


def _is_command(sentence: str) -> bool:
    said = _plain(sentence)
    found = COMMANDS.search(said[:40])
    return found is not None and not said[: found.start()].strip(" ,.!-")
