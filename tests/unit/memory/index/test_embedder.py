"""What an embedder may answer, and what comes of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from gaia.errors import IndexUnavailableError
from gaia.memory.index.embedder import Mem0Embedder

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
