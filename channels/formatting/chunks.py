"""Cuts a document into the pieces that a channel takes, where a reader would pause.

What a channel takes is its own affair: it says of a piece whether it fits. Each
piece costs a look at what is about its own size, so the whole takes linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from itertools import product

from channels.formatting.characters import clusters, is_blank, is_one_cluster
from channels.formatting.document import Document, Span, Style, clipped

Fits = Callable[[Document], bool]
"""Whether a channel takes a piece. What takes a piece takes any part of it as well."""

_FIRST_GUESS = 1024
_REASONABLE_SHARE = 4
_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")

_SPACE = re.compile(r"\s*")
_BEYOND = 2


def cut(document: Document, fits: Fits) -> Sequence[Document]:
    """Cut `document` into pieces, in order; none is blank, and each fits.

    Only white space at a cut is left out. A cut is best between blocks, then at
    the end of a line, a sentence, a word, and last between two characters as
    people count them (grapheme clusters). It is not within code, a link or
    emphasis, or behind a heading, as long as the piece before it keeps a
    reasonable size; what is cut all the same has its style in both pieces. Lines
    of code stay together if they fit. Where not even one code point fits, a
    piece has one.
    """
    return tuple(_Cutter(document, fits).pieces())


class _Cutter:
    """Holds how far a document is cut. Spans are sorted by their starts; those that reach
    over the present position are in `_around`, later ones begin at `_ahead`."""

    def __init__(self, document: Document, fits: Fits) -> None:
        self._text = document.text
        self._spans = document.spans
        self._starts = [span.start for span in document.spans]
        self._blocks_of_code = [span for span in document.spans if span.style is Style.PRE]
        self._code_starts = [span.start for span in self._blocks_of_code]
        self._around: list[Span] = []
        self._ahead = 0
        self._fits = fits

    def pieces(self) -> Iterator[Document]:
        start = self._skip_space(0)
        while start < len(self._text):
            self._advance(start)
            end = self._room(start)
            if end < len(self._text):
                end = self._best_cut(start, end)
            piece = self._piece(start, end)
            if not is_blank(piece.text):
                yield piece
            start = self._skip_space(end)

    def _advance(self, start: int) -> None:
        passed = bisect_left(self._starts, start, self._ahead)
        reached = [*self._around, *self._spans[self._ahead : passed]]
        self._around = [span for span in reached if span.end > start]
        self._ahead = passed

    def _piece(self, start: int, end: int) -> Document:
        """Return the document between two positions, neither before the present one."""
        text = self._text[start:end].rstrip()
        return Document(text, tuple(self._spans_between(start, start + len(text))))

    def _spans_between(self, start: int, end: int) -> Iterator[Span]:
        """Spans from `start` to `end`, counted from `start`."""
        for span in self._spans_until(end):
            is_whole = start <= span.start and span.end <= end
            part = span if is_whole else clipped(span, self._text, start, end)
            if part:
                yield Span(part.start - start, part.end - start, part.style, part.argument)

    def _spans_until(self, end: int) -> Iterator[Span]:
        yield from self._around
        yield from self._spans[self._ahead : bisect_left(self._starts, end, self._ahead)]

    def _room(self, start: int) -> int:
        """Return the furthest position up to which a piece from `start` fits."""
        fitting, tried = start + 1, start + _FIRST_GUESS
        while tried < len(self._text) and self._fits(self._piece(start, tried)):
            fitting, tried = tried, start + 2 * (tried - start)
        tried = min(tried, len(self._text))
        if self._fits(self._piece(start, tried)):
            return tried
        while tried - fitting > 1:
            middle = (fitting + tried) // 2
            if self._fits(self._piece(start, middle)):
                fitting = middle
            else:
                tried = middle
        return fitting

    def _best_cut(self, start: int, end: int) -> int:
        reasonable = start + (end - start) // _REASONABLE_SHARE
        whole = self._code_kept_whole(start, end)
        if whole:
            shut = self._shut(start, whole.start)
            return _best_place(self._text, reasonable, shut, start) or whole.start
        shut = self._shut(start, end)
        return (
            _best_place(self._text, reasonable, shut, start)
            or _best_place(self._text, start, shut, start)
            or last_cluster_end(self._text, start, end)
        )

    def _code_kept_whole(self, start: int, end: int) -> Span | None:
        """Return the block of code that `end` would cut, if the next piece can hold all of it."""
        code = self._code_at(end)
        if code and start < code.start < end and self._fits(self._piece(code.start, code.end)):
            return code
        return None

    def _code_at(self, position: int) -> Span | None:
        number = bisect_right(self._code_starts, position) - 1
        code = self._blocks_of_code[number] if number >= 0 else None
        return code if code and position < code.end else None

    def _shut(self, start: int, end: int) -> bytearray:
        """For each position between `start` and `end`, 1 where a cut would be in the
        middle of something."""
        shut = bytearray(end - start + 1)
        for span in self._spans_until(end):
            if span.style is Style.QUOTE:
                continue
            first, last = max(span.start + 1, start), min(span.end, end + 1)
            if span.style is Style.HEADING:
                last = min(next_text(self._text, span.end, len(self._text)), end + 1)
            shut[first - start : last - start] = b"\1" * (last - first)
        return shut

    def _skip_space(self, position: int) -> int:
        """Return where the text goes on; in code that is a line, with its indent."""
        if self._code_at(position):
            lines = _BLANK_LINES.match(self._text, position)
            position = lines.end() if lines else position
        if self._code_at(position):
            return position
        number = bisect_left(self._code_starts, position)
        bound = self._code_starts[number] if number < len(self._code_starts) else len(self._text)
        return next_text(self._text, position, bound)


def _best_place(text: str, least: int, shut: bytearray, start: int) -> int | None:
    """Return the last of the best places behind `least`. `shut` begins at `start`."""
    end = start + len(shut) - 1
    for may_be_inside, kind in product((False, True), Break):
        for place in reversed(breaks(text, kind, least, end)):
            is_open = may_be_inside or not shut[place - start]
            if is_open and not cuts_cluster(text, place):
                return place
    return None


class Break(Enum):
    """A kind of place to cut, the better before the worse. It is where the value's
    match ends, and the white space that follows belongs to no side."""

    BLOCK = re.compile(r"(?=\n\n)")
    LINE = re.compile(r"(?=\n)")
    SENTENCE = re.compile(
        r"""(?:(?<![\d\W])(?<!\b\w)\.|[!?…؟۔।॥])[)\]"'»”’]*(?=\s)"""  # noqa: RUF001
        r"""|[。！？｡．…]+[」』）】”’]*"""  # noqa: RUF001
    )
    WORD = re.compile(r"(?<!\s)(?=\s)|[，、；：]")  # noqa: RUF001


def breaks(text: str, kind: Break, start: int, end: int) -> Sequence[int]:
    """Return the places of `kind` after `start`, up to `end`."""
    ends = (match.end() for match in kind.value.finditer(text, start, end + _BEYOND))
    return [place for place in ends if start < place <= end]


def cuts_cluster(text: str, place: int) -> bool:
    """Whether one cluster holds both characters around `place`. Knows no more of the
    text than these, which is enough beside white space and punctuation."""
    pair = text[place - 1 : place + 1] if place else ""
    return len(pair) == 2 and is_one_cluster(pair)


def last_cluster_end(text: str, start: int, end: int) -> int:
    """Return the last position up to `end` that is between two clusters; `end` itself if the
    cluster at `start` reaches further."""
    last = start
    for _, cluster_end in clusters(text, start, end + 1):
        if cluster_end <= end:
            last = cluster_end
    return last if last > start else end


def next_text(text: str, position: int, bound: int) -> int:
    """Return the first position from `position` on, at most `bound`, that is no white space or
    is the beginning of a cluster with something to see."""
    space = _SPACE.match(text, position, bound)
    end = space.end() if space else position
    return end - 1 if end > position and cuts_cluster(text, end) else end
