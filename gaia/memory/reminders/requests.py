"""What somebody wants to be reminded of, as they say it: `remind me on Friday at nine to call
Bob`. The time is placed by `when`; nothing is made of a sentence that names none to come. An
alarm or a timer says but when, and need not say of what.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import NamedTuple

import regex

from gaia.memory import when
from gaia.memory.reminders import doubts, phrases
from gaia.memory.reminders.phrases import rest, stripped
from gaia.memory.reminders.recurrence import SHORTEST_INTERVAL, Due, interval_of, to_come
from gaia.memory.when import Placed

MORNING = 9
"""The usual hour of a day for which no time is named."""

LONGEST = 500
"""Characters of a message that is a request for a reminder and nothing else."""

FURTHEST = timedelta(days=5 * 366)
"""How far ahead a reminder may be due."""

LATE_BY = timedelta(hours=1)
"""How long after now a reminder comes for a part of the day that has begun: `tonight`."""

LENGTHS = (
    *("in {}", "en {}", "dans {}", "fra {}", "daqui a {}", "over {}", "om {}", "za {}"),
    *("через {}", "{} sonra", "{}后", "{}後", "{} 후"),
)
"""How one says when something is that takes so long from now."""

ALARM_FORMS = ("{}", *LENGTHS, "at {}")
"""How a time may have to be said to be read, as the `10 minutes` and the `7` of an alarm."""

ALARM_HOUR = regex.compile(
    r"(?<![\d:.])(?P<hour>[1-9]|1[01])(?:[:.h](?P<minutes>\d\d))?"
    r"(?P<unit> ?h(?:eures?)?\b)?(?![\d:.%])"
)
"""An hour that may be of either half of the day."""

NIGHT = time(0, 30)
EIGHT = 8
"""From the night on, an hour of the day that is not also one of the evening."""

_ORDINAL = regex.compile(r"(?<=\b\d\d?)\.(?= )")
"""The mark of a day's number, as in "am 24. Dezember"."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody wants to be reminded of, in their own words, and when."""

    task: str
    due: Due


class _Request(NamedTuple):
    """How a message asks for a reminder: `is_first` says that what is wanted follows."""

    text: str
    begins: int
    ends: int
    is_first: bool


def is_request(message: str) -> bool:
    """Whether a message asks for a reminder and for nothing else, whatever time it names, or
    whatever it depends on."""
    both = map(_request, (message, doubts.DEPENDING.sub("", message)))
    return any(
        asked and not (asked.is_first and rest(asked.text[: asked.begins])) for asked in both
    )


def asked_for(message: str, said_at: datetime, zone: tzinfo, hour: int) -> Wanted | None:
    """The reminder that a message asks for, if it is that and nothing else. `hour` is that of a
    day for which no time is named. The task is empty where only the time is said."""
    asked = _request(message)
    found = None if asked is None else first_coming(asked.text, said_at, zone, hour)
    if asked is None or found is None:
        return None
    placed, due = found
    if phrases.is_several_sentences(_without(asked.text, placed)):
        return None
    before, after = asked.text[: asked.begins], asked.text[asked.ends :]
    if not asked.is_first:
        words = f"{before} {_inside(asked.text[asked.begins : asked.ends])} {after}"
        return Wanted(_task(words, placed), due)
    unread = _unread(asked.text, asked.ends, placed)
    if _goes_on(asked.text, asked.ends, placed):
        return None
    if rest(unread) and not phrases.JOINING.match(unread):
        return None
    if rest(before.replace(placed.phrase, "")):
        return None
    return Wanted(_task(after, placed), due)


def _request(message: str) -> _Request | None:
    text = message.strip()
    if not text or len(text) > LONGEST or text.startswith("/"):
        return None
    text = _spelled(text)
    asked = phrases.ASKED.search(text)
    is_first = asked is not None
    asked = asked or phrases.ASKED_WITHIN.search(text)
    if asked is None or phrases.is_several_sentences(_ORDINAL.sub("", text)):
        return None
    before, after = text[: asked.start()], text[asked.end() :]
    if (
        phrases.ASKING.match(before)
        or phrases.ASKING.match(_joined(after))
        or phrases.REFUSING.search(before)
    ):
        return None
    return _Request(text, asked.start(), asked.end(), is_first)


