"""Requests for reminders that recur: by which rule, and until when."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from gaia.memory import reminder_words

LISBON = ZoneInfo("Europe/Lisbon")
NOW = datetime(2026, 11, 29, 22, 0, tzinfo=UTC)
"""A Sunday evening."""

ENDS = [
    ("remind me every day at 8 for a week to eat", "11-30 08:00", "FREQ=DAILY;COUNT=7"),
    ("remind me every day for a week to eat", "11-30 09:00", "FREQ=DAILY;COUNT=7"),
    ("remind me for the next three days at 8 to eat", "11-30 08:00", "FREQ=DAILY;COUNT=3"),
    ("remind me daily at 8 until Friday to eat", "11-30 08:00", "FREQ=DAILY;UNTIL=20261204"),
    (
        "remind me every Monday at 9 until 24 December to eat",
        "11-30 09:00",
        "FREQ=WEEKLY;BYDAY=MO;UNTIL=20261224",
    ),
    (
        "remind me every day until 5 May 2027 at 8 to eat",
        "11-30 08:00",
        "FREQ=DAILY;UNTIL=20270505",
    ),
    (
        "erinnere mich jeden Montag bis zum 24. Dezember um 9 an eat",
        "11-30 09:00",
        "FREQ=WEEKLY;BYDAY=MO;UNTIL=20261224",
    ),
    ("erinnere mich eine Woche lang täglich um 8 an eat", "11-30 08:00", "FREQ=DAILY;COUNT=7"),
    ("erinnere mich die nächsten drei Tage um 8 an eat", "11-30 08:00", "FREQ=DAILY;COUNT=3"),
    (
        "recuérdame todos los días a las 8 durante una semana eat",
        "11-30 08:00",
        "FREQ=DAILY;COUNT=7",
    ),
    ("ricordami ogni giorno alle 8 per una settimana di eat", "11-30 08:00", "FREQ=DAILY;COUNT=7"),
    ("lembra-me todos os dias às 8 durante uma semana de eat", "11-30 08:00", "FREQ=DAILY;COUNT=7"),
    (
        "rappelle-moi tous les lundis à 9h jusqu'au 24 décembre de eat",
        "11-30 09:00",
        "FREQ=WEEKLY;BYDAY=MO;UNTIL=20261224",
    ),
]
"""What recurs and has an end."""


@pytest.mark.parametrize(("said", "due", "rule"), ENDS)
def test_what_recurs_ends_as_it_is_said(said: str, due: str, rule: str) -> None:
    wanted = reminder_words.asked_for(said, NOW, LISBON, 9)
    assert wanted is not None
    assert wanted.task == "eat"
    assert f"{wanted.due.at.astimezone(LISBON):%m-%d %H:%M}" == due
    assert (wanted.due.recurrence or "").removesuffix("T235959") == rule
