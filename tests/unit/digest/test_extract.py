"""From a model's answer to findings: what can be read of it is, in whatever shape."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia.digest import prompt
from gaia.digest.check import MOST_FINDINGS
from gaia.digest.extract import GaiaExtractor, read
from gaia.errors import ModelTimeoutError, UnusableExtractionError
from gaia.memory.extraction import Finding
from gaia.store.memory_tables import MemoryKind
from tests.harness.digests import ScriptedAsk
from tests.harness.effort import rounds
from tests.harness.turns import a_window

FACT = {
    "quote": "Grace is my sister",
    "stated": True,
    "replaces": 2,
    "kind": "fact",
    "text": "Grace is Ada's sister",
    "subject": "Grace",
    "predicate": "sister of",
    "object": "Ada",
    "sensitive": False,
}
RULE = {"quote": "always rhyme", "replaces": 0, "text": "Always rhyme"}
REMINDER = {"quote": "call Zoe tomorrow", "text": "Call Zoe", "when": "tomorrow"}
ANSWER = {"summary": "A talk.", "facts": [FACT], "rules": [RULE], "reminders": [REMINDER]}
FOUND = [
    Finding(
        MemoryKind.FACT,
        "Grace is Ada's sister",
        "Grace is my sister",
        target=2,
        subject="Grace",
        predicate="sister of",
        object="Ada",
    ),
    Finding(MemoryKind.RULE, "Always rhyme", "always rhyme"),
    Finding(MemoryKind.REMINDER, "Call Zoe", "call Zoe tomorrow", when="tomorrow"),
]
PLAIN = json.dumps(ANSWER)


def changed(**changes: object) -> str:
    return json.dumps({**ANSWER, **changes})


@pytest.mark.parametrize(
    "answer",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```\n",
        f"Here is what I found:\n\n{PLAIN}\n\nI hope that helps!",
        f"Sure! {PLAIN}}}",
        PLAIN.replace("}]", "},]").replace("]}", "],}"),
        PLAIN.replace('"', "'"),
        json.dumps({"result": ANSWER}),
        json.dumps({key.upper(): value for key, value in ANSWER.items()}),
        changed(note="I added this"),
        changed(facts=FACT),
        changed(facts={"1": FACT}),
        changed(facts=[{**FACT, "replaces": "2"}]),
        changed(facts=[{**FACT, "replaces": "#2", "kind": "FACT"}]),
        changed(facts=[{**FACT, "stated": "true", "sensitive": "False"}]),
        changed(facts=[{**FACT, "stated": "perhaps", "sensitive": None}]),
        changed(facts=[{key: FACT[key] for key in FACT if key not in {"stated", "sensitive"}}]),
        changed(facts=[{**{k: v for k, v in FACT.items() if k != "replaces"}, "target": 2}]),
        changed(facts=[{**FACT, "extra": {"deep": [1]}}]),
        changed(facts=[{**FACT, "kind": "hobby"}]),
    ],
)
def test_an_answer_of_any_shape_becomes_findings(answer: str) -> None:
    told = read(answer)
    assert told.findings == FOUND
    assert (told.summary, told.lost) == ("A talk.", 0)


def test_a_list_in_another_and_a_quote_in_parts_are_read() -> None:
    parts = {**FACT, "quote": FACT["quote"].split(" ")}
    assert read(changed(facts=[[parts]])).findings == FOUND
    assert read(json.dumps(changed(facts=[[parts]]))).findings == FOUND


def test_a_bare_list_is_one_of_facts() -> None:
    assert read(json.dumps([FACT])).findings == FOUND[:1]


def test_one_that_cannot_be_read_is_lost_alone_and_counted() -> None:
    bad = [None, 7, "words", [], {"text": "no quote"}, {**FACT, "quote": {"a": 1}}]
    told = read(changed(facts=[bad[0], FACT, *bad[1:]]))
    assert told.findings == FOUND
    assert told.lost == 3


def test_a_reminder_or_a_rule_among_the_facts_is_taken_for_one() -> None:
    facts = [{**FACT, "kind": "reminder"}, {**FACT, "kind": "RULE"}, {**FACT, "kind": "preference"}]
    assert [each.kind for each in read(json.dumps({"facts": facts})).findings] == [
        MemoryKind.REMINDER,
        MemoryKind.RULE,
        MemoryKind.PREFERENCE,
    ]
    rules = [{**RULE, "kind": "fact"}]
    assert read(json.dumps({"rules": rules})).findings[0].kind is MemoryKind.RULE


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "{}",
        "null",
        "[]",
        '"secret"',
        "7",
        "I found nothing secret.",
        '{"secret": 1}',
        '{"error": {"message": "secret"}}',
        "[" * 5000 + "secret",
    ],
)
def test_what_has_nothing_of_it_is_an_error_without_a_word_of_it(answer: str) -> None:
    with pytest.raises(UnusableExtractionError) as caught:
        read(answer)
    assert "secret" not in str(caught.value)


@settings(max_examples=rounds(60, thorough=600))
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from([*ANSWER, *FACT, "when", "x"]), inner, max_size=5)
        ),
        max_leaves=30,
    )
)
def test_no_answer_breaks_it(told: object) -> None:
    for answer in (json.dumps(told), json.dumps(told)[:-2], f"so: {json.dumps(told)}"):
        try:
            found = read(answer)
        except UnusableExtractionError:
            continue
        assert all(each.quote for each in found.findings)


async def test_a_model_is_asked_once_with_the_shape_that_it_is_to_have() -> None:
    ask = ScriptedAsk([PLAIN])
    extracted = await GaiaExtractor(ask).extract(a_window("Grace is my sister"), [])
    assert extracted.extraction.findings == FOUND
    assert [each.shape for each in ask.asked] == [prompt.LONG_SHAPE]
    assert (extracted.usage.calls, extracted.usage.tokens_in) == (1, 10)


async def test_of_greetings_nobody_is_asked() -> None:
    ask = ScriptedAsk([])
    extracted = await GaiaExtractor(ask).extract(a_window("hi!", "thanks", so_far="Before."), [])
    assert (extracted.extraction.summary, extracted.usage.calls) == ("Before.", 0)


@pytest.mark.parametrize(
    "answer", ["nonsense", json.dumps({"facts": [FACT] * (MOST_FINDINGS + 1), "summary": "x"})]
)
async def test_a_call_in_vain_tells_what_it_cost(answer: str) -> None:
    with pytest.raises(UnusableExtractionError) as caught:
        await GaiaExtractor(ScriptedAsk([answer])).extract(a_window("I like tea"), [])
    assert (caught.value.tokens_in, caught.value.tokens_out) == (10, 5)


async def test_what_the_model_raises_is_the_callers() -> None:
    ask = ScriptedAsk([ModelTimeoutError("it took too long")])
    with pytest.raises(ModelTimeoutError):
        await GaiaExtractor(ask).extract(a_window("I like tea"), [])