def _asked(text: str) -> regex.Match[str] | None:
    """With what the words behind a command begin as a request does."""
    return phrases.ASKED.match(text) or regex.match(r"(?:me|us)\b", text, regex.IGNORECASE)


def _unread(text: str, begin: int, placed: Placed) -> str:
    """What stands before a time and may belong to it, where what is wanted follows: of "on
    Christmas Eve at 5 to sing" the day."""
    follows = phrases.JOINING.match(text, placed.places[-1][1])
    return text[begin : placed.places[0][0]] if follows else ""


def _goes_on(text: str, begin: int, placed: Placed) -> bool:
    """Whether a time with which a request begins goes on in words that are not read."""
    first, end = placed.places[0][0], placed.places[-1][1]
    return not rest(text[begin:first]) and doubts.GOES_ON.match(text, end) is not None


def wanted(words: str, said_at: datetime, zone: tzinfo, hour: int) -> Wanted | None:
    """What the words behind a command ask for; None where they name no time to come. They may
    be a whole request themselves."""
    request = asked_for(words, said_at, zone, hour)
    if request or is_request(words):
        return request
    text = _spelled(words)
    found = first_coming(text, said_at, zone, hour)
    asked = _asked(text)
    begin = asked.end() if asked else 0
    if found is None or doubts.BEGINS_A_TIME.match(_unread(text, begin, found[0])):
        return None
    if _goes_on(text, begin, found[0]):
        return None
    return Wanted(_task(text[begin:], found[0]), found[1])


def alarm_words(said: str, alarm: str, said_at: datetime, zone: tzinfo, hour: int) -> str:
    """The words of a request for a reminder that is an alarm: what it is called, or is for, and its
    time; empty where no time can be read. `alarm` is what it is called, and `hour` that of a day
    for which no time is named. An hour that is said to be of neither half of the day is one of
    the morning: nobody sleeps until seven in the evening."""

    def due(words: str, at: datetime) -> datetime | None:
        found = wanted(words, at, zone, hour)
        is_whole = found and found.task and found.task.lower() in f"{alarm}\n{said}".lower()
        return found.due.at.astimezone(zone) if found is not None and is_whole else None

    night = datetime.combine(said_at.astimezone(zone), NIGHT, zone)
    times = [each.format(said) for each in ALARM_FORMS]
    for words in (*(f"{alarm.strip()} {each}" for each in times), *times):
        found = ALARM_HOUR.search(words)
        if found is not None:
            minutes = found["minutes"] or "00"
            at_eight = due(_with_hour(words, found, f"{EIGHT}{_in_short(found)}"), night)
            # It would be another time if it were one of the evening, or how long it takes.
            is_bare = at_eight is not None and at_eight.time() == time(EIGHT, int(minutes))
            morning = _with_hour(words, found, f"{int(found['hour']):02}:{minutes}")
            if is_bare and due(morning, said_at):
                return morning
        if due(words, said_at):
            return words
    return ""


def task_of(words: str, said_at: datetime, zone: tzinfo) -> str:
    """What is wanted of a request whose time is not certain: all but a time at its beginning or
    its end."""
    asked = _asked(words)
    text = stripped(words[asked.end() :] if asked else words)
    found = when.find(text, said_at, zone)
    return _task(text, found[0]) if found else _joined(text)


def time_named(words: str, said_at: datetime, zone: tzinfo, hour: int) -> Due | None:
    """The time that some words name, if they say nothing else: `an hour` and `10 min` as well
    as `in an hour`."""
    text = words.strip().translate(phrases.APOSTROPHES)
    spelled = regex.sub(
        r"^\W*(?:in |for )?(\d+)\s*h\s*(\d\d?)\s*m?$", r"in \1 hours \2 minutes", text
    )
    for short, unit in (("h(?:rs?)?", "hours"), ("m(?:ins?)?", "minutes"), ("d", "days")):
        spelled = regex.sub(rf"^\W*(?:in |for )?(\d+)\s*{short}$", rf"in \1 {unit}", spelled)
    until = r"^(?:until|till|bis|tot|hasta|fino a|até|jusqu'(?:à|au)|do|до)\b\s*"
    bare = regex.sub(until, "", spelled)
    within = regex.sub(r"^(?:for|by|um|de|di|da|por|om)\b", "in", bare)
    for each in (bare, within, *(words.format(text) for words in LENGTHS)):
        found = first_coming(each, said_at, zone, hour)
        if found is not None and not rest(phrases.EXACTLY.sub("", _without(each, found[0]))):
            return found[1]
    return None


