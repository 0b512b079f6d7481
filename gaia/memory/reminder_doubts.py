"""Doubts about the time that a request for a reminder names: words beside it that make another
time of it, so that nothing is set by rules."""

from __future__ import annotations

from collections.abc import Sequence

import regex

FLAGS = regex.IGNORECASE | regex.VERBOSE

QUESTIONS = r"""
what|who|whom|whose|which|where|when|why|how|whether|if|was|wer|wen|wo|wann|warum|wie|ob|welche\w*
|qui|quoi|où|quand|comment|pourquoi|ce que|qué|quién|dónde|cuándo|cómo|cuál|cosa|chi|dove|quando
|come|o que|quem|onde|wat|waar|wanneer|hoe|vad|var|när|co|gdzie|kiedy|jak|что было|кто|где|когда
|как|什么|什麼|谁|哪|多少|何|どこ|いつ|誰
"""


def any_of(listed: str) -> str:
    """The alternatives as a pattern: blanks are meant, line ends are not."""
    return listed.replace("\n", "").replace(" ", "\\ ")


ASKING = regex.compile(rf"\W*(?:{any_of(QUESTIONS)})(?!['\w])", FLAGS)
"""How a question begins: who asks to be reminded what they said asks for an answer."""

REFUSING = regex.compile(
    r"(?<!\w)(?:don'?t|do\ not|not|never|stop|nicht|kein\w*|nie|ne|pas|no|nunca|non|mai|não|niet"
    r"|не|不|别)(?!\w)",
    FLAGS,
)
"""Words before a request that refuse it."""

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
