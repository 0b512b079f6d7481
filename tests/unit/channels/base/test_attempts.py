from __future__ import annotations

from channels.base.intake import ATTEMPTS, Attempts


def test_the_last_try_is_told_and_then_the_count_is_over() -> None:
    attempts = Attempts()
    for _ in range(2):
        told = [attempts.fail("a") for _ in range(ATTEMPTS)]
        assert told == [False] * (ATTEMPTS - 1) + [True]


def test_each_is_counted_apart() -> None:
    attempts = Attempts()
    told = [attempts.fail(name) for _ in range(ATTEMPTS - 1) for name in ("a", "b")]
    assert not any(told)


def test_those_that_failed_long_ago_are_forgotten() -> None:
    attempts = Attempts()
    for _ in range(ATTEMPTS - 1):
        attempts.fail("first")
    for number in range(1000):
        attempts.fail(number)
    assert not attempts.fail("first")
