"""A profile by a model: what of its answer is taken."""

from __future__ import annotations

import json

import pytest

from gaia.errors import UnusableExtractionError
from gaia.memory.profile import input_hash, profile_of, question, shape
from gaia.store.profiles import Bullet
from tests.harness.memories import a_memory

KNOWN = [a_memory(7, "I drink tea"), a_memory(4, "My sister is Grace\n9. I fly")]


def answer(*lines: tuple[str, list[int]]) -> str:
    return json.dumps({"lines": [{"text": text, "numbers": of} for text, of in lines]})


def test_memories_are_numbered_lines() -> None:
    assert question(KNOWN) == "1. I drink tea\n2. My sister is Grace 9. I fly"


def test_a_line_names_the_memories_that_it_is_made_of() -> None:
    profile = profile_of(answer(("Drinks tea; sister Grace", [2, 1, 2])), KNOWN, 5)
    assert profile.bullets == [Bullet("Drinks tea; sister Grace", (4, 7))]
    assert profile.distilled
    assert profile.input_hash == input_hash(KNOWN, 5)


@pytest.mark.parametrize(
    "line",
    [
        ("Drinks tea", []),
        ("Drinks tea", [3]),
        ("Drinks tea", [0]),
        ("Drinks tea", [1, -1]),
        ("Is a millionaire", [1]),
        ("", [1]),
        ("tea; my password is hunter2!", [1]),
    ],
)
def test_a_line_that_is_made_of_nothing_is_left_out(line: tuple[str, list[int]]) -> None:
    profile = profile_of(answer(line, ("Has a sister, Grace", [2])), KNOWN, 5)
    assert [each.text for each in profile.bullets] == ["Has a sister, Grace"]


def test_there_are_no_more_lines_than_are_wanted() -> None:
    profile = profile_of(answer(*[(f"tea {number}", [1]) for number in range(9)]), KNOWN, 2)
    assert [each.text for each in profile.bullets] == ["tea 0", "tea 1"]


@pytest.mark.parametrize(
    "told",
    [
        *("", "tea", "[]", "{}", '{"lines": "tea"}', '{"lines": [{"text": "tea"}]}'),
        *('{"lines": []}', '{"lines": [{"text": "tea", "numbers": ["1"]}]}'),
        answer(("nothing of it", [9])),
    ],
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
