"""What the embedded model is given of a request, and what is dropped of a long history."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.function_tool import FunctionTool
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from gaia.agent.embedded.conversation import (
    LONGEST_ORDER,
    Bounds,
    fitting,
    inability,
    language_of,
    manners,
    trim,
    words,
)
from gaia.agent.prompt import PLAIN_RULES

BOUNDS = Bounds(2048, 768)


def said(*texts: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text) for text in texts])


def answered(text: str) -> types.Content:
    return types.Content(role="model", parts=[types.Part(text=text)])


def called(name: str, **args: object) -> types.Content:
    call = types.FunctionCall(name=name, args=args)
    return types.Content(role="model", parts=[types.Part(function_call=call)])


def returned(name: str, **response: object) -> types.Content:
    result = types.FunctionResponse(name=name, response=response)
    return types.Content(role="user", parts=[types.Part(function_response=result)])


def asked(*contents: types.Content, **config: object) -> LlmRequest:
    told = {"system_instruction": "Be kind.", **config}
    return LlmRequest(
        contents=list(contents), config=types.GenerateContentConfig.model_validate(told)
    )


CONVERSATION = (
    said("Hello"),
    answered("Hi!"),
    said("2+2?"),
    called("calculate", expression="2+2"),
    returned("calculate", result="<|4"),
    answered("Four."),
)


def spoken(*contents: types.Content, language: str = "en") -> list[types.Content]:
    """What the model is given of a conversation, without the example that it begins with."""
    given_contents = fitting(asked(*contents), BOUNDS).contents
    example = manners()[language].example
    shown = given_contents[: len(example)]
    assert [words(content) for content in shown] == [*example]
    assert [content.role for content in shown] == ["user", "model"] * (len(example) // 2)
    return given_contents[len(example) :]


def ping() -> str:
    """Ping."""
    return "pong"


def test_without_tools_nothing_stands_between_what_was_said() -> None:
    texts = [words(content) for content in spoken(*CONVERSATION)]
    assert texts == ["Hello", "Hi!", "2+2?", "Four."]


def test_with_tools_their_calls_and_results_stay() -> None:
    request = asked(*CONVERSATION)
    request.append_tools([FunctionTool(ping)])
    contents = fitting(request, BOUNDS).contents[-len(CONVERSATION) :]
    assert words(contents[0]) == "Hello"
    assert contents[4].parts is not None
    assert contents[4].parts[0].function_response is not None
    assert contents[4].parts[0].function_response.response == {"result": "< |4"}


def test_thoughts_and_files_are_left_out() -> None:
    photo = types.Part(inline_data=types.Blob(data=b"x", mime_type="image/png"))
    thought = types.Part(text="hm", thought=True)
    content = types.Content(role="user", parts=[types.Part(text="Look!"), photo, thought])
    assert spoken(content) == [said("Look!")]


def test_control_tokens_are_broken_up_in_words_and_instructions() -> None:
    request = asked(said("a<|im_end|>b"), system_instruction="Known: <|im_start|>")
    told = fitting(request, BOUNDS)
    assert words(told.contents[-1]) == "a< |im_end|>b"
    assert told.config.system_instruction == "Known: < |im_start|>"


def test_a_conversation_begins_with_an_example_in_its_language() -> None:
    turn = said("Ich bin müde.", "[Drinks tea]")
    assert spoken(turn, language="de") == [turn]
    later = (turn, answered("Oje!"), said("Was hilft dagegen?"))
    assert spoken(*later, language="de") == [*later]


def test_a_message_in_another_language_asks_for_an_answer_in_that() -> None:
    turns = (said("Ich bin müde.", "[Drinks tea]"), answered("Oje!"))
    asking = said("And why are you not?", "(Answer in English.)")
    assert spoken(*turns, said("And why are you not?"), language="de") == [*turns, asking]
    english = (said("My name is Eva."), answered("Hello!"))
    asking = said("Wie heiße ich?", "[Drinks tea]", "(Antworte auf Deutsch.)")
    assert spoken(*english, said("Wie heiße ich?", "[Drinks tea]")) == [*english, asking]


def test_what_is_of_no_certain_language_asks_for_none() -> None:
    turns = (said("Ich bin müde."), answered("Oje!"), said("Ok"))
    assert spoken(*turns, language="de") == [*turns]


def test_the_example_and_what_asks_for_a_language_fit_beside_the_history() -> None:
    turns = [said("Ich bin müde."), *(said("What is the matter? " * 9) for _ in range(60))]
    contents = fitting(asked(*turns), BOUNDS).contents
    assert words(contents[-1]).endswith("(Answer in English.)")
    room = BOUNDS.context_tokens - BOUNDS.max_reply_tokens
    sizes = [len(each.model_dump_json(exclude_none=True).encode()) // 3 + 8 for each in contents]
    assert room // 3 < sum(sizes) <= room


def test_in_a_language_without_an_example_nothing_is_shown() -> None:
    turn = said("Hallo, ik heet Sanne en ik woon in Utrecht.")
    assert fitting(asked(turn), BOUNDS).contents == [turn]


def test_an_answer_in_a_shape_has_the_language_that_it_is_asked_for_in() -> None:
    request = asked(said("Ich bin müde."), response_schema={"type": "object"})
    assert fitting(request, BOUNDS).contents == [said("Ich bin müde.")]


def test_what_rules_say_of_the_language_goes_before_that_of_a_message() -> None:
    rules = f"Be kind.\n{PLAIN_RULES}\n- Answer in English"
    request = asked(said("Ich bin müde."), system_instruction=rules)
    assert fitting(request, BOUNDS).contents == [said("Ich bin müde.")]


@pytest.mark.parametrize(
    ("config", "most"),
    [
        ({}, 768),
        ({"max_output_tokens": 10}, 10),
        ({"max_output_tokens": 900}, 768),
        ({"max_output_tokens": 900, "response_schema": {"type": "object"}}, 900),
        ({"max_output_tokens": 9000, "response_schema": {"type": "object"}}, 1024),
    ],
)
def test_an_answer_in_a_shape_may_be_longer_than_one_in_words(
    config: dict[str, object], most: int
) -> None:
    assert fitting(asked(said("a"), **config), BOUNDS).config.max_output_tokens == most


def test_json_is_wanted_as_likely_as_it_can_be() -> None:
    shape = {"response_schema": {"type": "object"}}
    assert fitting(asked(said("a"), **shape), BOUNDS).config.temperature == 0
    assert fitting(asked(said("a")), BOUNDS).config.temperature is None


def history(sizes: Sequence[int]) -> list[types.Content]:
    return [said("x" * 300 * size) for size in sizes]


def size(contents: Sequence[types.Content]) -> int:
    return sum(len(words(content)) for content in contents) // 300


@given(st.lists(st.integers(1, 20), min_size=1, max_size=60))
def test_a_trimmed_history_fits_and_ends_with_the_last_turn(sizes: list[int]) -> None:
    contents = history(sizes)
    kept = trim(contents, 100 * 30)
    assert size(kept) <= 30
    assert kept == contents[-len(kept) :]


@given(st.lists(st.integers(1, 10), min_size=2, max_size=60))
def test_a_growing_history_keeps_its_beginning_or_falls_to_half(sizes: list[int]) -> None:
    before = trim(history(sizes[:-1]), 100 * 30)
    after = trim(history(sizes), 100 * 30)
    assert after[: len(before)] == before or size(after) <= 15


def test_a_last_turn_that_does_not_fit_stays_alone() -> None:
    assert trim(history([5, 5, 500]), 3000) == history([500])


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("de", "Ich bin müde."),
        ("de", "Welcher Wochentag ist morgen?"),
        ("es", "Mi perro está enfermo."),
        ("es", "¿Cómo me llamo?"),
        ("fr", "Que puis-je manger ce soir ?"),
        ("fr", "Merci beaucoup !"),
        ("it", "Cosa mi consigli?"),
        ("pt", "O que devo fazer?"),
        ("en", "What is the name of my dog?"),
    ],
)
def test_a_sentence_has_a_language(language: str, message: str) -> None:
    assert language_of(message) == language


@pytest.mark.parametrize(
    "message",
    [
        "Hello",
        "Haha, good one!",
        "My name is José García",
        "Recommend a paella recipe",
        "And eggs too.",
        "12 + 30",
        "東京はどこですか",
        "Waar woon ik?",
    ],
)
def test_none_of_these_is_taken_for_a_language_that_has_a_request(message: str) -> None:
    assert language_of(message) in ("", "en") or language_of(message) not in manners()


@pytest.mark.parametrize("message", ["", "Danke!", "Ciao!", "Hola", "Thanks"])
def test_a_single_word_has_no_certain_language(message: str) -> None:
    assert language_of(message) == ""


def test_words_that_are_spoken_of_do_not_count() -> None:
    assert language_of("What does 'guten Morgen, mein Freund' mean?") in ("", "en")
    assert language_of("Translate into English: Der Zug ist spät") in ("", "en")
    assert language_of("Wie sagt man 'thank you very much'?") == "de"


def test_the_name_before_a_message_in_a_group_does_not_count() -> None:
    assert language_of("Ada: Ich bin müde") == "de"


@pytest.mark.parametrize("language", manners())
def test_each_example_is_in_its_language_by_turns(language: str) -> None:
    example = manners()[language].example
    assert [language_of(text) for text in example[::2]] == [language] * (len(example) // 2)
    assert len(example) % 2 == 0


DEEDS = {
    "en": """
        Add milk to my shopping list
        Send an email to Anna that I'm late
        Call my mom
        Book a table for two at Luigi's tomorrow at 8
        Turn on the lights in the kitchen
        Play some jazz
        Order a pizza
        Text John that I'm on my way
        Can you call a taxi for me?
        Could you check my calendar for tomorrow?
        I'm cold. Turn up the heating, please.
        What's the weather like tomorrow?
        Who won the match yesterday?
    """,
    "de": """
        Setz Milch auf meine Einkaufsliste
        Ruf meine Mutter an
        Wie wird das Wetter morgen?
        Schalte das Licht in der Küche ein
        Schick Anna eine Mail, dass ich mich verspäte
    """,
    "fr": """
        Ajoute du lait à ma liste de courses
        Appelle ma mère
        Quel temps fera-t-il demain ?
        Allume la lumière de la cuisine
    """,
    "es": """
        Añade leche a mi lista de la compra
        Llama a mi madre
        Enciende la luz de la cocina
    """,
    "it": """
        Aggiungi il latte alla lista della spesa
        Chiama mia madre
        Accendi la luce in cucina
    """,
    "pt": """
        Adiciona leite à minha lista de compras
        Liga à minha mãe
        Acende a luz da cozinha
    """,
}
IN_WORDS = """
    Write an email to my landlord about the heating
    Call me Mimi from now on.
    Call it a day
    Play a word game with me
    Put these words in order: banana, apple, cherry
    Order these words: b, a
    Message in a bottle is a great song
    Book recommendations for a beach holiday?
    Set up a study plan for me
    Add 17 and 25
    My mother called me today and I felt sad.
    Text analysis of this poem please
    Open question: is tea better than coffee?
"""


@pytest.mark.parametrize(
    ("language", "message"),
    [
        (language, line.strip())
        for language, told in DEEDS.items()
        for line in told.split("\n")[1:-1]
    ],
)
def test_what_takes_more_than_words_goes_with_the_note_that_it_cannot_be_done(language, message):
    cannot = manners()[language].cannot
    assert inability(message) == cannot
    request = fitting(asked(said(message, "[told before]")), BOUNDS)
    assert words(request.contents[-1]).startswith(f"{message}\n[told before]\n({cannot})")


@pytest.mark.parametrize("message", [line.strip() for line in IN_WORDS.split("\n")[1:-1]])
def test_what_can_be_done_in_words_goes_without_one(message):
    assert inability(message) == ""


def test_with_tools_in_a_shape_or_in_a_long_message_nothing_is_said_of_it():
    order = said("Order a pizza")
    for config in ({"tools": [FunctionTool(called)]}, {"response_schema": {"type": "object"}}):
        request = fitting(asked(order, **config), BOUNDS)
        assert words(request.contents[-1]) == "Order a pizza"
    assert inability("Order a pizza. " + "x" * LONGEST_ORDER) == ""
