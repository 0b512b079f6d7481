"""Requests for reminders in plain words: what is one, what is to be done, and when."""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from gaia.memory.reminders import requests as reminder_words

LISBON = ZoneInfo("Europe/Lisbon")
NOW = datetime(2026, 11, 29, 22, 0, tzinfo=UTC)
"""A Sunday evening."""

ASKED = [
    ("remind me on Friday at nine to call Bob", "call Bob", "12-04 09:00"),
    ("remind me a week from Friday to call Bob", "call Bob", "12-11 09:00"),
    ("remind me tomorrow at 9 about the meeting on Friday", "the meeting on Friday", "11-30 09:00"),
    ("remind me to walk 30 minutes tomorrow", "walk 30 minutes", "11-30 09:00"),
    ("remind me in 2 hours to buy 3 eggs", "buy 3 eggs", "11-30 00:00"),
    ("erinnere mich um 8 ein Brot zu kaufen", "ein Brot zu kaufen", "11-30 08:00"),
    ("Remind me every Monday at 8am to take out the bins.", "take out the bins", "11-30 08:00"),
    ("remind me in 10 minutes to turn off the oven", "turn off the oven", "11-29 22:10"),
    ("remind me in 1h to stretch", "stretch", "11-29 23:00"),
    ("Hi gaia! Please remind me tomorrow to buy milk, thanks", "buy milk", "11-30 09:00"),
    ("remind me to call mum at 5pm", "call mum", "11-30 17:00"),
    ("Can you remind me next week to file taxes?", "file taxes", "11-30 09:00"),
    ("remind me tonight to lock the door", "lock the door", "11-29 23:00"),
    ("remind me that tomorrow is the deadline", "tomorrow is the deadline", "11-30 09:00"),
    ("On Friday at nine remind me to call Bob", "call Bob", "12-04 09:00"),
    ("remind me every day to stretch", "stretch", "11-30 09:00"),
    ("jeden Sonntag erinnere mich an die Tonne", "die Tonne", "12-06 09:00"),
    ("erinnere mich am 24. Dezember um 9 an Geschenke", "Geschenke", "12-24 09:00"),
    (
        "remind me to meet Bob tomorrow at 9 in the lobby",
        "meet Bob tomorrow at 9 in the lobby",
        "11-30 09:00",
    ),
    ("erinnere mich morgen nach Hause zu gehen", "nach Hause zu gehen", "11-30 09:00"),
    ("remind me a week tomorrow to call", "call", "12-07 09:00"),
    ("Don’t let me forget to call Ann tomorrow at 10", "call Ann", "11-30 10:00"),
    ("Set a reminder for tomorrow 9am: dentist", "dentist", "11-30 09:00"),
    ("remind me in an hour", "", "11-29 23:00"),
    ("erinnere mich morgen um halb vier an den Zahnarzt", "den Zahnarzt", "11-30 15:30"),
    ("Kannst du mich morgen um 9 an den Zahnarzt erinnern?", "den Zahnarzt", "11-30 09:00"),
    ("Rappelle-moi demain à 9h d'appeler Paul", "appeler Paul", "11-30 09:00"),
    ("recuérdame el viernes a las nueve llamar a Bob", "llamar a Bob", "12-04 09:00"),
    ("ricordami di chiamare Anna domani alle 10", "chiamare Anna", "11-30 10:00"),
    ("lembra-me amanhã às 9 de ligar ao João", "ligar ao João", "11-30 09:00"),
    ("herinner me morgen om 9 uur aan de tandarts", "de tandarts", "11-30 09:00"),
    ("påminn mig imorgon klockan 9 att ringa", "ringa", "11-30 09:00"),
    ("przypomnij mi jutro o 9 o dentyście", "dentyście", "11-30 09:00"),
    ("Напомни мне завтра в 9 позвонить маме", "позвонить маме", "11-30 09:00"),
    ("Yarın 9'da bana ilaç almayı hatırlat", "ilaç almayı", "11-30 09:00"),
    ("明天上午9点提醒我开会", "开会", "11-30 09:00"),
    ("明日の9時に会議をリマインドして", "会議を", "11-30 09:00"),
    ("내일 9시에 회의 알려줘", "회의", "11-30 09:00"),
]

