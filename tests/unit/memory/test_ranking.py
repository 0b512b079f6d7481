"""The order of candidates."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.memory.search.ranking import (
    E5,
    ENOUGH,
    REACH,
    SPREAD_NEEDS,
    UNKNOWN,
    WEIGHTS,
    Candidate,
    Fusion,
    coverage,
    rank,
    usual_scale,
)
from gaia.store.full_text import Corpus

FUSIONS: Sequence[Fusion] = ("sum", "rank")

CANDIDATES = st.lists(
    st.builds(
        Candidate,
        memory_id=st.integers(1, 50),
        text_score=st.none() | st.floats(0.01, 30),
        similarity=st.none() | st.floats(-1, 1),
        session_id=st.none() | st.sampled_from(["one", "two"]),
        position=st.none() | st.integers(0, 20),
        is_named=st.booleans(),
        is_dated=st.booleans(),
        is_question=st.booleans(),
    ),
    max_size=20,
    unique_by=lambda each: each.memory_id,
)


def ids(candidates: Sequence[Candidate], fusion: Fusion = "sum") -> list[int]:
    return [candidate.memory_id for candidate, _ in rank(candidates, fusion)]


@pytest.mark.parametrize("fusion", FUSIONS)
def test_what_both_searches_find_comes_before_what_one_finds(fusion: Fusion) -> None:
    both = Candidate(1, text_score=4.0, similarity=0.84)
    words = Candidate(2, text_score=4.5)
    meaning = Candidate(3, similarity=0.85)
    assert ids([words, meaning, both, Candidate(4, text_score=1.0, similarity=0.7)], fusion)[0] == 1


def test_a_clear_winner_counts_for_more_in_a_sum_than_in_ranks() -> None:
    candidates = [
        Candidate(1, text_score=20.0, similarity=0.80),
        Candidate(2, text_score=2.0, similarity=0.82),
        Candidate(3, text_score=1.0, similarity=0.81),
        Candidate(4, text_score=1.0, similarity=0.70),
    ]
    assert ids(candidates, "sum")[0] == 1
    assert ids(candidates, "rank")[0] == 2


def test_a_memory_gets_a_share_of_what_was_said_beside_it() -> None:
    near = Candidate(1, text_score=1.0, session_id="s", position=4)
    far = Candidate(2, text_score=1.0, session_id="s", position=4 + REACH + 2)
    elsewhere = Candidate(3, text_score=1.0, session_id="t", position=4)
    best = Candidate(4, text_score=10.0, session_id="s", position=5)
    ranked = {c.memory_id: parts for c, parts in rank([near, far, elsewhere, best], "sum")}
    assert ranked[1].neighbours == pytest.approx(WEIGHTS.neighbour * (ranked[4].text))
    assert ranked[2].neighbours == 0
    assert ranked[3].neighbours == 0


def test_a_memory_without_a_place_has_no_neighbours() -> None:
    candidates = [Candidate(1, text_score=1.0), Candidate(2, text_score=1.0)]
    assert all(parts.neighbours == 0 for _, parts in rank(candidates, "sum"))


def test_what_the_question_names_comes_first_and_questions_come_last() -> None:
    plain = Candidate(1, text_score=1.0)
    named = Candidate(2, text_score=1.0, is_named=True)
    dated = Candidate(3, text_score=1.0, is_dated=True)
    question = Candidate(4, text_score=1.0, is_question=True)
    ranked = {c.memory_id: parts.total for c, parts in rank([plain, named, dated, question], "sum")}
    assert ranked[2] - ranked[1] == pytest.approx(WEIGHTS.named)
    assert ranked[3] - ranked[1] == pytest.approx(WEIGHTS.named)
    assert ranked[1] - ranked[4] == pytest.approx(WEIGHTS.question)


def test_of_equals_the_newer_comes_first() -> None:
    assert ids([Candidate(1, text_score=1.0), Candidate(2, text_score=1.0)]) == [2, 1]


@given(CANDIDATES, st.sampled_from(FUSIONS))
def test_every_candidate_is_ranked_once_by_the_sum_of_its_parts(
    candidates: list[Candidate], fusion: Fusion
) -> None:
    ranked = rank(candidates, fusion)
    assert sorted(ids(candidates, fusion)) == sorted(c.memory_id for c in candidates)
    totals = [parts.total for _, parts in ranked]
    assert totals == sorted(totals, reverse=True)
    assert all(0 <= parts.text <= 0.5 and 0 <= parts.vector <= 0.5 for _, parts in ranked)


@given(CANDIDATES, st.sampled_from(FUSIONS), st.randoms())
def test_the_order_of_the_candidates_does_not_matter(
    candidates: list[Candidate], fusion: Fusion, random: Random
) -> None:
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert ids(shuffled, fusion) == ids(candidates, fusion)


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
