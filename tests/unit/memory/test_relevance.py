"""Whether a hit has to do with what was asked."""

import pytest

from gaia.memory.ranking import E5, ENOUGH, SPREAD_NEEDS, UNKNOWN, coverage, usual_scale
from gaia.store.full_text import Corpus

KNOWN = Corpus(100, 8.0, {"dog": 2, "walk": 40})


def test_rare_and_unknown_terms_weigh_more_than_frequent_ones() -> None:
    asked = {"dog", "walk", "unicorn"}
    assert coverage(asked, asked, KNOWN) == pytest.approx(1)
    assert coverage(asked, {"walk"}, KNOWN) < 0.12
    assert coverage(asked, {"dog"}, KNOWN) < coverage(asked, {"unicorn"}, KNOWN)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_only_memories_of_somebody_new_are_relevant_to_what_asks_for_them(size: int) -> None:
    known = Corpus(size, 5.0, {"gate": size, "code": 1, "pot": 1})
    assert coverage({"find", "gate", "code"}, {"gate", "code", "pot"}, known) > ENOUGH


def test_nothing_asked_covers_nothing() -> None:
    assert coverage(set(), {"dog"}, KNOWN) == 0


def test_the_usual_similarity_of_unrelated_texts_is_not_near() -> None:
    assert E5.nearness(None) == 0
    assert E5.nearness(0.7) == 0
    assert E5.nearness(0.78) < ENOUGH
    assert E5.nearness(0.9) > ENOUGH


def test_an_unknown_embedder_is_measured_by_what_it_found() -> None:
    scale = usual_scale([0.1, 0.2, 0.3] * SPREAD_NEEDS)
    assert scale.nearness(0.3) < 0.1
    assert scale.nearness(0.8) > ENOUGH


@pytest.mark.parametrize("found", [[], [0.9] * (SPREAD_NEEDS - 1), [0.5] * SPREAD_NEEDS])
def test_too_little_tells_nothing(found: list[float]) -> None:
    assert usual_scale(found) == UNKNOWN
    assert usual_scale(found).nearness(0.99) == 0
