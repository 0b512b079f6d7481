"""The sentences that a user said, and how far they are their own.

How far one may be taken for that is seen by where it stands in its message: what follows a
colon or a request is more often pasted than said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import IntEnum

import regex

from gaia.digest.bounds import BREAK, COPIED, QUOTATION, line_start, spans
from gaia.digest.plain import (
    SPEAKING,
    awaits_text,
    is_question,
    is_request,
    plain,
    told_before_asking,
)
from gaia.memory.deeds import asks_for_deed
from gaia.memory.search.pleasantries import is_pleasantry
from gaia.memory.text import UNSPACED_SCRIPTS, bare_words
from gaia.store.archive import MESSAGE_BREAK, ArchivedTurn

FEWEST_QUOTED = 3
FEWEST_SIGNS = 4
"""Words after a colon, or between quotation marks, that may be somebody else's; and signs of a
script without spaces."""

AT_ONCE = timedelta(seconds=20)
"""Within which somebody sends the rest of what they say, answered meanwhile or not."""

SHORTEST_BEGINNING = 3
"""Words of a sentence that is understood alone, at least: `I wish!` is not."""

SENDER = regex.compile(r"(?P<name>[^\s:][^:\n]{0,79}): ")
"""How each message of a group's turn begins; its other lines are indented."""

UNSPACED = regex.compile(f"[{UNSPACED_SCRIPTS}]")
COLON = regex.compile(r"[:：](?=\s|$|[\"“„«「\p{Han}])\s*")  # noqa: RUF001
LINE_END = regex.compile(rf"[ \t]*(?:\Z|{BREAK.pattern})")
LETTER = regex.compile(r"[\p{L}\p{N}\p{M}]")