LENGTHS = """
remind me in 1 hour 20 minutes to go
remind me in 1 hour and 20 minutes to go
erinnere mich in einer Stunde und 20 Minuten an den Kuchen
rappelle-moi dans 1 heure et 20 minutes de partir
recuérdame en una hora y 20 minutos salir
ricordami fra un'ora e 20 minuti di uscire
lembra-me daqui a 1 hora e 20 minutos de sair
herinner me over 1 uur en 20 minuten aan de bus
påminn mig om 1 timme och 20 minuter att gå
przypomnij mi za 1 godzinę i 20 minut o wyjściu
напомни мне через час и 20 минут выйти
1 saat 20 dakika sonra bana pastayı hatırlat
1小时20分钟后提醒我关火
1時間20分後に電話を思い出させて
1시간 20분 후에 전화 알려줘
""".strip().splitlines()
"""An hour and 20 minutes from now."""

PARTLY_READ = """
remind me an hour before my meeting at 4pm to prepare
remind me two days before my birthday on 20 March to buy a cake
remind me in a week and a half to leave
remind me in 10 to 15 minutes to leave
remind me on the second Saturday in May to call
remind me on Monday and Wednesday at 9 to run
remind me every day at 8am and 8pm to take my pills
remind me every day at 8 and 20 to take my pills
remind me at 9 or 10 to call
remind me next week at 9 to call
remind me to watch the 9 o'clock news at 8:45 pm
remind me to call Bob about Friday's meeting tomorrow at 9
remind me tomorrow to pay and on Friday to call Bob
remind me at 9am EST tomorrow to join
remind me tomorrow at 9am Tokyo time to join
erinnere mich eine Stunde vor dem Termin um 16 Uhr
erinnere mich morgen um 8 und 20 Uhr an die Tabletten
erinnere mich drei Tage nach Freitag an die Miete
rappelle-moi une heure avant mon rendez-vous de 16h de partir
rappelle-moi vendredi en huit d'appeler Luc
rappelle-moi le premier lundi du mois de payer
recuérdame una hora antes de mi reunión a las 16:00 salir
ricordami un'ora prima della riunione alle 16 di uscire
ricordami il primo lunedì del mese di pagare
lembra-me uma hora antes da reunião às 16h de sair
herinner me een uur voor de vergadering om 16 uur aan de bus
herinner me elke eerste maandag van de maand aan de huur
påminn mig en timme före mötet klockan 16 att gå
przypomnij mi godzinę przed spotkaniem o 16:00 o wyjściu
напомни мне за два дня до 20 марта купить торт
напомни мне за час до встречи в 16:00 выйти
toplantıdan bir saat önce saat 16:00'da bana hatırlat
会议前一小时下午4点提醒我
每个月第一个星期一提醒我交房租
毎月第一月曜日に家賃を思い出させて
매달 첫째 월요일에 월세 알려줘
회의 1시간 전 오후 4시에 알려줘
remind me every Monday until Christmas to put out the bins
remind me every Monday until the end of January at 9 to put out the bins
remind me every 2 hours for 6 hours to drink
remind me every day at 8 for a week and a half to eat
remind me from Monday to Friday to call
remind me until Friday to call
remind me tomorrow for three days to eat
erinnere mich jeden Montag um 9 bis Weihnachten an den Müll
erinnere mich montags bis freitags um 8 an die Stempeluhr
recuérdame todos los lunes a las 9 hasta Navidad sacar la basura
rappelle-moi tous les lundis à 9h jusqu'à Noël de sortir les poubelles
ricordami ogni lunedì alle 9 fino a Natale di uscire
lembra-me todas as segundas às 9 até ao Natal de sair
remind me to pay rent on the last working day of each month
ricordami di pagare l'ultimo venerdì lavorativo di ogni mese
recuérdame pagar la última semana de cada mes
remind me every morning and evening to take my pill
rappelle-moi chaque matin et soir de prendre la pilule
ricordami ogni mattina e sera di prendere la pillola
remind me every Monday at 9, 5 times, to call
remind me every day at 8 starting Monday to call
remind me tomorrow after lunch to call
remind me at 9 in New York to call
remind me to call Bob tomorrow at 9 in New York
remind me at 9am (Tokyo) to call
remind me at 9am Eastern to call
erinnere mich um 9 Uhr MEZ an den Anruf
erinnere mich um 9 Uhr New Yorker Zeit an den Anruf
lembra-me às 9 em Nova Iorque de ligar
rappelle-moi à 9h à New York d'appeler
remind me tomorrow at 6 to call
remind me every day at 5 to call
erinnere mich am Freitag um 5 an den Anruf
recuérdame el viernes a las 5 llamar
remind me every day at 8, but not on Sundays, to run
remind me every Friday 13th to be careful
remind me Friday fortnight to eat
remind me at 8 every third morning to run
remind me on Christmas Eve at 5pm to wrap presents
remind me at the end of the month at 9 to pay rent
remind me once a week at 9am to call mum
remind me 3 times a day at 8 to take pills
remind me every day except Sunday at 8 to run
remind me every day but Sunday at 8am to run
remind me every Monday except 7 December at 8 to run
erinnere mich täglich außer sonntags um 8 Uhr ans Laufen
recuérdame todos los días menos el domingo a las 8 correr
rappelle-moi tous les jours sauf le dimanche à 8h de courir
remind me of my appointment tomorrow at 10 an hour earlier
remind me of my flight on Friday at 6pm the day before
remind me about the meeting at 3pm 15 minutes early
""".strip().splitlines()
"""Requests whose time is not all that the rules know."""

