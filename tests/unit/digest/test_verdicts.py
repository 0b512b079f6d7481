"""What becomes of claims by how they were judged: never another text than what was said."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from gaia.digest import proposals
from gaia.digest.check import Claims, Refusal, claims
from gaia.digest.verify import UNASKED, Effect, Verdict, Verdicts, verdicts_of, verify
from gaia.memory.extraction import Change, Checked, Extraction, Finding, Offer, Relation
from gaia.store.memory_tables import MemoryKind
from tests.harness.digests import ScriptedAsk
from tests.harness.turns import a_turn, a_window, an_offer

ZONE = ZoneInfo("Europe/Lisbon")
MONDAY = datetime(2026, 3, 2, 15, tzinfo=ZONE)


def finding(quote: str, text: str = "A claim", **fields: object) -> Finding:
    return Finding(MemoryKind(str(fields.pop("kind", "fact"))), text, quote, **fields)  # type: ignore[arg-type]


def claimed(said: str, *found: Finding, known: Sequence[Offer] = (), group: bool = False) -> Claims:
    window = a_window(turns=[a_turn(1, said, said_at=MONDAY)], in_group=group)
    return claims(Extraction("They talked.", found), window, known)


def judged(
    said: str,
    *found: Finding,
    verdict: Verdict | None = None,
    known: Sequence[Offer] = (),
    effects: Sequence[Effect] = (),
    asked: bool = True,
    group: bool = False,
) -> Checked:
    """What comes of findings that are all judged the same."""
    told = claimed(said, *found, known=known, group=group)
    verdicts = Verdicts(
        {} if verdict is None else dict.fromkeys(range(len(found)), verdict),
        {(0, offer.number): effect for offer, effect in zip(known, effects, strict=False)},
        asked=asked,
    )
    return proposals.checked(told, verdicts, "They talked.", ZONE)


@pytest.mark.parametrize(
    ("verdict", "label", "pending", "is_past"),
    [
        (Verdict.SAME, "A claim", False, False),
        (Verdict.OPPOSITE, "", False, False),
        (Verdict.OTHER_PERSON, "", False, False),
        (Verdict.CONDITION_MISSING, "", False, False),
        (Verdict.UNCLEAR, "", False, False),
        (None, "", False, False),
        (Verdict.PAST, "", False, True),
        (Verdict.ONLY_NOW, "", True, False),
    ],
)
def test_only_what_was_judged_the_same_is_found_by_the_models_words(
    verdict: Verdict | None, label: str, pending: bool, is_past: bool
) -> None:
    (made,) = judged("I like tea. Bye", finding("like tea"), verdict=verdict).proposals
    assert (made.text, made.quote, made.label) == ("I like tea.", "I like tea.", label)
    assert (made.pending, made.is_past) == (pending, is_past)
    assert made.verdict == ("" if verdict is None else verdict.value)


def test_what_was_judged_somebody_elses_is_dropped_and_counted() -> None:
    checked = judged("I like tea", finding("I like tea"), verdict=Verdict.NOT_THEIRS)
    assert checked.proposals == []
    assert checked.refused == {Refusal.NOT_THEIRS.value: 1}


def test_what_holds_only_now_runs_out_when_it_says_so() -> None:
    found = finding("I am in Paris this week")
    (made,) = judged("I am in Paris this week", found, verdict=Verdict.ONLY_NOW).proposals
    assert made.expires_at == datetime(2026, 3, 9, tzinfo=ZONE)
    assert not made.pending


@pytest.mark.parametrize(
    ("said", "asked", "verdict", "pending"),
    [
        ("What can I cook? I am vegan.", True, None, True),
        ("What can I cook? I am vegan.", True, Verdict.SAME, False),
        ("What can I cook? I am vegan.", False, None, False),
        ("Hello,\nI am vegan.", True, None, True),
        ("Hello,\nI am vegan.", True, Verdict.SAME, False),
        ("Hello,\nI am vegan.", False, None, True),
        ("Tom wrote:\nI am vegan.", True, Verdict.SAME, True),
        ("Tom wrote:\nI am vegan.", False, None, True),
    ],
)
def test_what_may_be_material_waits_until_it_was_judged_theirs(
    said: str, asked: bool, verdict: Verdict | None, pending: bool
) -> None:
    (made,) = judged(said, finding("I am vegan"), verdict=verdict, asked=asked).proposals
    assert (made.text.endswith("I am vegan."), made.pending) == (True, pending)
    assert (made.verdict == "perhaps pasted") == pending


def test_what_was_only_gathered_waits_too() -> None:
    (made,) = judged("I like tea", finding("I like tea", is_stated=False)).proposals
    assert (made.pending, made.verdict) == (True, "not said outright")


@pytest.mark.parametrize(
    ("said", "verdict", "kind", "pending"),
    [
        ("Always rhyme", Verdict.SAME, MemoryKind.RULE, False),
        ("Always rhyme", Verdict.UNCLEAR, MemoryKind.PREFERENCE, False),
        ("Always rhyme", None, MemoryKind.PREFERENCE, False),
        ("Can you always answer in German?", Verdict.SAME, MemoryKind.RULE, False),
        ("Can you always answer in German?", None, MemoryKind.RULE, True),
        ("Write it in rhymes", None, MemoryKind.RULE, True),
    ],
)
def test_a_rule_is_one_once_it_was_judged_the_same(
    said: str, verdict: Verdict | None, kind: MemoryKind, pending: bool
) -> None:
    (made,) = judged(said, finding(said, kind="rule"), verdict=verdict).proposals
    assert (made.kind, made.text, made.pending) == (kind, said, pending)


def test_a_rule_for_one_letter_is_none() -> None:
    said = "For this letter, be formal"
    checked = judged(said, finding(said, kind="rule"), verdict=Verdict.ONLY_NOW)
    assert checked.refused == {Refusal.MOMENT.value: 1}


@pytest.mark.parametrize(
    ("said", "when", "due"),
    [
        ("Remind me on Friday to call Bob", "", "2026-03-06 09:00"),
        ("Remind me on Friday to call Bob", "on Tuesday", "2026-03-06 09:00"),
        ("Remind me tomorrow or on Friday", "on Friday", "2026-03-06 09:00"),
        ("Remind me tomorrow or on Friday", "", None),
        ("Remind me to call Bob", "tomorrow", None),
        ("Tomorrow I work, remind me the day after tomorrow", "tomorrow", "2026-03-03 09:00"),
        (
            "Tomorrow I work, remind me the day after tomorrow",
            "day after tomorrow",
            "2026-03-04 09:00",
        ),
        (
            "Morgen bin ich weg, erinnere mich übermorgen an den Müll",
            "übermorgen",
            "2026-03-04 09:00",
        ),
        ("Domani lavoro, ricordami dopodomani la torta", "dopodomani", "2026-03-04 09:00"),
        ("后天我休息,大后天提醒我开会", "大后天", "2026-03-05 09:00"),
    ],
)
def test_code_places_a_reminder_or_it_has_no_date(said: str, when: str, due: str | None) -> None:
    (made,) = judged(said, finding(said, kind="reminder", when=when)).proposals
    if due is None:
        assert (made.kind, made.due_at) == (MemoryKind.FACT, None)
    else:
        assert made.due_at is not None
        assert f"{made.due_at.astimezone(ZONE):%Y-%m-%d %H:%M}" == due


def test_a_day_that_is_named_is_told_with_its_date() -> None:
    (made,) = judged("My exam is tomorrow", finding("exam is tomorrow")).proposals
    assert made.text == "My exam is tomorrow [2026-03-03]"
    assert made.quote == "My exam is tomorrow"


@pytest.mark.parametrize(
    "said",
    [
        "The day after tomorrow [2026-03-04] I fly to Rome, tomorrow [2026-03-03] I pack",
        "Übermorgen [2026-03-04] fliege ich nach Rom, morgen [2026-03-03] habe ich frei",
        "Dopodomani [2026-03-04] parto per Roma, domani [2026-03-03] faccio le valigie",
        "Après-demain [2026-03-04] je pars à Rome, demain [2026-03-03] je fais mes valises",
        "Pasado mañana [2026-03-04] vuelo a Roma, mañana [2026-03-03] hago la maleta",
        "Послезавтра [2026-03-04] лечу в Рим, завтра [2026-03-03] собираю чемодан",
        "Overmorgen [2026-03-04] vlieg ik naar Rome, morgen [2026-03-03] pak ik in",
        "大后天 [2026-03-05]我去罗马,后天 [2026-03-04]我休息",
    ],
)
def test_each_day_has_its_own_date_where_one_word_holds_another(said: str) -> None:
    words = re.sub(r" \[[-\d]+\]", "", said)
    (made,) = judged(words, finding(words)).proposals
    assert made.text == said


@pytest.mark.parametrize(
    ("effects", "target", "changes"),
    [
        ([Effect.REPLACES], None, [(1, Change.REPLACES)]),
        ([Effect.SAME], None, [(1, Change.IF_COVERED)]),
        ([Effect.ADDS], 1, []),
        ([Effect.FOR_A_WHILE], 1, []),
        ([Effect.UNRELATED], 1, []),
        ([], 1, [(1, Change.IF_COVERED)]),
        ([], None, []),
        ([], 9, []),
    ],
)
def test_what_is_replaced_is_judged_by_the_two_sentences(
    effects: Sequence[Effect], target: int | None, changes: list[tuple[int, Change]]
) -> None:
    found = finding("I moved from Lisbon to Porto", target=target)
    known = [an_offer(1, "I live in Lisbon"), an_offer(2, "Rex barks")]
    (made,) = judged(found.quote, found, known=known, effects=effects).proposals
    assert [(each.memory_id, change) for each, change in made.changes] == changes


def test_two_findings_of_one_sentence_are_one_memory() -> None:
    said = "I'm vegetarian, and Grace is my sister"
    one = finding("I'm vegetarian", "Ada is vegetarian", sensitive=True)
    two = finding("Grace is my sister", "Grace is Ada's sister", subject="Grace", object="Ada")
    (made,) = judged(said, one, two, verdict=Verdict.SAME).proposals
    assert (made.text, made.label) == (said, "Ada is vegetarian; Grace is Ada's sister")
    assert made.relations == [Relation("Grace", None, "Ada")]
    assert made.sensitive


@pytest.mark.parametrize("verdict", [Verdict.ONLY_NOW, Verdict.PAST])
def test_what_holds_longer_is_kept_with_what_is_soon_over(verdict: Verdict) -> None:
    told = claimed(
        "Leo is in Rome this week. He is a nurse.", finding("in Rome"), finding("a nurse")
    )
    verdicts = Verdicts({0: verdict, 1: Verdict.SAME})
    (made,) = proposals.checked(told, verdicts, "They talked.", ZONE).proposals
    assert (made.expires_at, made.is_past, made.pending) == (None, False, False)


def test_in_a_group_it_is_told_who_said_it() -> None:
    (made,) = judged("Bob: I like tea", finding("I like tea"), group=True).proposals
    assert (made.text, made.quote) == ("Bob: I like tea", "I like tea")


@pytest.mark.parametrize(
    ("said", "found", "refusal"),
    [
        ("I like tea", finding("I like tea", kind="episode"), Refusal.KIND),
        ("I like tea", finding("I like cake"), Refusal.NO_QUOTE),
        ("Do I like tea?", finding("I like tea"), Refusal.QUESTION),
        ("Write that I like tea", finding("I like tea"), Refusal.REQUEST),
        ("good morning", finding("good morning"), Refusal.EMPTY),
        ("tea " * 900, finding("tea tea tea"), Refusal.EMPTY),
        ("my password is hunter2!", finding("my password is hunter2"), Refusal.CREDENTIAL),
        ("My PIN is this. 4711!", finding("4711"), Refusal.CREDENTIAL),
        ("I am vegan. I am old. I am not vegan", finding("am vegan"), Refusal.TAKEN_BACK),
    ],
)
def test_what_may_not_be_learned_is_refused_and_counted(
    said: str, found: Finding, refusal: Refusal
) -> None:
    told = claimed(said, found)
    assert (told.found, dict(told.refused)) == ([], {refusal.value: 1})


def test_a_claim_with_a_credential_costs_itself_alone() -> None:
    found = finding("I like tea", "Ada's password is hunter2!", subject="my password is hunter2!")
    (made,) = judged("I like tea", found, verdict=Verdict.SAME).proposals
    assert (made.text, made.label, list(made.relations)) == ("I like tea", "", [])


@pytest.mark.parametrize(
    "answer",
    [
        '{"verdicts": [{"item": 1, "verdict": "same"}], "changes": []}',
        'Here:\n```json\n{"verdicts": [{"item": "1", "verdict": "SAME"},]}\n```',
        '[{"item": 1, "verdict": "Same"}]',
        '{"result": {"verdicts": {"item": 1, "verdict": "same"}}}',
        '{"VERDICTS": [{"Item": 1, "Verdict": " same "}, null, 7, {"item": 9, "verdict": "past"}]}',
    ],
)
def test_verdicts_are_read_in_any_shape(answer: str) -> None:
    told = claimed("I like tea", finding("I like tea"))
    assert verdicts_of(answer, told.found).claims == {0: Verdict.SAME}


@pytest.mark.parametrize("answer", ["", "no", "{}", '{"verdicts": "same"}', '[["item", 1]]'])
def test_an_answer_without_a_verdict_judges_nothing(answer: str) -> None:
    told = claimed("I like tea", finding("I like tea"))
    assert verdicts_of(answer, told.found) == Verdicts()


async def test_the_model_reads_the_sentence_the_claim_and_what_is_known() -> None:
    window = a_window(turns=[a_turn(1, "Hi! I like <tea>.", said_at=MONDAY)])
    found = Extraction("x", [finding("I like", "Ada likes tea")])
    told = claims(found, window, [an_offer(3, "Ada likes tea and cake")])
    answer = {
        "verdicts": [{"item": 1, "verdict": "other person"}],
        "changes": [{"item": 1, "known": 3, "change": "contradicts for a while"}],
    }
    ask = ScriptedAsk([json.dumps(answer)])
    verdicts, used = await verify(ask, window, told.found)
    assert verdicts.claims == {0: Verdict.OTHER_PERSON}
    assert verdicts.effects == {(0, 3): Effect.FOR_A_WHILE}
    assert (used.calls, used.tokens_in) == (1, 10)
    lines = ask.asked[0].text.splitlines()
    assert "sentence: I like \u2039tea\u203a." in lines
    assert "claim (fact): Ada likes tea" in lines
    assert "3. (fact) Ada likes tea and cake" in lines
    assert lines[1].startswith("sent: Monday 2026-03-02")
    assert not UNASKED.asked


async def test_the_model_reads_what_stands_around_a_sentence_and_the_messages_beside() -> None:
    long = "Today I cleared the attic, which took all day. " * 30
    letter = "Dear Rosa. I live in Odessa with Josef now. Kiss the children. "
    turns = [
        a_turn(1, f"{long}Here is what my grandmother wrote.", said_at=MONDAY),
        a_turn(2, f"{long}{letter}{long}", said_at=MONDAY),
        a_turn(3, f"Never mind, that was her. {long}", said_at=MONDAY),
    ]
    found = Extraction("x", [finding("I live in Odessa with Josef now")])
    told = claims(found, a_window(turns=turns), [])
    ask = ScriptedAsk(["{}"])
    await verify(ask, a_window(turns=turns), told.found)
    lines = {line.partition(": ")[0]: line for line in ask.asked[0].text.splitlines()}
    assert "Dear Rosa. I live in Odessa with Josef now. Kiss" in lines["message"]
    assert lines["before"].endswith("Here is what my grandmother wrote.")
    assert lines["next"].startswith("next: Never mind, that was her.")
    assert max(map(len, lines.values())) < 800
