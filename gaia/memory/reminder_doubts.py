"""Doubts about the time that a request for a reminder names: words beside it that make another
time of it, so that nothing is set by rules."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from gaia.memory.reminder_phrases import FLAGS

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


def is_doubtful(text: str, places: Sequence[tuple[int, int]]) -> bool:
    """Whether something is wanted before what is told, as "15 minutes early", or on other days
    than those that stand at these places, as "every day except Sunday"."""
    return _EARLIER.search(text) is not None or any(
        _EXCEPTED.search(text[:begin]) is not None for begin, _ in places
    )