NOT_ASKED = """
Remind me what I have to do tomorrow
Can you remind me what I said yesterday?
Remind me of Bob
I asked you to remind me on Friday, remember?
Don't remind me tomorrow
My wife said: remind me on Friday to call Bob
I had a bad day at 9. Remind me tomorrow to call Bob
I had a bad day. Remind me tomorrow to call Bob
When will you remind me tomorrow?
You reminded me yesterday
That reminds me of Friday
remind me if it rains tomorrow
Call Bob on Friday
/remind tomorrow
remind me every minute to breathe
Erinnere mich daran, was ich morgen tun muss
rappelle-moi ce que je fais demain
The app does not remind me at 9
""".strip().splitlines()


@pytest.mark.parametrize(("said", "task", "due"), ASKED)
def test_a_request_is_known_by_its_words_and_its_time(said: str, task: str, due: str) -> None:
    wanted = reminder_words.asked_for(said, NOW, LISBON, 9)
    assert wanted is not None
    assert wanted.task == task
    assert f"{wanted.due.at.astimezone(LISBON):%m-%d %H:%M}" == due
    assert reminder_words.wanted(said, NOW, LISBON, 9) == wanted


@pytest.mark.parametrize("said", LENGTHS)
def test_hours_and_minutes_are_one_time(said: str) -> None:
    wanted = reminder_words.asked_for(said, NOW, LISBON, 9)
    assert wanted is not None
    assert wanted.due.at == NOW + timedelta(hours=1, minutes=20)
    assert "20" not in wanted.task or wanted.task == said


@pytest.mark.parametrize("said", PARTLY_READ)
def test_a_time_that_is_read_in_part_is_none(said: str) -> None:
    assert reminder_words.asked_for(said, NOW, LISBON, 9) is None
    assert reminder_words.wanted(said, NOW, LISBON, 9) is None


@pytest.mark.parametrize("said", [*NOT_ASKED, "", "remind me tomorrow " + "x" * 500])
def test_anything_else_is_for_the_model(said: str) -> None:
    assert reminder_words.asked_for(said, NOW, LISBON, 9) is None


@pytest.mark.parametrize(
    ("said", "zone", "recurrence"),
    [
        ("in two hours stretch", None, None),
        ("tomorrow at 9 stretch", "Europe/Lisbon", None),
        ("every Monday at 8 bins", "Europe/Lisbon", "FREQ=WEEKLY;BYDAY=MO"),
    ],
)
def test_a_time_of_day_belongs_to_a_zone_and_a_moment_does_not(
    said: str, zone: str | None, recurrence: str | None
) -> None:
    wanted = reminder_words.wanted(said, NOW, LISBON, 9)
    assert wanted is not None
    assert (wanted.due.zone, wanted.due.recurrence) == (zone, recurrence)


