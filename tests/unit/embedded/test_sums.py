"""Messages that are sums, and those that only look like one."""

from __future__ import annotations

import pytest

from gaia.agent.embedded.llm import worked_out


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("What is 17 times 23?", "17 times 23 = 391"),
        ("12 + 30", "12 + 30 = 42"),
        ("1234*56 =", "1234*56 = 69104"),
        ("And how much is 3 + 4 * 5?", "3 + 4 * 5 = 23"),
        ("Was ist 15 mal 12?", "15 mal 12 = 180"),
        ("¿Cuánto es 9 por 8?", "9 por 8 = 72"),
        ("Combien font 100 divisé par 8 ?", "100 divisé par 8 = 12.5"),
        ("What's 20% of 150?", "20% of 150 = 30"),
        ("Quanto fa 15 % di 60?", "15 % di 60 = 9"),
        ("10 / 4", "10 / 4 = 2.5"),
        ("1000 - 358 = ?", "1000 - 358 = 642"),
        ("0.1 + 0.2", "0.1 + 0.2 = 0.3"),
    ],
)
def test_a_sum_is_worked_out(message: str, told: str) -> None:
    assert worked_out(message) == told


@pytest.mark.parametrize(
    "message",
    [
        "",
        "17",
        "Hello!",
        "24/7",
        "555-1234",
        "12-5-1980",
        "29/11/2026",
        "Are you open 9 - 17?",
        "Is 12 / 5 fine?",
        "I have 2 dogs + 3 cats",
        "Buy 2 x 4 planks",
        "My number is 4711",
        "What is 5 divided by",
        "1 ÷ 0",
        "I paid 3 times 20 euros, is that a lot?",
    ],
)
def test_what_is_not_surely_a_sum_is_for_the_model(message: str) -> None:
    assert worked_out(message) is None
