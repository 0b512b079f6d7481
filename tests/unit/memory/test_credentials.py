"""The credential gate: what is refused, and what ordinary life may say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gaia.errors import CredentialError
from gaia.memory import credentials
from gaia.memory.credentials import Credential, passes_luhn

SENTENCES = Path(__file__).with_name("ordinary_sentences.txt").read_text("utf-8").splitlines()
"""What people ask to be remembered."""

PASSWORDS = """
my password is hunter2
My password is swordfish
wifi password: correct horse battery staple
the wifi password is "blue house"
the gate PIN is 4711
my PIN for the card is 4711
PIN: \uff11\uff12\uff13\uff14
the passcode for my phone is 0000
4711 ist meine PIN
hunter2 is my password
I use hunter2 as my password everywhere
CVV 123
mein Passwort ist Sommer2024!
Das Passwort für Netflix ist hunter2
la contraseña del wifi es gato123
mon mot de passe est azerty99
la mia password è pippo88
minha senha é abc12345
moje hasło to kotek77
мой пароль от почты: qwerty
密码是123456
パスワードはhunter2です
暗証番号は4711です
비밀번호는 hunter22
كلمة السر هي abc12345
DB_PASSWORD=hunter2
export MYSQL_PWD=hunter2
wifi pw is Abc12345
pa\u200bssword is hunter2
my pass word is hunter2
the password we use at home is swordfish
seed phrase: witch collapse practice feed shame open despair creek road again ice least
"""
IN_ANY_FORM = Path(__file__).with_name("told_passwords.txt").read_text("utf-8")
"""Passwords and PINs as people tell them, with the word for them in whatever form."""

KEYS = """
sk-abcdefghijklmnopqrstuvwx
use sk-ant-api03-abcdefghijklmnopqrst for it
AIzaSyA1234567890abcdefghijklmnopqrstuv
the api key is 8f3k2l9s0d
OPENAI_API_KEY=abcd1234efgh5678
Wi-Fi key: 7h3qu1ckbr0wn
token=abcd1234efgh
postgres://ada:secret@db.example.com/x
https://example.com/feed?token=abcdefgh1234
110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawX
eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U
-----BEGIN OPENSSH PRIVATE KEY-----
AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQ
wJalrXUtnFEMI3K7MDENG2bPxRfiCY9EXAMPLEKEY
"""
CARDS = """
my card is 4111 1111 1111 1111
4111-1111-1111-1111 exp 10/27
valid 10/27 5500005555555559
amex 378282246310005
٤١١١١١١١١١١١١١١١
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("text", lines(PASSWORDS + IN_ANY_FORM))
def test_passwords_and_pins_are_refused_in_many_languages(text: str) -> None:
    assert credentials.find(text) is Credential.PASSWORD


@pytest.mark.parametrize("text", lines(KEYS))
def test_keys_and_tokens_are_refused_by_their_form(text: str) -> None:
    assert credentials.find(text) is Credential.KEY


@pytest.mark.parametrize("text", lines(CARDS))
def test_card_numbers_are_refused_in_any_digits_and_groups(text: str) -> None:
    assert credentials.find(text) is Credential.CARD


@pytest.mark.parametrize("text", SENTENCES)
def test_ordinary_sentences_are_kept(text: str) -> None:
    assert credentials.find(text) is None


def test_there_are_a_hundred_ordinary_sentences() -> None:
    assert len(set(SENTENCES)) >= 100


def test_the_refusal_says_what_it_is_and_repeats_nothing_of_it() -> None:
    with pytest.raises(CredentialError, match="a password or a PIN") as refused:
        credentials.check("my password is hunter2")
    assert "hunter2" not in str(refused.value)


@given(st.integers(10**14, 10**15 - 1))
@example(411111111111111)
def test_a_number_passes_luhn_with_one_check_digit_only(number: int) -> None:
    passing = [digit for digit in range(10) if passes_luhn(f"{number}{digit}")]
    assert len(passing) == 1


@given(
    body=st.integers(0, 10**11 - 1),
    prefix=st.sampled_from(["4111", "5500", "2221", "3528", "6011", "6221"]),
    separator=st.sampled_from(["", " ", "-"]),
    place=st.integers(0, 15),
    change=st.integers(1, 9),
)
def test_a_card_number_is_found_and_one_with_a_wrong_digit_is_not(
    body: int, prefix: str, separator: str, place: int, change: int
) -> None:
    start = f"{prefix}{body:011}"
    number = next(f"{start}{digit}" for digit in range(10) if passes_luhn(f"{start}{digit}"))
    assert credentials.find(f"pay with {grouped(number, separator)}!") is Credential.CARD
    wrong = f"{number[:place]}{(int(number[place]) + change) % 10}{number[place + 1 :]}"
    assert credentials.find(f"pay with {grouped(wrong, separator)}!") is None


@given(st.text(max_size=300))
def test_no_text_is_too_odd(text: str) -> None:
    credentials.find(text)


def test_a_long_text_takes_no_time_to_speak_of() -> None:
    assert credentials.find("password pin token is " * 90) is None
    assert credentials.find("1234 " * 400) is None
    assert credentials.find("a" * 100_000 + " is my password") is None


def grouped(number: str, separator: str) -> str:
    return separator.join(number[start : start + 4] for start in range(0, 16, 4))
