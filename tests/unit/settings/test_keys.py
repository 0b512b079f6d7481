"""The keys of the schema, in words."""

from __future__ import annotations

import pytest

from gaia.settings.keys import all_keys, describe_allowed, suggest


def test_every_key_says_what_it_may_hold() -> None:
    assert all(key.allowed for key in all_keys())


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("web.enabled", "true or false"),
        ("model.retries", "a whole number from 0 to 10"),
        ("model.timeout_seconds", "a number above 0 to 3600"),
        ("model.name", "text"),
        ("model", "a block of keys, indented below it"),
        ("memory.llm.config", "a block of keys, indented below it"),
        ("model.nothing", ""),
        ("model.name.deeper", ""),
    ],
)
def test_what_a_key_may_hold_is_told_in_words(path: str, allowed: str) -> None:
    assert describe_allowed(tuple(path.split("."))) == allowed


@pytest.mark.parametrize(
    ("unknown", "meant"),
    [
        ("modl", "model"),
        ("model.base_ulr", "model.base_url"),
        ("recall_limit", "memory.recall_limit"),
        ("model.window_turns", "sessions.window_turns"),
        ("enabled", ""),
        ("telephone", ""),
        ("telephone.colour", ""),
    ],
)
def test_the_key_that_was_meant_is_found(unknown: str, meant: str) -> None:
    assert suggest(tuple(unknown.split("."))) == meant
