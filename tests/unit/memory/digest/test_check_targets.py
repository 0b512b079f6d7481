"""What a finding may change of what is known, and what no answer of a model achieves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia.errors import UnusableExtractionError
from gaia.memory.digest.checks import MOST_FINDINGS, check
from gaia.memory.digest.findings import (
    Checked,
    Extraction,
    Finding,
    Offer,
    Operation,
    Target,
)
from gaia.memory.digest.outcome import from_json, to_json
from gaia.memory.digest.verifying import LEARNED, Refusal
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.testing.clock import START
from tests.harness.effort import rounds
from tests.harness.turns import a_turn, a_window, turns_of

Checking = Callable[..., Checked]

MOVED = "I moved from Lisbon to Porto"
PORTO = "Ada lives in Porto"
ADD, UPDATE, SUPERSEDE, RETRACT = Operation


def offer(
    number: int = 1,
    text: str = "Ada lives in Lisbon",
    source: MemorySource = MemorySource.DIGEST,
    *,
    days: int = -1,
    target: Target | None = None,
) -> Offer:
    said_at = START + timedelta(days=days)
    return Offer(number, target or Target(10 + number), MemoryKind.FACT, text, source, said_at)


def outcome(checked: Checked) -> tuple[Operation, int | None, bool] | str:
    if not checked.proposals:
        return next(iter(checked.refused))
    (proposal,) = checked.proposals
    memory_id = proposal.target.memory_id if proposal.target else None
    return proposal.operation, memory_id, proposal.held


@pytest.mark.parametrize("target", [0, 2, -1, 99, None])
@pytest.mark.parametrize("operation", [UPDATE, SUPERSEDE, RETRACT])
def test_only_what_was_offered_is_changed(
    operation: Operation, target: int | None, checking: Checking
) -> None:
    found = checking(MOVED, PORTO, offers=[offer()], operation=operation, target=target)
    assert outcome(found) == Refusal.TARGET


def test_what_is_new_has_no_target(checking: Checking) -> None:
    assert outcome(checking(MOVED, PORTO, offers=[offer()], target=1)) == Refusal.TARGET


@pytest.mark.parametrize("source", list(MemorySource))
def test_what_holds_no_longer_gives_way_to_what_was_said_later(
    source: MemorySource, checking: Checking
) -> None:
    known = [offer(source=source)]
    found = checking(MOVED, PORTO, offers=known, operation=SUPERSEDE, target=1)
    assert outcome(found) == (SUPERSEDE, 11, False)


def test_what_was_said_before_it_changes_nothing(checking: Checking) -> None:
    for days in (0, 1):
        known = [offer(days=days)]
        found = checking(
            a_window(turns=[a_turn(1, MOVED, said_at=START)]),
            PORTO,
            MOVED,
            offers=known,
            operation=SUPERSEDE,
            target=1,
        )
        assert outcome(found) == Refusal.OLDER


def test_how_the_user_wrote_it_is_not_reworded(checking: Checking) -> None:
    for source, expected in (
        (MemorySource.USER, Refusal.PROTECTED),
        (MemorySource.TOOL, (UPDATE, 11, False)),
    ):
        known = [offer(text="Ada lives in Porto", source=source)]
        found = checking(
            "I live in Porto near the river",
            "Ada lives in Porto near the river",
            offers=known,
            operation=UPDATE,
            target=1,
        )
        assert outcome(found) == expected


@pytest.mark.parametrize(
    ("said", "is_stated", "result"),
    [
        ("I moved from Lisbon to Porto", False, (ADD, None, True)),
        ("Maybe I move from Lisbon to Porto", True, (ADD, None, True)),
    ],
)
def test_what_is_not_certain_replaces_nothing(
    said: str, is_stated: bool, result: object, checking: Checking
) -> None:
    found = checking(
        said, PORTO, offers=[offer()], operation=SUPERSEDE, target=1, is_stated=is_stated
    )
    assert outcome(found) == result


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I like tea", "Ada likes tea"),
        ("I also live in Lisbon in summer", "Ada also lives in Lisbon in summer"),
    ],
)
def test_what_has_nothing_to_do_with_it_or_only_adds_to_it_is_new(
    said: str, text: str, checking: Checking
) -> None:
    found = checking(said, text, offers=[offer()], operation=SUPERSEDE, target=1)
    assert outcome(found) == (ADD, None, False)


@pytest.mark.parametrize(
    ("said", "result"),
    [
        ("I don't live in Lisbon anymore", (RETRACT, 11, False)),
        ("We left Lisbon", (RETRACT, 11, False)),
        ("Maybe I'll leave Lisbon", Refusal.UNCERTAIN),
        ("If I left Lisbon I'd be sad", Refusal.UNCERTAIN),
        ("I live in Lisbon", Refusal.UNCERTAIN),
        ("I don't like tea", Refusal.UNCERTAIN),
    ],
)
def test_only_a_sentence_that_ends_it_ends_what_is_known(
    said: str, result: object, checking: Checking
) -> None:
    found = checking(said, "", said, offers=[offer()], operation=RETRACT, target=1)
    assert outcome(found) == result
    assert all(each.text == "Ada lives in Lisbon" for each in found.proposals)


def test_what_others_said_ends_nothing(checking: Checking) -> None:
    said = "Tom wrote “I left Lisbon” to me"
    found = checking(said, "", "I left Lisbon", offers=[offer()], operation=RETRACT, target=1)
    assert outcome(found) == Refusal.UNCERTAIN


@pytest.mark.parametrize(
    "said",
    [
        "well i live in porto now",
        "Lisbon was too expensive, I live in Porto",
        "Also, I live in Porto now",
        "I used to live in Lisbon. I live in Porto, cause I found work",
    ],
)
def test_words_that_may_add_something_do_not_keep_what_holds_no_longer(
    said: str, checking: Checking
) -> None:
    found = checking(said, PORTO, offers=[offer()], operation=SUPERSEDE, target=1)
    assert outcome(found) == (SUPERSEDE, 11, False)


def test_what_is_told_of_somebody_else_than_who_spoke_replaces_nothing(checking: Checking) -> None:
    known = [offer(text="Bob lives in Bonn")]
    found = checking(
        "I moved to Porto", "Bob lives in Porto", offers=known, operation=SUPERSEDE, target=1
    )
    assert outcome(found) == (ADD, None, True)


def test_what_was_found_in_an_earlier_window_gives_way_too(checking: Checking) -> None:
    known = [offer(target=Target(None, 1, 3), days=0)]
    (proposal,) = checking(MOVED, PORTO, offers=known, operation=SUPERSEDE, target=1).proposals
    assert proposal.target == Target(None, 1, 3)


def findings(*texts: str, **changes: object) -> list[Finding]:
    return [Finding(ADD, MemoryKind.FACT, text, MOVED, **changes) for text in texts]  # type: ignore[arg-type]


def test_the_same_is_found_once() -> None:
    found = check(
        Extraction("x", findings(PORTO, "In Porto lives Ada", "Ada does not live in Porto")),
        a_window(MOVED),
        [],
    )
    assert [each.text for each in found.proposals] == [PORTO, "Ada does not live in Porto"]
    assert found.refused == {Refusal.KNOWN: 1}


def test_two_findings_do_not_replace_the_same() -> None:
    told = [
        Finding(SUPERSEDE, MemoryKind.FACT, text, MOVED, target=1)
        for text in (PORTO, "Ada moved from Lisbon to Porto")
    ]
    found = check(Extraction("x", told), a_window(MOVED), [offer()])
    assert [each.operation for each in found.proposals] == [SUPERSEDE, ADD]


def test_what_is_known_is_told_again_only_to_support_it() -> None:
    earlier = offer(1, PORTO, target=Target(None, 1, 0))
    for known, count in ((offer(1, PORTO), 1), (offer(1, "In Porto Ada lives"), 0), (earlier, 0)):
        found = check(Extraction("x", findings(PORTO)), a_window(MOVED), [known])
        assert len(found.proposals) == count


def test_too_much_and_no_summary_are_errors_not_nothing() -> None:
    window = a_window(MOVED)
    with pytest.raises(UnusableExtractionError, match="500"):
        check(Extraction("x", findings(*[PORTO] * 500)), window, [])
    check(Extraction("x", findings(*[PORTO] * MOST_FINDINGS)), window, [])
    with pytest.raises(UnusableExtractionError) as caught:
        check(Extraction(" ", []), window, [])
    assert "Porto" not in str(caught.value)
    assert check(Extraction("", []), a_window("hi", "thanks!"), []).summary == ""


WORDS = ("I live in Porto", "sisters", "do I like tea?", "I don't eat 3 eggs", "我住在波尔图", "🐕")
CLAIMS = st.builds(
    Finding,
    operation=st.sampled_from(Operation),
    kind=st.sampled_from(MemoryKind),
    text=st.sampled_from([*WORDS, "Bob has 7 cats", "hunter2", ""]) | st.text(max_size=30),
    quote=st.sampled_from([*WORDS, "live in", "LIVE IN porto", "Porto\nsisters", "eat 3"])
    | st.text(max_size=10),
    target=st.none() | st.integers(-2, 9),
    subject=st.none() | st.text(max_size=5),
    due_at=st.none() | st.datetimes().map(lambda each: each.replace(tzinfo=START.tzinfo)),
    is_stated=st.booleans(),
)


@settings(max_examples=rounds(15, thorough=40))
@given(st.lists(CLAIMS, max_size=8), st.lists(st.sampled_from(WORDS), max_size=5))
def test_whatever_is_claimed_it_stands_in_the_users_words_and_was_offered(
    claims: list[Finding], said: list[str]
) -> None:
    window = a_window(turns=turns_of(*said, "and now"))
    offers = [offer(1), offer(2, "Ada eats 3 eggs", MemorySource.USER)]
    found = check(Extraction("They spoke.", claims), window, offers)
    words = {turn.turn_id: turn.words for turn in window.turns}
    for each in found.proposals:
        assert each.quote in words[each.turn_id]
        assert each.kind in LEARNED
        assert "?" not in words[each.turn_id] or each.kind is MemoryKind.RULE
        assert "Bob" not in each.text
        assert "7" not in each.text
        assert (each.target is None) == (each.operation is ADD)
        assert each.target in (None, *(known.target for known in offers))
        assert not (each.held and each.target)
        assert (each.kind is MemoryKind.REMINDER) == (each.due_at is not None)
    assert len(found.proposals) + sum(found.refused.values()) == len(claims)
    assert from_json(to_json(found)) == found
