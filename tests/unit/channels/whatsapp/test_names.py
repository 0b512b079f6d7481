from __future__ import annotations

import pytest

from channels.whatsapp.requests import is_person, is_sid, person_in, twilio_name


@pytest.mark.parametrize(
    "person",
    ["+4915112345678", "DE.4566546130240823", "US.ENT.11815799212886844830", "BR." + "a1" * 64],
)
def test_a_number_and_an_id_name_a_person(person: str) -> None:
    assert person_in(twilio_name(person)) == person
    assert is_person(person)


def test_a_number_without_its_plus_is_the_same_number() -> None:
    assert person_in("whatsapp:4915112345678") == person_in("whatsapp:+4915112345678")


@pytest.mark.parametrize(
    "name",
    [
        *("", "whatsapp:", "+4915112345678", "sms:+4915112345678", "whatsapp:+1 2"),
        *("whatsapp:../../x", "whatsapp:+4915\n", "whatsapp:a:b", "whatsapp:\u0661\u0662\u0663"),
        "whatsapp:" + "1" * 200,
    ],
)
def test_anything_else_names_nobody(name: str) -> None:
    assert person_in(name) is None


def test_an_id_of_twilios_has_two_letters_and_32_digits() -> None:
    assert is_sid("SM" + "0a" * 16)
    for text in (
        "",
        "SM",
        "SM" + "0a" * 15,
        "sm" + "0a" * 16,
        "SM" + "0g" * 16,
        "SM" + "0a" * 16 + "\n",
    ):
        assert not is_sid(text)