class Attribution(IntEnum):
    """How far a sentence is the user's own, by its place: said; said beside a question or a
    request, to which it may be the material; a line among others; behind a colon or a
    request, or copied, where it is more often somebody else's."""

    SAID = 0
    BESIDE_REQUEST = 1
    AMONG_LINES = 2
    MATERIAL = 3


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a turn: `text` is that part, from `start` on, of all `words` of the burst
    that begins with the turn `first`. `asks` says that it is a question, `bids` a request;
    `sender` who of a group said it. `before` are the sentences before it in its message,
    `earlier` the words of the turn before."""

    first: int
    words: str
    turn: ArchivedTurn
    start: int
    text: str
    attribution: Attribution = Attribution.SAID
    asks: bool = False
    bids: bool = False
    sender: str = ""
    before: str = ""
    earlier: str = ""

    @property
    def end(self) -> int:
        """Where it ends in the words."""
        return self.start + len(self.text)

    def by_sender(self, words: str) -> str:
        """Words for it, behind who said it in a group."""
        return f"{self.sender}: {words}" if self.sender else words

    @property
    def begins_anew(self) -> bool:
        """Whether it tells of its user, and is not written like the rest of a message before."""
        return not self.text[0].islower() and SPEAKING.search(plain(self.text)) is not None

    @property
    def stands_alone(self) -> bool:
        """Whether it begins by telling of its user, and goes on."""
        speaking = SPEAKING.search(plain(self.text))
        return _is_long(self.text) and speaking is not None and speaking.start() == 0


def sentences(
    turns: Sequence[ArchivedTurn], *, in_group: bool = False, before: ArchivedTurn | None = None
) -> Iterator[Sentence]:
    """The sentences of the user's own words in turns that follow one another, in order; `before`
    is the turn before them.

    Who has asked for work on a text sends it in the next message, or in all of the next burst.
    """
    awaiting: dict[str, bool] = {}
    earlier = ""
    for burst in (*_bursts(filter(None, [before])), *_bursts(turns, in_group=in_group)):
        words = MESSAGE_BREAK.join(each.words for each in burst)
        if not words.strip():
            # It was forwarded, or sent as a file.
            awaiting.clear()
        is_material: dict[str, bool] = {}
        last, start = words.rsplit(MESSAGE_BREAK, 1)[-1], 0
        # The last message may ask for other words in the place of those before it.
        is_over = not in_group and awaits_text(last) and (is_question(last) or is_request(last))
        for turn in burst:
            for at, message, sender in _messages(turn.words, in_group=in_group):
                is_material[sender] = is_material.get(sender, False) or awaiting.get(sender, False)
                found = list(spans(message))
                if turn is not before:
                    is_sent = is_material[sender] or (
                        is_over and start + at + len(last) < len(words)
                    )
                    place = Sentence(
                        burst[0].archive_id,
                        words,
                        turn,
                        start + at,
                        "",
                        sender=sender,
                        earlier=earlier,
                    )
                    yield from _of_message(place, message, found, is_sent)
                said = [text for _, text in found if not is_pleasantry(text)]
                if said:
                    awaiting[sender] = awaits_text(said[-1])
            earlier = turn.words
            start += len(turn.words) + len(MESSAGE_BREAK)


def _bursts(
    turns: Iterable[ArchivedTurn], *, in_group: bool = False
) -> Iterator[Sequence[ArchivedTurn]]:
    """Turns with those in which somebody goes on at once, by a word or two or after these: `my
    neighbour`, `is allergic to cats`. In a group each is by itself, since others may speak in
    between."""
    burst: list[ArchivedTurn] = []
    for turn in turns:
        if burst and (in_group or not _goes_on(burst[-1], turn)):
            yield burst
            burst = []
        burst.append(turn)
    if burst:
        yield burst


def _goes_on(turn: ArchivedTurn, later: ArchivedTurn) -> bool:
    is_of_same = turn.conversation_id == later.conversation_id
    is_at_once = later.said_at - turn.said_at <= AT_ONCE
    words = (turn.words, later.words)
    is_said = all(map(str.strip, words)) and not any(map(is_pleasantry, words))
    return is_of_same and is_at_once and is_said and not all(map(_is_long, words))


def _is_long(text: str) -> bool:
    """Whether a text has as many words as a sentence that is understood alone."""
    is_long = len(UNSPACED.findall(text)) >= FEWEST_SIGNS
    return is_long or len(bare_words(text).split()) >= SHORTEST_BEGINNING


def _messages(words: str, *, in_group: bool) -> Iterator[tuple[int, str, str]]:
    """Where each message of a turn begins, its words, and who of a group sent it."""
    if not in_group:
        start = 0
        for message in words.split(MESSAGE_BREAK):
            yield start, message, ""
            start += len(message) + 1
        return
    begins = [
        found
        for found in regex.finditer(rf"(?m)^{SENDER.pattern}", words)
        if not found.group()[0].isspace()
    ]
    ends = [*(each.start() for each in begins[1:]), len(words)]
    for begin, end in zip(begins, ends, strict=True):
        yield begin.end(), words[begin.end() : end], begin["name"]


def _of_message(
    place: Sentence, message: str, found: Sequence[tuple[int, str]], is_material: bool
) -> Iterator[Sentence]:
    has_lines = BREAK.search(message.strip()) is not None
    requests = [is_request(text) for _, text in found]
    last = found[-1][1] if found else ""
    last_awaits_text = awaits_text(last) and (has_lines or is_question(last) or requests[-1])
    has_asked = False
    in_code = False
    for number, (at, text) in enumerate(found):
        asks = is_question(text)
        in_code ^= text.count("```") % 2 == 1
        colon = COLON.search(text)
        introduces = colon is not None and (
            colon.end() == len(text)
            or BREAK.search(colon.group()) is not None
            or len(text[colon.end() :].split()) >= FEWEST_QUOTED
            or UNSPACED.search(text[colon.end() :]) is not None
        )
        if (
            is_material
            or introduces
            or in_code
            or _is_quotation(text)
            or COPIED.match(message[line_start(message, at) :])
            or (number < len(found) - 1 and last_awaits_text)
        ):
            attribution = Attribution.MATERIAL
        elif has_lines:
            attribution = Attribution.AMONG_LINES
        elif has_asked or any(requests[number + 1 :]):
            attribution = Attribution.BESIDE_REQUEST
        else:
            attribution = Attribution.SAID
        whole = replace(
            place,
            start=place.start + at,
            text=text,
            attribution=attribution,
            asks=asks,
            bids=requests[number] or bool(asks_for_deed(text)),
            before=message[:at].strip(),
        )
        yield whole
        told = told_before_asking(text) if asks else ""
        if told:
            yield replace(
                whole,
                text=told,
                attribution=max(attribution, Attribution.BESIDE_REQUEST),
                asks=False,
                bids=is_request(told),
            )
        has_asked |= asks and not is_pleasantry(text)
        # What is to be translated, read or put in other words follows, on lines of its own
        # or not.
        is_material |= (
            introduces
            or requests[number]
            or awaits_text(text)
            or (has_lines and asks and LINE_END.match(message, at + len(text)) is not None)
        )


def _is_quotation(text: str) -> bool:
    """Whether all that a sentence says stands between quotation marks."""
    rest = QUOTATION.sub("", text)
    return rest != text and LETTER.search(rest) is None
