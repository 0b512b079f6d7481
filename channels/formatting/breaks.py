"""Where text may be cut: between blocks, lines, sentences, words, clusters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from channels.formatting.characters import clusters, is_one_cluster

_SPACE = re.compile(r"\s*")
_BEYOND = 2


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
    """The places of `kind` after `start`, up to `end`."""
    ends = (match.end() for match in kind.value.finditer(text, start, end + _BEYOND))
    return [place for place in ends if start < place <= end]


def cuts_cluster(text: str, place: int) -> bool:
    """Whether one cluster holds both characters around `place`. Knows no more of the
    text than these, which is enough beside white space and punctuation."""
    pair = text[place - 1 : place + 1] if place else ""
    return len(pair) == 2 and is_one_cluster(pair)


def last_cluster_end(text: str, start: int, end: int) -> int:
    """The last position up to `end` that is between two clusters; `end` itself if
    the cluster at `start` reaches further."""
    last = start
    for _, cluster_end in clusters(text, start, end + 1):
        if cluster_end <= end:
            last = cluster_end
    return last if last > start else end


def next_text(text: str, position: int, bound: int) -> int:
    """The first position from `position` on, at most `bound`, that is no white space
    or is the beginning of a cluster with something to see."""
    space = _SPACE.match(text, position, bound)
    end = space.end() if space else position
    return end - 1 if end > position and cuts_cluster(text, end) else end
