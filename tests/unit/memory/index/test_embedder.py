"""What an embedder may answer, and what comes of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from gaia.errors import IndexUnavailableError
from gaia.memory.index.embedder import CachedEmbedder, Mem0Embedder
from gaia.memory.index.parts import cosine, memory_id, vector_id
from gaia.testing.fake_index import FakeEmbedder

SIZE = [1.0, 0.0]


class Scripted:
    """An embedder of mem0 that answers one thing after the other."""

    def __init__(self, *answers: object) -> None:
        self.config = SimpleNamespace(model="scripted")
        self.answers = list(answers)

    def embed(self, text: str, memory_action: str) -> object:
        return self.answers.pop(0)

    def embed_batch(self, texts: Sequence[str], memory_action: str) -> object:
        return self.answers.pop(0)


@pytest.mark.parametrize("answer", [None, [], 7.0, "text", [[1.0, 0.0]]])
def test_an_embedder_that_gives_no_vector_is_not_opened(answer):
    with pytest.raises(IndexUnavailableError, match="embedder 'x'"):
        Mem0Embedder("x", Scripted(answer))


@pytest.mark.parametrize(
    "answer",
    [None, [], ["a", "b"], [1.0], [1.0, 0.0, 0.0], [0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]],
)
def test_what_is_no_unit_vector_and_can_be_made_none_is_refused(answer):
    embedder = Mem0Embedder("x", Scripted(SIZE, answer))
    with pytest.raises(IndexUnavailableError, match=r"look at memory\.embedder"):
        embedder.query("tea")


def test_a_vector_of_any_length_becomes_one_of_length_1():
    embedder = Mem0Embedder("x", Scripted(SIZE, [3e38, 4e38], [3e-38, 4e-38]))
    for _ in range(2):
        assert np.allclose(embedder.query("tea"), [0.6, 0.8])


@pytest.mark.parametrize("batch", [None, [], [SIZE]])
def test_a_batch_that_is_not_answered_in_full_is_asked_text_by_text(batch):
    scripted = Scripted(SIZE, batch, [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0])
    embedder = Mem0Embedder("x", scripted)
    for _ in range(2):
        assert np.array_equal(embedder.passages(["tea", "rain"]), [[1, 0], [0, 1]])
    assert scripted.answers == []


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
