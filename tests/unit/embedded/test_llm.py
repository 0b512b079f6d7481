"""A message that is a sum is worked out, and an answer is not said twice."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.embedded.conversation import words
from gaia.agent.embedded.llm import unrepeated, worked_out


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


SORRY = "I'm sorry, but I can't remember."


class Model:
    """Gives the answers it was told, each in pieces and then whole."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = list(answers)
        self.asked: list[list[str]] = []

    async def ask(self, request: LlmRequest) -> AsyncGenerator[LlmResponse, None]:
        self.asked.append([words(content) for content in request.contents])
        pieces = self._answers.pop(0)
        for piece in pieces:
            yield LlmResponse(content=types.ModelContent(piece), partial=True)
        used = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=10, candidates_token_count=2, total_token_count=12
        )
        yield LlmResponse(
            content=types.ModelContent("".join(pieces)), partial=False, usage_metadata=used
        )


def conversation(*said: str) -> LlmRequest:
    return LlmRequest(
        contents=[
            types.Content(role=("user", "model")[number % 2], parts=[types.Part(text=text)])
            for number, text in enumerate(said)
        ]
    )


async def heard(model: Model, *said: str) -> list[LlmResponse]:
    return [each async for each in unrepeated(conversation(*said), model.ask)]


def texts(responses: list[LlmResponse]) -> list[str]:
    return [words(each.content) for each in responses if each.content]


async def test_an_answer_of_its_own_is_passed_on_as_it_comes() -> None:
    model = Model(["I'm ", "fine."])
    assert texts(await heard(model, "Name?", SORRY, "How are you?")) == [
        "I'm ",
        "fine.",
        "I'm fine.",
    ]


async def test_a_repeated_answer_is_never_seen_and_asked_for_without_what_it_repeats() -> None:
    model = Model(["I'm sorry, ", "but I can't remember."], ["Hi!"])
    told = await heard(model, "Name?", SORRY, "Place?", SORRY, "Hi there!")
    assert texts(told) == ["Hi!", "Hi!"]
    assert model.asked[1] == ["Name?", "Place?", "Hi there!"]


async def test_the_tokens_of_both_answers_count() -> None:
    told = await heard(Model([SORRY], ["Hi!"]), "Name?", SORRY, "Hi there!")
    assert told[-1].usage_metadata is not None
    assert told[-1].usage_metadata.total_token_count == 24


async def test_an_answer_that_goes_on_differently_is_shown_from_its_beginning() -> None:
    model = Model(["I'm sorry", ", but no."])
    assert texts(await heard(model, "Name?", SORRY, "Place?"))[:2] == ["I'm sorry", ", but no."]


async def test_an_answer_that_ends_before_the_last_one_did_is_another() -> None:
    model = Model(["I'm sorry"])
    assert texts(await heard(model, "Name?", SORRY, "Place?")) == ["I'm sorry", "I'm sorry"]
    assert len(model.asked) == 1


async def test_the_same_question_may_have_the_same_answer() -> None:
    model = Model([SORRY])
    assert texts(await heard(model, "Name?", SORRY, "Name?")) == [SORRY, SORRY]
    assert len(model.asked) == 1


async def test_a_model_that_insists_is_heard() -> None:
    model = Model([SORRY], [SORRY])
    assert texts(await heard(model, "Name?", SORRY, "Place?"))[-1] == SORRY
    assert len(model.asked) == 2
