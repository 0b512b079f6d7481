"""Where the sentences of a text begin and end.

A sentence may come out longer than it is, and never shorter: where its end is in doubt, what
follows belongs to it, so that it loses no "not", no subject and no condition. Nothing is cut
between quotation marks, in brackets, or between a heading and its list.
"""

# ruff: noqa: RUF001 - the marks of other scripts are meant

from __future__ import annotations

from collections.abc import Iterator

import regex

from gaia.digest.plain import SPEAKING, awaits_text, is_question, is_request, plain
from gaia.memory.dates import NUMBER_OF
from gaia.memory.search.pleasantries import is_pleasantry
from gaia.memory.text import content_terms, normalise
from gaia.store.archive import MESSAGE_BREAK

WRAPPED = 50
"""Characters of a line that is rather wrapped than ended by whoever wrote it."""

LOOKED_AT = 80
LAST_LOOKED_AT = 240
"""Characters of what follows an end, and of what comes before it, that tell whether it is one."""

BREAKS = f"\n\r{MESSAGE_BREAK}"
BREAK = regex.compile(f"[{BREAKS}]")
COPIED = regex.compile(r"[ \t]*(?:>|```|[♪♫🎵🎶])")
GAP = regex.compile(rf"[\s{MESSAGE_BREAK}]*")
ITEM_NUMBER = regex.compile(rf"(?:^|[\n\r{MESSAGE_BREAK}])[ \t]*\d{{1,3}}\.$")
ITEM = regex.compile(r"[ \t]*(?:[-*+•‣▪·–—☐☑✓✔]|\d{1,3}[.)]|\p{L}\))[ \t]+")
SPACED_MARK = r"[ \u00a0\u202f]»(?!\w)"
MARKS = r"\"'”’»“«‘)\]"
WIDE_MARKS = "」』”’»）"
END = regex.compile(
    rf"(?<![.!?…؟।])[.!?…؟।]++(?:[{MARKS}]|{SPACED_MARK})*+(?=\s|$)"
    rf"|(?<![。！？])[。！？]++(?:[{WIDE_MARKS}]+(?=\s|$)|(?![{WIDE_MARKS}。！？]))"
    rf"|(?<=[^\s{MESSAGE_BREAK}])[ \t]*(?=[\n\r{MESSAGE_BREAK}])"
)
"""Where a sentence may end, a line among them."""

ELLIPSIS = regex.compile(rf"(?:\.{{2,}}|…[.…]*)[{MARKS}]*$")
FULL_STOP = regex.compile(rf"(?<![.!?…])\.[{MARKS}]*$")
STOPPED = regex.compile(rf"(?:[.!?؟।]+(?:[{MARKS}]|{SPACED_MARK})*|[。！？]+[{WIDE_MARKS}]*)$")
ABBREVIATION = regex.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|sr|jr|prof|nr|no|str|hr|fr|sra|dra|bzw|ca|vs|etc|mme|mlle|sig|dott"
    r"|esp|excl|incl|inkl|approx|bspw|insb|insbes|geb|gesch|bijv|np|lt|lieut|messrs)"
    r"|\b\p{L})\.$",
    regex.IGNORECASE,
)
MAY_BE_SHORT = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}'’])(?:[\p{Lu}\p{Ll}]{1,4}|(?:\p{Lo}\p{M}*){1,2})\.$"
)
ORDINAL = regex.compile(r"\b\d{1,2}\.$")
"""What ends in a full stop that ends no sentence, if more follows: `Dr.`, `e.g.`, also before
a word that begins many sentences; a word as short as those, before any other; and before the
name of a month, `3.`."""

OPENED = regex.compile(r"[,;(–—-]$|[،、，；]$")
WORD = regex.compile(r"\W*(?P<word>\p{L}[\p{L}\p{M}'’]*)")
LAST_WORD = regex.compile(r"(?P<word>\p{L}[\p{L}\p{M}]*)$")

