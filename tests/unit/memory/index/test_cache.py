"""What was embedded lately is not embedded again."""

from __future__ import annotations

import numpy as np

from gaia.memory.index.embedder import CachedEmbedder
from gaia.memory.index.vectors import cosine, memory_id, vector_id
from gaia.testing.fake_index import FakeEmbedder


def test_each_text_is_embedded_once():
    inner = FakeEmbedder()
    embedder = CachedEmbedder(inner)
    first = embedder.passages(["tea", "rain", "tea"])
    again = embedder.passages(["rain", "tea", "sun"])
    assert inner.asked == ["tea", "rain", "sun"]
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[0], again[1])
    assert np.array_equal(first[1], again[0])


def test_a_question_is_not_a_passage():
    inner = FakeEmbedder()
    embedder = CachedEmbedder(inner)
    embedder.passages(["tea"])
    embedder.query("tea")
    embedder.query("tea")
    assert inner.asked == ["tea", "tea"]


def test_what_was_asked_longest_ago_goes_first():
    inner = FakeEmbedder()
    embedder = CachedEmbedder(inner, largest=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        embedder.query(text)
    assert inner.asked == ["a", "b", "c", "b"]


def test_a_memory_keeps_its_number_in_a_store():
    for number in (1, 42, 2**40):
        assert memory_id(vector_id(number)) == number


def test_mem0s_score_over_chroma_is_turned_into_the_cosine():
    for angle in (-1.0, -0.3, 0.0, 0.5, 1.0):
        distance = 2.0 - 2.0 * angle
        assert abs(cosine(1.0 / (1.0 + distance)) - angle) < 1e-9
