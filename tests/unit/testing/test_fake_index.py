"""The index in memory keeps what the seams promise."""

from __future__ import annotations

import numpy as np
import pytest

from gaia.errors import IndexUnavailableError, MissingOwnerError
from gaia.testing.fake_index import FakeEmbedder, FakeNearest


def test_the_same_text_has_the_same_unit_vector():
    vector = FakeEmbedder().query("the gate code")
    assert np.array_equal(vector, FakeEmbedder().passages(["the gate code"])[0])
    assert np.linalg.norm(vector) == pytest.approx(1.0)


def test_another_model_makes_other_vectors():
    assert FakeEmbedder("a").fingerprint != FakeEmbedder("b").fingerprint
    assert np.dot(FakeEmbedder("a").query("gate"), FakeEmbedder("b").query("gate")) < 0.5


async def test_more_words_in_common_are_nearer():
    nearest = FakeNearest()
    nearest.learn("ada", {1: "the gate code is 4711", 2: "tea with milk"})
    found = await nearest.nearest("ada", "what is the gate code", 2)
    assert [each.memory_id for each in found] == [1, 2]
    assert found[0].similarity > 0.5 > found[1].similarity


async def test_another_users_memories_are_never_near():
    nearest = FakeNearest()
    nearest.learn("ada", {1: "the gate code"})
    assert await nearest.nearest("bob", "the gate code", 5) == []


async def test_what_is_broken_says_why():
    nearest = FakeNearest()
    nearest.broken = "the folder is gone"
    with pytest.raises(IndexUnavailableError, match="the folder is gone"):
        await nearest.nearest("ada", "gate", 5)


async def test_a_search_for_nobody_is_refused():
    with pytest.raises(MissingOwnerError):
        await FakeNearest().nearest(" ", "gate", 5)
