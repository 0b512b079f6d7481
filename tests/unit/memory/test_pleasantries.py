"""What is only a greeting, thanks or an ok, in any language, and what never is."""
# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.memory.search.pleasantries import is_pleasantry

PLEASANTRIES = """
hi | Hello gaia! | heyyyy | HI THERE | Thanks a lot!! | ok | OK, thanks, bye | 👍 | 😀😀 🎉 | .. |
Guten Morgen! | Grüß Gott | Vielen Dank 🙏 | ¡Hola! | Muchas gracias | D'accord, merci | Va bene |
Obrigado! | Dank je | Tack så mycket | Dziękuję | Teşekkür ederim | Спасибо! | спасибо большое |
Γεια σου | תודה רבה | شكراً | صباح الخير | धन्यवाद | ขอบคุณครับ | 谢谢 | 好的谢谢 | 你好，早上好！ |
ありがとうございます！ | いいね | 안녕하세요 | 감사합니다 | hi 👋 good morning | Xin chào |
makasih | Dobar dan! | hvala | aitäh | ačiū | Paldies! | bună dimineața | ευχαριστώ πολύ |
გამარჯობა | Բարեւ | ሰላም | నమస్కారం | ကျေးဇူးတင်ပါတယ် | សួស្តី | ຂອບໃຈ | Diolch! | danke dir | gn |
jaja | jajajaja | hahahaha 😂 | ahah | hihi | хаха | rsrs | mdr | ههههه | 55555 |
wwww | xD | haha ok thx
"""
QUESTIONS = """
hi? | ok? | ？ | ❓ | 👍❔ | γεια; | γεια\u037e | شكرا؟ | ok why | who | what is up | where | when |
wer bin ich | warum | qué tal | quién | comment ça va | pourquoi | come stai | perché | quem |
как дела | кто | почему | 你好吗 | 谁 | 什么 | 为什么 |
だれ | なぜ | 누구 | 왜 | من | لماذا | מי | למה |
kto | dlaczego |
kuka | miksi | hvem | hvorfor | vem | varför | kim | neden | ใคร | ทำไม | कौन | क्यों
"""
WORDS = """
hello, I am Ada | thanks, and what about tea | good wine | 12 | 早餐 | 好吃 | right turn | no |
nice restaurant near the station | قهوة |
Jojo | mama | 55 | Hanna | jam | remind me | gracias a mi hermana | danke der Nachfrage nach Tom
"""


def phrases(text: str) -> list[str]:
    return [phrase.strip() for phrase in text.replace("\n", " ").split("|")]


@pytest.mark.parametrize("text", ["", *phrases(PLEASANTRIES)])
def test_greetings_thanks_and_emoji_are_pleasantries(text: str) -> None:
    assert is_pleasantry(text)


@pytest.mark.parametrize("text", phrases(QUESTIONS))
def test_a_question_never_is(text: str) -> None:
    assert not is_pleasantry(text)


@pytest.mark.parametrize("text", phrases(WORDS))
def test_what_says_something_is_not(text: str) -> None:
    assert not is_pleasantry(text)


@given(st.lists(st.sampled_from(phrases(PLEASANTRIES)), max_size=4), st.sampled_from("?？؟՞፧❓"))
def test_no_pleasantry_with_a_question_mark_is_one(said: list[str], mark: str) -> None:
    assert not is_pleasantry(" ".join(said) + mark)


@given(st.text(max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    is_pleasantry(text)
