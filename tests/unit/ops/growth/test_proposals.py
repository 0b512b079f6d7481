"""What figures propose: settings that the numbers speak for, and rules that somebody asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gaia.ops.growth.figures import Figures, RepeatedRequest
from gaia.ops.growth.proposals import BRIEF, ProposalKind, propose
from gaia.settings.schema import Settings

QUIET = Figures(
    days=30,
    calls=100,
    tokens_in=200_000,
    tokens_out=10_000,
    cost=1.0,
    received=100,
    dead=0,
    spent_days=0,
    all_spent_days=0,
    most_learned=[10, 9],
    questions=20,
    unanswered=5,
    requests=(),
)


def proposed(figures: Figures, **blocks: object) -> dict[str, tuple[object, object]]:
    settings = Settings.model_validate(blocks)
    return {each.key: (each.before, each.after) for each in propose(figures, settings)}


def test_nothing_is_proposed_where_all_is_well() -> None:
    assert proposed(QUIET) == {}


def test_a_budget_that_is_used_up_often_is_raised() -> None:
    assert proposed(replace(QUIET, spent_days=3)) == {
        "limits.user_tokens_per_day": (2_000_000, 3_000_000)
    }
    assert proposed(replace(QUIET, all_spent_days=4)) == {
        "limits.tokens_per_day": (5_000_000, 7_500_000)
    }
    assert proposed(replace(QUIET, spent_days=2)) == {}
    assert proposed(replace(QUIET, spent_days=9), limits={"user_tokens_per_day": 0}) == {}


def test_learning_that_had_to_wait_gets_more_calls() -> None:
    assert proposed(replace(QUIET, most_learned=[200, 200, 200, 3])) == {
        "memory.calls_per_day": (200, 400)
    }


def test_long_prompts_replay_fewer_turns() -> None:
    long = replace(QUIET, tokens_in=2_000_000)
    assert proposed(long) == {"sessions.window_turns": (30, 20)}
    assert proposed(long, sessions={"window_turns": 10}) == {}
    assert proposed(replace(long, calls=10)) == {}, "too few to tell"


def test_long_answers_are_to_be_shorter() -> None:
    long = replace(QUIET, tokens_out=90_000)
    assert proposed(long) == {"model.instructions": ("", BRIEF)}
    mine = {"instructions": "You are Gaia.\n"}
    assert proposed(long, model=mine)["model.instructions"][1] == f"You are Gaia.\n{BRIEF}"
    assert proposed(long, model={"instructions": BRIEF}) == {}


@pytest.mark.parametrize(("dead", "expected"), [(5, True), (4, False), (3, False)])
def test_messages_without_an_answer_ask_for_one_more_try(dead: int, expected: bool) -> None:
    assert ("model.retries" in proposed(replace(QUIET, dead=dead))) is expected


def test_memory_that_is_off_is_proposed_where_it_would_have_helped() -> None:
    assert proposed(QUIET, memory={"auto_recall": False}) == {"memory.auto_recall": (False, True)}
    missed = replace(QUIET, unanswered=15)
    assert proposed(missed, memory={"auto_ingest": False}) == {"memory.auto_ingest": (False, True)}
    assert proposed(missed, memory={"auto_ingest": False, "enabled": False}) == {}


def test_a_wish_that_was_said_again_and_again_becomes_a_rule() -> None:
    wishful = replace(QUIET, requests=[RepeatedRequest("Shorter answers please", 4, 3)])
    (rule,) = propose(wishful, Settings())
    assert (rule.kind, rule.after) == (ProposalKind.RULE, "Shorter answers please")
    assert rule.reason == "said 4 times, on 3 days"
    assert rule.key.startswith("rule-")


def test_what_is_proposed_can_be_set() -> None:
    everything = replace(
        QUIET, spent_days=9, all_spent_days=9, dead=50, tokens_in=10**7, tokens_out=10**6
    )
    for each in propose(everything, Settings()):
        block, name = each.key.split(".")
        Settings.model_validate({block: {name: each.after}})
