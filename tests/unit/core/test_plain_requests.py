"""Which command a request in plain words stands for, and which messages are none."""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from gaia.core.plain_requests import LONGEST, command_of

NOW = datetime(2026, 1, 5, 10, tzinfo=UTC)


def asked(text: str) -> str:
    return command_of(text, NOW, ZoneInfo("Europe/Lisbon"), 9)


REQUESTS = {
    "/memory": """
        What do you know about me?
        what do u know about me so far
        Hi gaia, what have you learned about me?
        Do you know anything about me?
        Tell me everything you know about me please
        show me my memories
        Was weißt du über mich?
        was weisst du alles von mir
        Que sais-tu sur moi ?
        ¿Qué sabes de mí?
        que sabes de mi
        Cosa sai di me?
        O que sabes sobre mim?
        wat weet je over mij?
        Co o mnie wiesz?
        что ты обо мне знаешь?
    """,
    "/reminders": """
        What reminders do I have?
        show my reminders
        Do I have any reminders?
        Did you set the reminder?
        Cancel that reminder
        delete the reminder about the dentist
        Lösche die Erinnerung an den Zahnarzt
        Annule mon rappel
        Welche Erinnerungen habe ich?
        Quels sont mes rappels ?
        ¿Qué recordatorios tengo?
        Quali promemoria ho?
        Quais lembretes tenho?
        какие у меня напоминания?
    """,
    "/help": """
        Help!
        What can you do?
        how can you help me
        Was kannst du?
        Qu'est-ce que tu peux faire ?
        ¿Qué puedes hacer?
        Cosa puoi fare?
        O que você sabe fazer?
        Что ты умеешь?
    """,
    "/about": """
        Who are you?
        what model are you
        Where is my data stored?
        who can read this?
        Are you ChatGPT?
        Is this private?
        Wer bist du?
        Wo werden meine Daten gespeichert?
        Qui es-tu ?
        ¿Quién eres?
        Chi sei?
        Quem és?
    """,
    "/reset": """
        Start a new conversation
        Let's start over
        Neues Gespräch
    """,
    "/stop": """
        Stop!
        stop writing please
        Hör auf
        Arrête !
    """,
    "/forget": """
        Forget everything you know about me
        Delete everything you know about me.
        Please delete all my data
        Forget me
        Vergiss alles über mich
        Oublie tout ce que tu sais sur moi
        Borra todos mis datos
        Dimentica tutto di me
        Esquece tudo sobre mim
        Забудь всё, что ты обо мне знаешь
    """,
    "/forget that": """
        Forget that.
        forget what I just said
        Forget about it
        Vergiss das wieder
        Oublie ça
    """,
}
WITH_WORDS = [
    ("Forget that Ines is allergic to nuts.", "/forget Ines is allergic to nuts"),
    ("Could you please forget that I live in Bonn?", "/forget I live in Bonn"),
    ("forget that I told you about my divorce", "/forget my divorce"),
    ("forget my phone number", "/forget my phone number"),
    ("Don't remember that I was ill", "/forget I was ill"),
    ("Remove my address from your memory", "/forget my address"),
    ("Delete everything you know about Tom", "/forget Tom"),
    ("Vergiss bitte, dass Ines allergisch ist.", "/forget dass Ines allergisch ist"),
    ("Oublie que j'habite à Lyon", "/forget j'habite à Lyon"),
    ("Olvida que vivo en Madrid", "/forget vivo en Madrid"),
    ("Dimentica che vivo a Roma", "/forget vivo a Roma"),
    ("Esquece que moro no Porto", "/forget moro no Porto"),
    ("Забудь, что я живу в Москве", "/forget я живу в Москве"),
    ("Please remember that our cat is called Salut", "/remember our cat is called Salut"),
    ("Remember: my locker is 47", "/remember my locker is 47"),
    ("remember the milk is in the fridge", "/remember the milk is in the fridge"),
    ("remember bobby's vet is dr hansen", "/remember bobby's vet is dr hansen"),
    ("Don\u2019t forget that I hate cilantro", "/remember I hate cilantro"),
    ("Merk dir, dass mein Bruder Tom heißt", "/remember dass mein Bruder Tom heißt"),
    ("Can you remember that I park on level 3?", "/remember I park on level 3"),
    ("Kannst du dir merken, dass ich oben parke?", "/remember dass ich oben parke"),
    ("Puedes recordar que vivo en Madrid?", "/remember vivo en Madrid"),
    ("Vergiss nicht, dass ich Vegetarier bin", "/remember dass ich Vegetarier bin"),
    ("Retiens que ma fille s'appelle Inès", "/remember ma fille s'appelle Inès"),
    ("Recuerda que mi hermana se llama Ana", "/remember mi hermana se llama Ana"),
    ("Ricorda che mia sorella si chiama Anna", "/remember mia sorella si chiama Anna"),
    ("Lembra-te que a minha filha é alérgica", "/remember a minha filha é alérgica"),
    ("Запомни: мой брат Иван", "/remember мой брат Иван"),
    ("Tell Rui that I'm late.", "/tell Rui: I'm late"),
    ("Can you tell my wife that I love her?", "/tell my wife: I love her"),
    ("Let Bob know I'm on my way", "/tell Bob: I'm on my way"),
    ("Sag Anna, dass ich später komme", "/tell Anna: dass ich später komme"),
    ("Dis à Anna que j'arrive", "/tell Anna: j'arrive"),
    ("Set a timer for 10 minutes", "/remind timer in 10 minutes"),
    ("10 minute timer", "/remind timer in 10 minute"),
    ("set timer 20 minutes for the pasta", "/remind in 20 minutes for the pasta"),
    ("Set an alarm for 7", "/remind alarm at 07:00"),
    ("set an alarm for 7:30 in the evening", "/remind alarm 7:30 in the evening"),
    ("Wake me up at 6:30", "/remind Wake me up at 06:30"),
    ("wake me in an hour", "/remind wake me in an hour"),
    ("wake me up every day at 7", "/remind wake me up every day at 07:00"),
    ("Wake me up when it rains", "/remind Wake me up when it rains"),
    ("Stell einen Wecker auf 7 Uhr", "/remind Wecker 07:00 Uhr"),
    ("Timer auf 10 Minuten", "/remind Timer in 10 Minuten"),
    ("Réveille-moi à 7 heures", "/remind Réveille-moi à 07:00"),
    ("Mets une alarme dans 8 heures", "/remind alarme dans 8 heures"),
    ("Pon una alarma a las 7:30", "/remind alarma a las 07:30"),
    ("Imposta un timer di 10 minuti", "/remind timer fra 10 minuti"),
    ("Acorda-me às 8:00", "/remind Acorda-me às 08:00"),
]
NO_REQUESTS = """
    Hi, I'm Marta and I live in Lisbon.
    What do you know about black holes?
    Tell me what you know about black holes
    help me with my homework
    Who are you going to vote for?
    Is this safe to eat?
    Where are my keys?
    forget it
    Never mind
    I will never forget that day
    Remember when we went to Rome?
    Remember that time in Rome?
    Remember when life was easy
    Remember who is waiting
    Tell me that you love me
    Tell a story that makes me laugh
    Let me know when you're done
    I hate this alarm
    My alarm clock is broken
    Delete the last paragraph of my text
    Remember that I'm vegetarian. What can I cook tonight?
    Vergiss es
    Sag mal, dass du mich magst
"""


def lines(block: str) -> list[str]:
    return [line.strip() for line in block.strip().splitlines()]


@pytest.mark.parametrize(
    ("text", "command"),
    [(text, command) for command, block in REQUESTS.items() for text in lines(block)],
)
def test_a_request_that_names_nothing_stands_for_a_command(text, command):
    assert asked(text) == command


@pytest.mark.parametrize(("text", "command"), WITH_WORDS)
def test_what_is_wanted_stands_behind_the_command_as_it_is_said(text, command):
    assert asked(text) == command


@pytest.mark.parametrize("text", [*lines(NO_REQUESTS), "", "forget " + "x" * LONGEST])
def test_anything_else_is_no_request(text):
    assert asked(text) == ""
