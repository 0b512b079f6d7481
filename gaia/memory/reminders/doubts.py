"""Doubts about the time that a request for a reminder names: words beside it that make another
time of it, so that nothing is set by rules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

import regex

from gaia.memory.reminders.phrases import FLAGS
from gaia.zones import matching

BEGINS_A_TIME = regex.compile(
    r"""\W*(?:on|at|in|after|before|by|every|each|once|twice|the|next|last|weekly|daily|monthly
    |\d+\ times|an|am|im|nach|vor|jede[nrs]?|einmal|zweimal|à|en|al|el|la|le|après|tras|a)(?!\w)""",
    FLAGS,
)
"""How a time begins, which may go on in words that nobody reads."""

_EARLIER = regex.compile(
    r"""(?<!\w)(?:
    (?:\d+|an?|one|two|three|half\ an?|eine?|zwei|drei|une?|deux|trois|un[ao]?|dos|tres|due|tre)\s+
    (?:minutes?|mins?|hours?|hrs?|days?|weeks?|minuten?|stunden?|tage?|wochen?|heures?|jours?
    |minutos?|horas?|d[ií]as?|minut[oi]|or[ae]|giorn[oi])\s+
    (?:early|earlier|before(?:hand)?|prior|in\ advance|ahead|vorher|früher|eher|davor|zuvor|vor
    |à\ l'avance|avant|plus\ tôt|antes|prima)
    |the\ (?:day|night|evening|week)\ before
    )(?!\w)""",
    FLAGS,
)
_EXCEPTED = regex.compile(
    r"""(?:(?<!\w)(?:
    (?:every|each|any|all)\b.{0,30}\bbut|except(?:\ for)?|save|unless|außer|ausser|ausgenommen
    |sauf|excepté|hormis|menos|excepto|salvo|tranne|eccetto|exceto|behalve|utom|undtagen|oprócz
    |kromě|кроме
    )(?:\s+\w{1,4})?\s*|除了)$""",
    FLAGS,
)


GOES_ON = regex.compile(
    r"""[\s,(]*(?:\d+\ (?:times|mal|veces|fois|volte|vezes)
    |\d+(?:st|nd|rd|th)|every|each|jede[nrsm]?|alle|cada|chaque|tou(?:s|tes)|ogni|tod[oa]s?
    |in|on|at|by|fortnight|from|starting|beginning|until|till|before|after|during|within|except|only|or|and
    |bis|ab|seit|während|außer|ausser|nur|oder|und|vor|nach(?!\ hause)
    |en|hasta|desde|antes|después|salvo|excepto|menos|solo|sólo|y
    |jusqu'(?:à|au)|depuis|avant|après|sauf|seulement|et|ou|à\ partir
    |fino|dal|prima|dopo|tranne|eccetto|e|em|até|depois|exceto|só
    )(?!\w)(?<!\bin(?!\ (?-i:\p{Lu})))""",
    FLAGS,
)
"""How a time goes on in words that nobody has read, where it stands before what is wanted."""

_PLACE = regex.compile(r"[\s,(]*(?:(?:in|en|em|à|a|de)\s+)?((?:\p{Lu}[\p{L}.'-]*\s?){1,3})")

_WHATEVER = r"[\s,]*(?:(?:but|only|aber|nur|pero|s[oó]lo|mais|seulement|ma|mas|só)\s+)*"
CONDITION = regex.compile(
    rf"""(?:^|,){_WHATEVER}(?:if|wenn|falls|si|s'ils?|se)(?!\w)
    |(?<!\w)(?:if|wenn|si|s'ils?|se)\b.*(?:\b(?:not|nicht|no|pas|non|não)|n't)(?!\w)
    |(?<!\w)(?:unless|provided\ that|sofern|falls|es\ sei\ denn|auße?r\ es|a\ menos|a\ no\ ser
    |à\ moins|sauf\ s|salvo\ s|a\ meno\ che|a\ não\ ser)""",
    FLAGS,
)
"""What makes a reminder depend on something that nobody looks at."""

DEPENDING = regex.compile(
    r"^\W*(?:if|unless|wenn|falls|sofern|si|s'ils?|se)\s[^,]+,|(?<!\w)(?:if|falls|wenn)(?!\w)",
    FLAGS,
)
"""A condition before a request, or the word with which one begins."""


def is_elsewhere(text: str, end: int, zone: tzinfo) -> bool:
    """Whether a place of another time zone stands behind a time, as in "at 9 in New York"."""
    found = _PLACE.match(text, end)
    words = found[1].split() if found else []
    named = [matching(" ".join(words[: count + 1]).rstrip(".")) for count in range(len(words))]
    return any(each and str(zone) not in each for each in named)


def is_doubtful(text: str, places: Sequence[tuple[int, int]]) -> bool:
    """Whether something is wanted before what is told, as "15 minutes early", or on other days
    than those that stand at these places, as "every day except Sunday"."""
    return _EARLIER.search(text) is not None or any(
        _EXCEPTED.search(text[:begin]) is not None for begin, _ in places
    )
