"""Requests for reminders that recur: by which rule, and until when."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from gaia.memory.reminders import recurrence
from gaia.memory.reminders import requests as reminder_words

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

MONTHLY = [
    ("remind me on the first Monday of every month to eat", "12-07 09:00", "BYDAY=1MO"),
    ("remind me every last Friday of the month at 3pm to eat", "12-25 15:00", "BYDAY=-1FR"),
    ("remind me to eat on the last day of each month", "11-30 09:00", "BYMONTHDAY=-1"),
    ("erinnere mich jeden ersten Montag im Monat an eat", "12-07 09:00", "BYDAY=1MO"),
    ("erinnere mich am letzten Tag jedes Monats an eat", "11-30 09:00", "BYMONTHDAY=-1"),
    ("erinnere mich am 15. jedes Monats an eat", "12-15 09:00", "BYMONTHDAY=15"),
    ("recuérdame el primer lunes de cada mes eat", "12-07 09:00", "BYDAY=1MO"),
    ("recuérdame eat el último día de cada mes", "11-30 09:00", "BYMONTHDAY=-1"),
    ("ricordami il primo lunedì di ogni mese di eat", "12-07 09:00", "BYDAY=1MO"),
    ("ricordami di eat l'ultimo giorno di ogni mese", "11-30 09:00", "BYMONTHDAY=-1"),
    ("lembra-me na primeira segunda-feira de cada mês de eat", "12-07 09:00", "BYDAY=1MO"),
    ("lembra-me de eat no último dia de cada mês", "11-30 09:00", "BYMONTHDAY=-1"),
    ("rappelle-moi le premier lundi de chaque mois de eat", "12-07 09:00", "BYDAY=1MO"),
    ("rappelle-moi de eat le dernier jour de chaque mois", "11-30 09:00", "BYMONTHDAY=-1"),
]
"""What recurs on a weekday or a day of each month."""

FEW_WEEKS = [
    ("remind me every two weeks on Friday at 8 to eat", "12-04 08:00"),
    ("remind me every other week on Friday at 8 to eat", "12-04 08:00"),
    ("erinnere mich alle zwei Wochen freitags um 8 an eat", "12-04 08:00"),
    ("recuérdame cada dos semanas el viernes a las 8 eat", "12-04 08:00"),
]


@pytest.mark.parametrize(("said", "due", "rule"), ENDS)
def test_what_recurs_ends_as_it_is_said(said: str, due: str, rule: str) -> None:
    wanted = reminder_words.asked_for(said, NOW, LISBON, 9)
    assert wanted is not None
    assert wanted.task == "eat"
    assert f"{wanted.due.at.astimezone(LISBON):%m-%d %H:%M}" == due
    assert (wanted.due.recurrence or "").removesuffix("T235959") == rule


@pytest.mark.parametrize(
    ("said", "due", "rule"),
    [
        *((said, due, f"FREQ=MONTHLY;{day}") for said, due, day in MONTHLY),
        *((said, due, "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR") for said, due in FEW_WEEKS),
        ("remind me daily to eat", "11-30 09:00", "FREQ=DAILY"),
        (
            "erinnere mich jeden Werktag um 8 an eat",
            "11-30 08:00",
            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
        ),
    ],
)
def test_what_recurs_is_read_as_people_say_it(said: str, due: str, rule: str) -> None:
    wanted = reminder_words.asked_for(said, NOW, LISBON, 9)
    assert wanted is not None
    assert wanted.task == "eat"
    assert f"{wanted.due.at.astimezone(LISBON):%m-%d %H:%M}" == due
    assert wanted.due.recurrence == rule


def test_what_recurs_in_a_month_falls_there_each_time() -> None:
    wanted = reminder_words.wanted("on the last day of each month eat", NOW, LISBON, 9)
    assert wanted is not None
    rule, at = recurrence.anchored(wanted.due), wanted.due.at
    days = []
    for _ in range(3):
        days.append(f"{at:%m-%d}")
        following = recurrence.next_time(rule, wanted.due.zone, at, at)
        assert following is not None
        at = following
    assert days == ["11-30", "12-31", "01-31"]


@pytest.mark.parametrize(
    ("said", "is_set"),
    [
        ("remind me every day at 8 to eat for a week", False),
        ("remind me every Monday at 9 to eat for the next two months", False),
        ("erinnere mich jeden Tag um 8 zu essen, eine Woche lang", False),
        ("rappelle-moi tous les jours à 8h de manger pendant dix jours", False),
        ("remind me every day at 8 to read for half an hour", True),
        ("remind me every Sunday at 8pm to plan for the week", True),
    ],
)
def test_an_end_behind_what_is_wanted_is_asked_for(said: str, *, is_set: bool) -> None:
    assert (reminder_words.asked_for(said, NOW, LISBON, 9) is not None) is is_set