def first_coming(
    text: str, said_at: datetime, zone: tzinfo, hour: int
) -> tuple[Placed, Due] | None:
    """The time to come that a text names, as it is placed, and when that is due; of several
    the one with which it begins. What names none for certain names none."""
    found = when.find(text, said_at, zone, ahead=True)
    places = [place for each in found for place in each.places]
    if not all(each.is_whole for each in found) or doubts.is_doubtful(text, places):
        return None
    if any(each.has_time and doubts.is_elsewhere(text, each.places[-1][1], zone) for each in found):
        return None
    dues = [(each, due) for each in found if (due := due_of(each, said_at, zone, hour))]
    if len({due.at for _, due in dues}) > 1:
        more = [each for each, _ in dues[1:]]
        is_one = _begins(text, dues[0][0]) and not any(_is_added(text, each) for each in more)
        dues = dues[:1] if is_one else []
    return dues[0] if dues else None


def _begins(text: str, placed: Placed) -> bool:
    """Whether a request begins with a time and goes on with what is wanted."""
    first, end = placed.places[0]
    before = phrases.ASKED.sub("", text[:first])
    joined = phrases.JOINING.match(text, end)
    return not rest(before) and len(placed.places) == 1 and joined is not None


def _is_added(text: str, placed: Placed) -> bool:
    """Whether a time stands behind an "and", so that something else may be wanted then."""
    return phrases.ADDED.search(text, 0, placed.places[0][0]) is not None


def due_of(placed: Placed, said_at: datetime, zone: tzinfo, hour: int) -> Due | None:
    """When what is placed is due, if that is to come and said as a whole; what recurs too often
    is not."""
    if not placed.is_whole:
        return None
    interval = interval_of(placed.recurrence or "")
    if interval is not None and interval < SHORTEST_INTERVAL:
        return None
    named = None if placed.is_moment else str(zone)
    first = Due(moment_of(placed, said_at, zone, hour), named, placed.recurrence)
    due = to_come(first, said_at)
    return due if due is not None and due.at < said_at + FURTHEST else None


def moment_of(placed: Placed, said_at: datetime, zone: tzinfo, hour: int) -> datetime:
    """When what is placed is due: of a day at `hour`, of a part of the day that has begun in
    an hour, or at its end."""
    if not placed.has_time:
        day = placed.start.astimezone(zone).date()
        return datetime.combine(day, time(hour), zone).astimezone(UTC)
    if placed.end is not None and placed.start <= said_at < placed.end:
        return min(said_at + LATE_BY, placed.end)
    return placed.start


def _task(words: str, placed: Placed) -> str:
    """What is left to do: the words without the time, where that stands at their beginning or
    their end, and without what only joins."""
    text = stripped(words)
    for phrase in placed.phrase.split(" … "):
        at_start = text if text.startswith(phrase) else phrases.BEFORE_TIME.sub("", text)
        if at_start.startswith(phrase):
            text = stripped(phrases.PARTICLE.sub("", at_start.removeprefix(phrase)))
        elif text.endswith(phrase):
            text = stripped(text.removesuffix(phrase))
    return _joined(text)


def _without(text: str, placed: Placed) -> str:
    """A text without the words that are placed."""
    for first, end in reversed(placed.places):
        text = text[:first] + text[end:]
    return text


def _joined(text: str) -> str:
    joined = phrases.JOINING.match(text)
    return stripped(text[joined.end() :]) if joined else text


def _spelled(text: str) -> str:
    """A text with the marks that the rules know, and hours in full."""
    return regex.sub(r"(?<=\bin \d{1,3})\s*h\b", " hours", text.translate(phrases.APOSTROPHES))


def _inside(asked: str) -> str:
    """What stands between the two words of a request that closes a sentence."""
    found = regex.fullmatch(r"(?:mich|uns)\b(.+)\berinnern", asked, regex.IGNORECASE)
    return found[1] if found else ""


def _with_hour(words: str, found: regex.Match[str], hour: str) -> str:
    return f"{words[: found.start()]}{hour}{words[found.end() :]}"


def _in_short(found: regex.Match[str]) -> str:
    """What stands behind an hour, as it was said."""
    return f":{found['minutes']}" if found["minutes"] else found["unit"] or ""
