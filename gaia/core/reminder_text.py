"""Reminders in words: when they are due, how they recur, what is said at their time."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo

from gaia.memory.memory import Memory
from gaia.memory.reminders.recurrence import last_time, rule_parts
from gaia.messages import Button
from gaia.text import one_line
from gaia.zones import zone_of

LATE = timedelta(minutes=5)
"""From then on a reminder says when it was due."""

LONGEST_TASK = 1000
"""Characters of a reminder that are said."""

UNITS = {"MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week"} | {
    "MONTHLY": "month",
    "YEARLY": "year",
}
DAYS = dict(zip(("MO", "TU", "WE", "TH", "FR", "SA", "SU"), calendar.day_name, strict=True))
NTHS = {"1": "first", "2": "second", "3": "third", "4": "fourth", "-1": "last"}
WEEKDAYS = "MO,TU,WE,TH,FR"


def moment(time: datetime, now: datetime, zone: tzinfo, *, dated: bool = False) -> str:
    """A moment as people say it in their zone: today at 18:30, on Friday, 4 December at 09:00;
    with its date in any case if `dated`."""
    local, today = time.astimezone(zone), now.astimezone(zone).date()
    day = local.date()
    near = {} if dated else {0: "today", 1: "tomorrow", -1: "yesterday"}
    if name := near.get((day - today).days):
        return f"{name} at {local:%H:%M}"
    year = "" if day.year == today.year else f" {day.year}"
    return f"on {local:%A}, {day.day} {local:%B}{year} at {local:%H:%M}"


def recurs(recurrence: str) -> str:
    """A rule in words, with its last day: every 2 weeks on Friday, every month on day 1 until
    1 May 2027."""
    last = last_time(recurrence)
    until = f" until {last.day} {last:%B %Y}" if last else ""
    return f"{_every(recurrence)}{until}"


def _every(recurrence: str) -> str:
    parts = rule_parts(recurrence)
    unit, count = UNITS.get(parts.get("FREQ", ""), "time"), int(parts.get("INTERVAL", "1"))
    every = f"every {unit}" if count == 1 else f"every {count} {unit}s"
    days = parts.get("BYDAY")
    if days and days[0] in "-1234":
        return f"{every} on the {NTHS.get(days[:-2], days[:-2])} {DAYS[days[-2:]]}"
    if days == WEEKDAYS and count == 1:
        return "every weekday"
    if days:
        names = _listed([DAYS.get(each, each) for each in days.split(",")])
        return f"every {names}" if count == 1 else f"{every} on {names}"
    day = parts.get("BYMONTHDAY")
    if unit == "year" and day and (month := parts.get("BYMONTH")):
        return f"{every} on {day} {calendar.month_name[int(month)]}"
    if day == "-1":
        return f"{every} on the last day"
    return f"{every} on day {day}" if day else every


def when(reminder: Memory, now: datetime, zone: tzinfo, *, dated: bool = False) -> str:
    """When a reminder is due, with its rule."""
    if reminder.due_at is None:
        return ""
    said = moment(reminder.due_at, now, zone, dated=dated)
    return f"{said} and {recurs(reminder.recurrence)}" if reminder.recurrence else said


def due_text(reminder: Memory, was_due: datetime, now: datetime, zone_name: str | None) -> str:
    """What is said at its time."""
    task = one_line(reminder.text, LONGEST_TASK)
    late = ""
    if now - was_due > LATE:
        late = f" (it was due {moment(was_due, now, zone_of(zone_name or reminder.zone))})"
    return f"Reminder{late}: {task}\n\nAnswer “done”, or “snooze an hour”."


def due_buttons(memory_id: int) -> Sequence[Button]:
    """The answers that it takes."""
    return (
        Button("Done", f"/reminders done {memory_id}", "done"),
        Button("Snooze an hour", f"/reminders snooze {memory_id} an hour", "later"),
    )


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
