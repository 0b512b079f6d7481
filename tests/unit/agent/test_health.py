"""What a model's calls tell of it: how many there were, how many failed, how long they took."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.agent.health import LATEST, Calls, Latency, ModelHealth
from gaia.testing.clock import START


def test_before_the_first_call_nothing_is_known_of_it() -> None:
    health = ModelHealth()
    assert health.calls == health.calls_on(START) == Calls()
    assert health.latency is None
    assert not health.was_tried


@pytest.mark.parametrize("fails", [True, False])
def test_a_call_that_ended_has_tried_it_and_one_that_runs_has_not(fails: bool) -> None:
    health = ModelHealth()
    health.asked(START)
    assert not health.was_tried
    if fails:
        health.failed(START, "busy")
    else:
        health.answered()
    assert health.was_tried
    assert health.report().ok is not fails


def test_the_calls_of_a_day_begin_again_at_midnight_and_the_others_go_on() -> None:
    health = ModelHealth()
    day = timedelta(days=1)
    for at in (START, START, START + day):
        health.asked(at)
    health.failed(START + day, "busy")
    assert health.calls_on(START + day) == Calls(1, 1)
    assert health.calls == Calls(3, 1)
    assert health.calls_on(START + 2 * day) == Calls(), "no call has told of that day yet"


def test_an_outlier_moves_the_last_latency_and_not_the_median() -> None:
    health = ModelHealth()
    for seconds in (*[1.0] * 18, 2.0, 60.0):
        health.answered(seconds)
    assert health.latency == Latency(last=60.0, median=1.0, p95=2.0)


def test_only_the_latest_answers_tell() -> None:
    health = ModelHealth()
    for seconds in [100.0] * LATEST + [1.0] * LATEST:
        health.answered(seconds)
    assert health.latency == Latency(1.0, 1.0, 1.0)


def test_an_answer_that_nobody_waits_for_is_a_success_without_a_time() -> None:
    health = ModelHealth()
    health.failed(START, "busy")
    health.answered()
    assert health.report().ok
    assert health.latency is None