QUOTATION = regex.compile(
    r"`[^`\n]*`"
    r"|“(?:[^“”]|“(?=\w))*(?:”|“(?!\w)|\Z)|„[^“”„\"]*(?:[“”\"]|\Z)"
    r"|«[^»]*(?:»|\Z)|»(?=\S)[^«»]*[«»]|‹[^›]*›|›(?=\S)[^‹›]*[‹›]"
    r"|「[^」]*(?:」|\Z)|『[^』]*(?:』|\Z)|(?<![\w.,!?…])”(?=\w)[^”]*”"
    r"|(?<!\w)\"(?=\S)[^\"]*(?:\"|\Z)"
    r"|(?<!\w)['‘‚](?=\p{L})(?:[^'’‘\n]|(?<=\w)['’](?=\w))*['’‘](?!\w)"
)
"""What stands between quotation marks, over any number of sentences; one that nobody has
closed goes on to the end."""

ENCLOSED = regex.compile(
    rf"{QUOTATION.pattern}|(?<![:;=8-])\([^()\n]*(?<![:;=8-])\)|（[^（）\n]*）"
)


def spans(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, with where each begins."""
    begin = 0
    for found in [*END.finditer(ENCLOSED.sub(_hidden, text)), None]:
        end = len(text) if found is None else found.end()
        if found is not None and _goes_on(text, begin, end):
            continue
        bare = text[begin:end].strip()
        if bare:
            yield begin + text[begin:end].index(bare[0]), bare
        begin = end


def line_start(text: str, at: int) -> int:
    """Where the line begins in which a place stands."""
    return 1 + max(text.rfind(each, 0, at) for each in BREAKS)


def _hidden(found: regex.Match[str]) -> str:
    """What is enclosed, without the ends of sentences but the last."""
    text = found.group()
    inner = text[1:-1].rstrip(" .!?…。！？؟।")
    return text[0] + "x" * len(inner) + text[1 + len(inner) :]


def _goes_on(text: str, begin: int, end: int) -> bool:
    """Whether a sentence does not end where it seems to."""
    gap = GAP.match(text, end)
    follows = text[gap.end() : gap.end() + LOOKED_AT] if gap else ""
    told = text[max(begin, end - LAST_LOOKED_AT) : end].strip()
    if not follows or not told:
        return False
    if gap and BREAK.search(gap.group()):
        return _goes_on_in_next_line(text[begin : begin + LOOKED_AT], told, follows)
    if STOPPED.search(told) is None or ELLIPSIS.search(told):
        return True
    return follows[0].islower() or _is_doubtful(told, follows)


def _goes_on_in_next_line(begun: str, told: str, follows: str) -> bool:
    last, line = told[line_start(told, len(told)) :], BREAK.split(follows, 1)[0]
    if COPIED.match(last) or COPIED.match(line):
        return False
    if ITEM.match(follows):
        return not any(is_question(each) or is_request(each) for each in (begun, last))
    is_open = ELLIPSIS.search(told) is not None
    if STOPPED.search(told) and not is_open:
        return _is_doubtful(told, follows)
    if is_pleasantry(last) or awaits_text(last):
        return False
    if is_open or OPENED.search(told) or _is_filler(LAST_WORD.search(told)):
        return True
    if any(asks(line) for asks in (is_question, is_request, awaits_text)):
        return False
    is_wrapped = len(last) >= WRAPPED or (_is_capital(begun) and follows[0].islower())
    return is_wrapped or not _begins(follows)


def _is_doubtful(told: str, follows: str) -> bool:
    """Whether a full stop may be one after a short form, or of a number or a date."""
    if FULL_STOP.search(told) is None:
        return False
    month = regex.match(r"\p{L}+", follows)
    is_date = ORDINAL.search(told) and month and normalise(month.group()) in NUMBER_OF
    is_number = follows[0].isdigit() or ITEM_NUMBER.search(told)
    is_short = MAY_BE_SHORT.search(told) and not _begins(follows)
    return bool(is_date or is_number or is_short or ABBREVIATION.search(told))


def _begins(follows: str) -> bool:
    """Whether words begin a sentence for certain: with one that nobody would write in capitals
    elsewhere, or with one of those by which somebody tells of themselves; or are a greeting."""
    speaking = SPEAKING.search(plain(follows))
    is_spoken = speaking is not None and speaking.start() == 0
    if is_spoken or is_pleasantry(follows):
        return True
    return _is_capital(follows) and _is_filler(WORD.match(follows))


def _is_capital(text: str) -> bool:
    word = WORD.match(text)
    return word is not None and word["word"][0].isupper()


def _is_filler(word: regex.Match[str] | None) -> bool:
    return word is not None and not content_terms(word["word"])
