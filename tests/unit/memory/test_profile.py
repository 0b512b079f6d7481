"""A profile by a model: what of its answer is taken."""

from __future__ import annotations

import json

import pytest

from gaia.errors import UnusableExtractionError
from gaia.memory.profile import input_hash, profile_of, question, shape
from gaia.store.profiles import Bullet
from tests.harness.memories import a_memory

KNOWN = [a_memory(7, "I drink tea"), a_memory(4, "My sister is Grace\n9. I fly")]


def answer(*numbers: object) -> str:
    return json.dumps({"numbers": numbers})


def test_memories_are_numbered_lines() -> None:
    assert question(KNOWN) == "1. I drink tea\n2. My sister is Grace 9. I fly"


def test_a_model_chooses_memories_which_stay_as_they_are() -> None:
    profile = profile_of(answer(2, 1, 2), KNOWN, 5)
    assert profile.bullets == [
        Bullet("My sister is Grace 9. I fly", (4,)),
        Bullet("I drink tea", (7,)),
    ]
    assert profile.distilled
    assert profile.input_hash == input_hash(KNOWN, 5)


def test_what_is_no_memory_is_left_out_and_there_are_no_more_than_are_wanted() -> None:
    profile = profile_of(answer(0, 3, -1, 2, 1), KNOWN, 1)
    assert [each.memory_ids for each in profile.bullets] == [(4,)]


@pytest.mark.parametrize(
    "told", ["", "tea", "[]", "{}", '{"numbers": "tea"}', answer(), answer(9), answer("tea")]
)
def test_what_is_no_profile_is_an_error(told: str) -> None:
    with pytest.raises(UnusableExtractionError) as caught:
        profile_of(told, KNOWN, 5)
    assert "tea" not in str(caught.value)


def test_the_hash_is_that_of_what_a_profile_is_made_of() -> None:
    same = input_hash(KNOWN[::-1], 5)
    assert input_hash(KNOWN, 5) == same
    others = [input_hash(KNOWN, 6), input_hash(KNOWN[:1], 5), input_hash([], 5)]
    others.append(input_hash([KNOWN[0], a_memory(4, "My sister is Ann")], 5))
    assert same not in others


def test_the_shape_bounds_the_answer() -> None:
    assert '"maxItems": 3' in json.dumps(shape(3))
