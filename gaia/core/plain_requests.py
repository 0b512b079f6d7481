"""Requests in plain words that a command carries out: to tell what gaia knows, to keep or to
forget something, to say it to somebody, to wake somebody. A model without tools answers as if it
had done it; the command does it, and asks where it must.

A message is one where it says that and nothing else. How people say it stands in
`requests.yaml`; what is missing there goes to the model.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cache
from typing import NamedTuple

import regex

from gaia.memory.reminders.phrases import (
    APOSTROPHES,
    ASKING,
    POLITE,
    is_several_sentences,
    stripped,
)
from gaia.memory.reminders.requests import alarm_words
from gaia.phrases import any_phrase, phrases_in, without_accents

LONGEST = 500
"""Characters of a message that is such a request and nothing else."""

COMMANDS = {
    "memory": "/memory",
    "reminders": "/reminders",
    "help": "/help",
    "about": "/about",
    "reset": "/reset",
    "stop": "/stop",
    "everything": "/forget",
    "last": "/forget that",
}
"""What stands for a request that names nothing."""

_NAMELESS = """
it that this them these those everything all anything something nothing me us you him her a an the
das es dies alles mich mir uns mal ein eine einen einem was eso esto todo ça cela tout moi nous isso
isto tudo questo tutto dat dit mij это всё все мне нам
"""
NAMELESS = frozenset(_NAMELESS.split())
"""Words that alone name nothing, and with which nobody is named."""

LONGEST_NAME = 3
"""Words by which somebody is named, at most."""

COURTESY = regex.compile(
    r"^(\W*\S+) (?:bitte|doch|mal|please|por favor|per favore|s'il te plaît)\b"
)
"""A courtesy behind the first word."""

ASKED = regex.compile(
    r"\b(?:you|du|sie|tu|vous|pued|podr|puo|potr|pod|mo[zż]|мож|je\b)", regex.IGNORECASE
)
"""Before a request: it is put as a question."""

MARKS = " \t.,;:!?…¿¡"


class _Asked(NamedTuple):
    """A kind of request, what is wanted, and what an alarm is called."""

    kind: str
    wanted: Sequence[str]
    called: str


def command_of(message: str, said_at: datetime, zone: tzinfo, hour: int) -> str:
    """The command that carries out what a message asks for, with its words; empty for a message
    that asks for nothing of the kind, or for more. `hour` is that of a day for which no time is
    named."""
    text = " ".join(unicodedata.normalize("NFC", message).translate(APOSTROPHES).split())
    if not text or len(text) > LONGEST or is_several_sentences(text):
        return ""
    text = COURTESY.sub(r"\1", text)
    for kind, wanted, called in _found(text):
        if kind in COMMANDS:
            return COMMANDS[kind]
        if kind in ("alarm", "timer"):
            words = alarm_words(wanted[0], called, said_at, zone, hour)
            # Without a time to read it may be anything: `I hate this alarm`.
            if words or kind == "alarm":
                return f"/remind {words or text}"
        elif command := _with_words(kind, wanted):
            return command
    return ""


def _with_words(kind: str, wanted: Sequence[str]) -> str:
    what = wanted[-1]
    if kind == "tell":
        names = wanted[0].split()
        is_named = len(names) <= LONGEST_NAME and names[0].lower() not in NAMELESS
        return f"/tell {wanted[0]}: {what}" if is_named else ""
    if kind == "remember" and ASKING.match(what):
        return ""
    if not NAMELESS.issuperset(what.lower().split()):
        return f"/{kind} {what}"
    return COMMANDS["last"] if kind == "forget" else ""


def _found(text: str) -> Iterator[_Asked]:
    """What a text may ask for."""
    # What is kept is kept as it is said, also with its last word.
    whole = _without_courtesies_before(text)
    # `Remember that time in Rome?` asks for something else, but `can you remember that …?` not.
    is_bidden = "?" not in text or ASKED.search(text.removesuffix(whole)) is not None
    kept = (whole.rstrip("? "),) if is_bidden else ()
    readings = (stripped(text), text.strip(MARKS))
    for kind, pattern in _patterns():
        for said in kept if kind == "remember" else readings:
            found = pattern.fullmatch(without_accents(said))
            if found is not None:
                wanted, called = (_parts(said, found, name) for name in ("wanted", "called"))
                yield _Asked(kind, wanted, " ".join(called))
                break


def _parts(said: str, found: regex.Match[str], name: str) -> Sequence[str]:
    """What a pattern has found under a name, in the order of the text."""
    spans = found.spans(name) if name in found.re.groupindex else ()
    return [said[start:end].strip() for start, end in sorted(spans)]


def _without_courtesies_before(text: str) -> str:
    while (polite := POLITE.match(text)) is not None:
        text = text[polite.end() :].lstrip(" ,!.")
    return text


@cache
def _patterns() -> Sequence[tuple[str, regex.Pattern[str]]]:
    """Each kind of request as each language says it."""
    told: Mapping[str, Mapping[str, Sequence[str]]] = phrases_in(__package__, "requests.yaml")
    return [
        (kind, any_phrase(phrases)) for kinds in told.values() for kind, phrases in kinds.items()
    ]