@pytest.mark.parametrize(
    ("said", "zone"),
    [
        ("on 31 March at 9 pay", "Europe/Lisbon"),
        ("on 31 October at 9 pay", "Europe/Lisbon"),
        ("am 31. März um 9 zahlen", "Europe/Lisbon"),
        ("30分後に電話", None),
        ("2時間後に電話", None),
        ("через 2 часа позвонить", None),
    ],
)
def test_a_change_of_the_clocks_makes_no_moment_of_a_time_of_day(
    said: str, zone: str | None
) -> None:
    for month in (1, 7):
        wanted = reminder_words.wanted(said, NOW.replace(month=month), LISBON, 9)
        assert wanted is not None
        assert wanted.due.zone == zone


def test_hours_between_two_times_pass_over_a_change_of_the_clocks() -> None:
    for day in (datetime(2026, 3, 29, 0, 30), datetime(2026, 10, 25, 0, 30)):
        now = day.replace(tzinfo=LISBON)
        wanted = reminder_words.wanted("every 3 hours drink", now, LISBON, 9)
        assert wanted is not None
        assert wanted.due.at - now.astimezone(UTC) == timedelta(hours=3)


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("an hour", "11-29 23:00"),
        ("10 min", "11-29 22:10"),
        ("1h", "11-29 23:00"),
        ("1h30", "11-29 23:30"),
        ("1h 30m", "11-29 23:30"),
        ("eine Stunde und 15 Minuten", "11-29 23:15"),
        ("1 час 30 минут", "11-29 23:30"),
        ("1 uur en 20 minuten", "11-29 23:20"),
        ("1小时20分钟", "11-29 23:20"),
        ("first thing tomorrow", "11-30 09:00"),
        ("for 20 minutes", "11-29 22:20"),
        ("until tomorrow at 8", "11-30 08:00"),
        ("tomorrow", "11-30 09:00"),
        ("2 days", "12-01 09:00"),
        ("eine Stunde", "11-29 23:00"),
        ("bis morgen", "11-30 09:00"),
    ],
)
def test_a_time_alone_is_one_however_it_is_put(said: str, due: str) -> None:
    found = reminder_words.time_named(said, NOW, LISBON, 9)
    assert found is not None
    assert f"{found.at.astimezone(LISBON):%m-%d %H:%M}" == due


@pytest.mark.parametrize(
    "said",
    [
        "15",
        "soon",
        "9am EST tomorrow",
        "tomorrow at 9am in New York",
        "tomorrow or Friday",
        "3/4",
        "",
        "yesterday",
        "I am in Paris tomorrow",
        "call Bob at 9",
    ],
)
def test_what_says_more_or_names_no_time_is_none(said: str) -> None:
    assert reminder_words.time_named(said, NOW, LISBON, 9) is None


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("remind me call mum tomorrow at 17:30", "call mum"),
        ("remind me to call at 8 my mother-in-law", "call at 8 my mother-in-law"),
        ("remind me please tomorrow at 9 to pay", "pay"),
    ],
)
def test_a_task_before_its_time_is_no_part_of_it(said: str, task: str) -> None:
    wanted = reminder_words.asked_for(said, NOW, LISBON, 9)
    assert wanted is not None
    assert wanted.task == task


@pytest.mark.parametrize(
    "words", ["on Christmas Eve at 5pm to wrap presents", "every holiday at 9am to rest"]
)
def test_what_stands_behind_a_command_is_read_whole_as_well(words: str) -> None:
    assert reminder_words.wanted(words, NOW, LISBON, 9) is None
    assert reminder_words.wanted("book the flight on Friday to Rome", NOW, LISBON, 9) is not None


@pytest.mark.parametrize(
    "said",
    [
        "remind me twice a day to stretch",
        "Remind me of Bob",
        "remind me if Tom has not called by 5",
        "If Tom has not called by 5, remind me to call him",
        "Falls es regnet, erinnere mich an den Schirm",
    ],
)
def test_a_request_is_one_whatever_time_it_names(said: str) -> None:
    assert reminder_words.is_request(said)
    assert not reminder_words.is_request("Remind me what I said")
