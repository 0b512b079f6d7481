"""Alarms and timers: reminders that say but when, and that need not say of what."""

from __future__ import annotations

from datetime import datetime, time, tzinfo

import regex

from gaia.memory.reminders.requests import LENGTHS, wanted

FORMS = ("{}", *LENGTHS, "at {}")
"""How a time may have to be said to be read, as the `10 minutes` and the `7` of an alarm."""

HOUR = regex.compile(
    r"(?<![\d:.])(?P<hour>[1-9]|1[01])(?:[:.h](?P<minutes>\d\d))?"
    r"(?P<unit> ?h(?:eures?)?\b)?(?![\d:.%])"
)
"""An hour that may be of either half of the day."""

NIGHT = time(0, 30)
MORNING = 8
"""From the night on, an hour of the day that is not also one of the evening."""


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
    times = [each.format(said) for each in FORMS]
    for words in (*(f"{alarm.strip()} {each}" for each in times), *times):
        found = HOUR.search(words)
        if found is not None:
            minutes = found["minutes"] or "00"
            at_eight = due(_with_hour(words, found, f"{MORNING}{_in_short(found)}"), night)
            # It would be another time if it were one of the evening, or how long it takes.
            is_bare = at_eight is not None and at_eight.time() == time(MORNING, int(minutes))
            morning = _with_hour(words, found, f"{int(found['hour']):02}:{minutes}")
            if is_bare and due(morning, said_at):
                return morning
        if due(words, said_at):
            return words
    return ""


def _with_hour(words: str, found: regex.Match[str], hour: str) -> str:
    return f"{words[: found.start()]}{hour}{words[found.end() :]}"


def _in_short(found: regex.Match[str]) -> str:
    """What stands behind an hour, as it was said."""
    return f":{found['minutes']}" if found["minutes"] else found["unit"] or ""
