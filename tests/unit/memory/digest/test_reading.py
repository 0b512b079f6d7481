"""From a model's answer to findings: as it was asked for, or not at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia.errors import ModelTimeoutError, UnusableExtractionError
from gaia.memory.digest import shape
from gaia.memory.digest.checks import MOST_FINDINGS
from gaia.memory.digest.findings import Finding, Operation
from gaia.memory.digest.reading import GaiaExtractor, due, read_long, read_small
from gaia.store.memory_tables import MemoryKind
from tests.harness.digests import ScriptedAsk
from tests.harness.effort import rounds
from tests.harness.turns import a_window

ROME = ZoneInfo("Europe/Rome")
FACT = {
    "quote": "Grace is my sister",
    "stated": True,
    "operation": "supersede",
    "target": 2,
    "kind": "fact",
    "text": "Grace is Ada's sister",
    "subject": "Grace",
    "predicate": "sister of",
    "object": "Ada",
    "context": "personal",
    "sensitive": False,
}
RULE = {"quote": "always rhyme", "operation": "add", "target": 7, "text": "Always rhyme"}
REMINDER = {"quote": "call Zoe tomorrow", "text": "Call Zoe", "due": "2026-01-02T09:30"}
LONG = {"summary": "A secret talk.", "facts": [FACT], "rules": [RULE], "reminders": [REMINDER]}
SMALL_FACT = {"quote": "I like tea", "kind": "preference", "text": "Ada likes tea", "replaces": 0}
SMALL = {"facts": [SMALL_FACT], "summary": "A secret talk."}


def changed(**changes: object) -> str:
    return json.dumps({**LONG, **changes})


def test_an_answer_becomes_findings() -> None:
    found = read_long(json.dumps(LONG), ROME)
    assert found.summary == "A secret talk."
    assert found.findings == [
        Finding(
            Operation.SUPERSEDE,
            MemoryKind.FACT,
            "Grace is Ada's sister",
            "Grace is my sister",
            target=2,
            subject="Grace",
            predicate="sister of",
            object="Ada",
            context="personal",
        ),
        Finding(Operation.ADD, MemoryKind.RULE, "Always rhyme", "always rhyme"),
        Finding(
            Operation.ADD,
            MemoryKind.REMINDER,
            "Call Zoe",
            "call Zoe tomorrow",
            due_at=datetime(2026, 1, 2, 8, 30, tzinfo=UTC),
        ),
    ]


def test_a_small_answer_becomes_findings() -> None:
    found = read_small(json.dumps({**SMALL, "facts": [SMALL_FACT, {**SMALL_FACT, "replaces": 3}]}))
    assert [(each.operation, each.target) for each in found.findings] == [
        (Operation.ADD, None),
        (Operation.SUPERSEDE, 3),
    ]


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```\n", "\n```JSON \n{}\n ```"])
def test_a_code_fence_around_it_is_no_harm(fence: str) -> None:
    assert read_long(fence.replace("{}", json.dumps(LONG)), None).findings


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "{}",
        "null",
        "[]",
        '"secret"',
        "I found nothing secret.",
        f"Here it is: {json.dumps(LONG)}",
        json.dumps(LONG)[:-20],
        json.dumps(LONG) + "}",
        changed(facts=None),
        changed(facts={}),
        changed(facts=["secret"]),
        changed(summary=None),
        changed(summary=["secret"]),
        changed(secret="secret"),
        changed(facts=[{**FACT, "target": "2"}]),
        changed(facts=[{**FACT, "target": 2.5}]),
        changed(facts=[{**FACT, "target": True}]),
        changed(facts=[{**FACT, "stated": "yes"}]),
        changed(facts=[{**FACT, "kind": "secret"}]),
        changed(facts=[{**FACT, "kind": "episode"}]),
        changed(facts=[{**FACT, "operation": "delete"}]),
        changed(facts=[{**FACT, "secret": 1}]),
        changed(facts=[{key: FACT[key] for key in FACT if key != "quote"}]),
        changed(rules=[FACT]),
        changed(summary="\ud800 secret"),
        "[" * 5000 + "secret",
        json.dumps(SMALL),
    ],
)
def test_what_was_not_asked_for_is_an_error_without_a_word_of_it(answer: str) -> None:
    with pytest.raises(UnusableExtractionError) as caught:
        read_long(answer, None)
    assert "secret" not in str(caught.value)
    with pytest.raises(UnusableExtractionError):
        read_small(answer if answer != json.dumps(SMALL) else json.dumps(LONG))


async def test_an_answer_that_is_of_no_use_tells_what_it_has_cost() -> None:
    with pytest.raises(UnusableExtractionError) as caught:
        await GaiaExtractor(ScriptedAsk(["no JSON"])).extract(a_window("I like tea"), ())
    assert (caught.value.tokens_in, caught.value.tokens_out) == (10, 5)


@settings(max_examples=rounds(15, thorough=40))
@given(st.text() | st.recursive(st.none() | st.text(), lambda inner: st.lists(inner)).map(str))
def test_no_text_breaks_it(answer: str) -> None:
    with pytest.raises(UnusableExtractionError):
        read_long(answer, None)


@pytest.mark.parametrize(
    ("told", "hour"),
    [
        ("2026-07-02T09:30", 7.5),
        ("2026-07-02 09:30:00", 7.5),
        ("2026-07-02", 7),
        ("2026-07-02T00:00", -2),
        ("2026-07-02T09:30+00:00", 9.5),
        ("2026-07-02T09:30Z", 9.5),
        ("tomorrow", None),
        ("", None),
        ("0001-01-01T00:00", None),
        ("9999-12-31T23:59-12:00", None),
    ],
)
def test_a_due_time_is_local_unless_it_says_otherwise(told: str, hour: float | None) -> None:
    moment = due(told, ROME)
    if hour is None:
        assert moment is None
    else:
        assert moment is not None
        assert (moment - datetime(2026, 7, 2, tzinfo=UTC)).total_seconds() == hour * 3600


class TestExtractor:
    async def test_it_asks_once_and_tells_what_that_cost(self) -> None:
        ask = ScriptedAsk([json.dumps(LONG)])
        extracted = await GaiaExtractor(ask).extract(a_window("Grace is my sister"), [])
        assert len(extracted.extraction.findings) == 3
        assert (extracted.usage.purpose, extracted.usage.calls) == ("digest", 1)
        (asked,) = ask.asked
        assert asked.shape == shape.LONG
        assert asked.purpose == "digest"
        assert "user| Grace is my sister" in asked.text

    async def test_a_small_model_is_asked_for_less(self) -> None:
        ask = ScriptedAsk([json.dumps(SMALL)], is_small=True)
        extractor = GaiaExtractor(ask)
        assert extractor.window_tokens == 1800
        assert GaiaExtractor(ScriptedAsk([])).window_tokens == 10_000
        assert GaiaExtractor(ScriptedAsk([], most_tokens=6000)).window_tokens == 3000
        extracted = await extractor.extract(a_window("I like tea"), [])
        assert [each.text for each in extracted.extraction.findings] == ["Ada likes tea"]
        assert ask.asked[0].shape == shape.small(0)
        assert len(ask.asked[0].instructions) < 1500

    async def test_nobody_is_asked_about_greetings(self) -> None:
        extracted = await GaiaExtractor(ScriptedAsk([])).extract(
            a_window("hi", "thanks!", so_far="They met."), []
        )
        assert extracted.extraction.summary == "They met."
        assert extracted.usage.calls == 0

    @pytest.mark.parametrize(
        "answer",
        [changed(summary=" \u200b"), changed(facts=[FACT] * (MOST_FINDINGS - 1)), "{}"],
    )
    async def test_an_empty_summary_or_too_much_is_no_answer(self, answer: str) -> None:
        with pytest.raises(UnusableExtractionError):
            await GaiaExtractor(ScriptedAsk([answer])).extract(a_window("I like tea"), [])

    async def test_no_answer_is_for_the_caller_to_deal_with(self) -> None:
        with pytest.raises(ModelTimeoutError):
            await GaiaExtractor(ScriptedAsk([ModelTimeoutError("slow")])).extract(
                a_window("I like tea"), []
            )
