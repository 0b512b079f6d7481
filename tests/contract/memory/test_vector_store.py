"""What every vector store promises, in memory, in Chroma, and in another store of mem0."""

from __future__ import annotations

import numpy as np
import pytest

from gaia.errors import MissingOwnerError
from gaia.testing.fake_index import DIMENSIONS, bag_of_words

GATE, TEA, RAIN = map(bag_of_words, ("the gate code is blue", "tea with milk", "rain on monday"))


def ids(found):
    return [each.memory_id for each in found]


def test_the_nearest_comes_first_with_its_cosine(rig):
    store = rig.open()
    store.put("ada", {1: GATE, 2: TEA, 3: RAIN})
    asked = bag_of_words("the gate code")
    found = store.nearest("ada", asked, 2)
    assert found[0].memory_id == 1
    assert found[0].similarity == pytest.approx(float(np.dot(GATE, asked)), abs=1e-3)
    assert found[1].similarity <= found[0].similarity
    assert len(found) == 2


def test_what_is_asked_for_itself_is_as_near_as_can_be(rig):
    store = rig.open()
    store.put("ada", {7: TEA})
    assert store.nearest("ada", TEA, 1)[0].similarity == pytest.approx(1.0, abs=1e-4)


def test_nobody_sees_the_vectors_of_another(rig):
    store = rig.open()
    store.put("ada", {1: GATE})
    store.put("bob", {2: GATE})
    store.put("cid", {3: GATE})
    assert ids(store.nearest("ada", GATE, 10)) == [1]
    assert ids(store.nearest("bob", GATE, 10)) == [2]
    assert ids(store.nearest("cid", GATE, 10)) == [3]
    assert store.nearest("dan", GATE, 10) == []


def test_putting_twice_is_putting_once(rig):
    store = rig.open()
    store.put("ada", {1: GATE})
    store.put("ada", {1: TEA, 2: RAIN})
    found = store.nearest("ada", TEA, 10)
    assert ids(found)[0] == 1
    assert found[0].similarity == pytest.approx(1.0, abs=1e-4)
    assert sorted(ids(found)) == [1, 2]


def test_what_is_removed_is_found_no_more(rig):
    store = rig.open()
    store.put("bob", {1: GATE, 2: TEA})
    store.remove("bob", [1])
    store.remove("bob", [1, 99])
    assert ids(store.nearest("bob", GATE, 10)) == [2]


def test_nobody_removes_the_vectors_of_another(rig):
    store = rig.open()
    store.put("bob", {1: GATE})
    store.remove("cid", [1])
    assert ids(store.nearest("bob", GATE, 10)) == [1]


def test_a_memory_that_has_moved_is_its_new_owners_alone(rig):
    store = rig.open()
    store.put("bob", {1: GATE})
    store.drop_user("bob")
    store.put("cid", {1: GATE})
    store.remove("bob", [1])
    assert store.nearest("bob", GATE, 10) == []
    assert ids(store.nearest("cid", GATE, 10)) == [1]


@pytest.mark.parametrize("user_id", ["ada", "bob"])
def test_who_is_dropped_leaves_nothing_and_takes_nothing_along(rig, user_id):
    store = rig.open()
    store.put(user_id, {1: GATE, 2: TEA})
    store.put("cid", {3: RAIN})
    store.drop_user(user_id)
    store.drop_user(user_id)
    assert store.nearest(user_id, GATE, 10) == []
    assert ids(store.nearest("cid", RAIN, 10)) == [3]
    store.put(user_id, {4: GATE})
    assert ids(store.nearest(user_id, GATE, 10)) == [4]


def test_what_was_stored_is_there_when_it_is_opened_again(rig):
    rig.open().put("ada", {1: GATE})
    rig.storage.close()
    assert ids(rig.open().nearest("ada", GATE, 10)) == [1]


def test_two_indexes_know_nothing_of_each_other(rig):
    old, new = rig.open(1), rig.open(2)
    old.put("ada", {1: GATE})
    new.put("ada", {2: GATE})
    assert ids(old.nearest("ada", GATE, 10)) == [1]
    assert ids(new.nearest("ada", GATE, 10)) == [2]
    rig.storage.keep_only([2], gone=[1])
    assert ids(new.nearest("ada", GATE, 10)) == [2]
    assert rig.open(1).nearest("ada", GATE, 10) == []


def test_it_counts_all_vectors_or_says_that_it_cannot(rig):
    store = rig.open()
    store.put("ada", {1: GATE, 2: TEA})
    store.put("bob", {3: GATE})
    assert store.count() in (3, None)


@pytest.mark.parametrize("nobody", ["", "  "])
def test_nobody_has_no_vectors(rig, nobody):
    store = rig.open()
    with pytest.raises(MissingOwnerError):
        store.put(nobody, {1: GATE})
    with pytest.raises(MissingOwnerError):
        store.remove(nobody, [1])
    with pytest.raises(MissingOwnerError):
        store.drop_user(nobody)
    with pytest.raises(MissingOwnerError):
        store.nearest(nobody, GATE, 1)


@pytest.mark.parametrize(
    "user_id", ["o'hara", '"; DROP', "100%s", "a\\b", "用户", "ada ", "%", "_", "?"]
)
def test_a_user_may_have_any_id(rig, user_id):
    rig.placement.put(user_id, 1)
    store = rig.open()
    store.put(user_id, {1: GATE, 2: TEA})
    store.put("bob", {3: GATE})
    assert ids(store.nearest(user_id, GATE, 10)) == [1, 2]
    store.remove(user_id, [2])
    assert ids(store.nearest(user_id, TEA, 10)) == [1]
    store.drop_user(user_id)
    assert store.nearest(user_id, GATE, 10) == []
    assert ids(store.nearest("bob", GATE, 10)) == [3]


def test_of_many_vectors_all_are_compared(rig):
    store = rig.open()
    drawn = np.random.default_rng(7).normal(size=(300, DIMENSIONS))
    vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    store.put("bob", dict(enumerate(vectors, start=1)))
    store.put("cid", {1000: GATE})
    assert ids(store.nearest("cid", vectors[0], 10)) == [1000]
    for each in (0, 150, 299):
        assert ids(store.nearest("bob", vectors[each], 1)) == [each + 1]
    assert len(store.nearest("bob", GATE, 50)) == 50
