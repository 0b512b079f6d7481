"""What is known already and goes to the model with a window."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gaia.digest.known import Known, chosen
from gaia.errors import MissingOwnerError
from gaia.memory.extraction import Change, Checked, Target
from gaia.memory.memory import Memory
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryKind
from gaia.store.people.identities import User
from gaia.testing.clock import FakeClock
from tests.harness.book import Book, said
from tests.harness.memories import NothingFound, a_memory
from tests.harness.proposals import proposal
from tests.harness.turns import a_window


class Found(NothingFound):
    """Finds the same for whatever is asked."""

    def __init__(self, *memories: Memory) -> None:
        self.memories = memories
        self.asked: list[str] = []

    async def find(
        self, user_id: str, text: str, *, limit: int, context: str = "global"
    ) -> Sequence[Memory]:
        self.asked.append(text)
        return self.memories[:limit]


def facts(count: int, first: int = 1) -> list[Memory]:
    return [a_memory(number, f"fact {number}") for number in range(first, first + count)]


def test_offers_are_numbered_from_one_each_once() -> None:
    offers = chosen([], [], [facts(3), facts(2)], most=30)
    assert [(each.number, each.target.memory_id) for each in offers] == [(1, 1), (2, 2), (3, 3)]


def test_the_best_of_each_search_come_first() -> None:
    offers = chosen([], [], [facts(3), facts(3, first=10)], most=4)
    assert [each.target.memory_id for each in offers] == [1, 10, 2, 11]


def test_rules_and_earlier_findings_have_a_third_each_where_there_is_more() -> None:
    rules = [a_memory(n, f"rule {n}", kind=MemoryKind.RULE) for n in range(100, 120)]
    read = [Checked("", [proposal(f"earlier {n}") for n in range(20)], {})]
    offers = chosen(rules, read, [facts(20)], most=30)
    texts = [each.text.split()[0] for each in offers]
    assert [texts.count(kind) for kind in ("rule", "earlier", "fact")] == [10, 10, 10]
    alone = chosen(rules, [], [], most=30)
    assert len(alone) == 20


def test_earlier_findings_are_named_by_window_and_place_but_for_what_gave_way() -> None:
    gone = Target(None, 1, 0), Target(7)
    changes = [(each, Change.REPLACES) for each in gone]
    read = [
        Checked("", [proposal("Ada lives in Lisbon"), proposal("Ada likes tea")], {}),
        Checked(
            "",
            [proposal("Ada lives in Porto", changes=changes)],
            {},
        ),
    ]
    offers = chosen([], read, [[a_memory(7, "Ada is a nurse"), a_memory(8, "Ada sails")]], most=30)
    assert [(each.text, each.target) for each in offers] == [
        ("Ada lives in Porto", Target(None, 2, 0)),
        ("Ada likes tea", Target(None, 1, 1)),
        ("Ada sails", Target(8)),
    ]


def test_credentials_and_episodes_are_never_offered_and_sensitive_ones_are() -> None:
    found = [
        a_memory(1, "my password is hunter2!"),
        a_memory(2, "They sailed", kind=MemoryKind.EPISODE),
        a_memory(3, "Ada sees Dr Weber", sensitive=True),
    ]
    assert [each.target.memory_id for each in chosen([], [], [found], most=30)] == [3]


async def test_all_of_a_users_rules_are_offered_and_nobody_elses(
    database: Database, book: Book, ada: User, bob: User
) -> None:
    await book.keep(ada, said("Always rhyme", kind=MemoryKind.RULE))
    await book.keep(ada, "Ada likes tea")
    await book.keep(bob, said("Never rhyme", kind=MemoryKind.RULE))
    known = Known(database, NothingFound(), FakeClock(), small=lambda: False)
    offers = await known(ada.user_id, a_window("I like tea"), [])
    assert [each.text for each in offers] == ["Always rhyme"]
    with pytest.raises(MissingOwnerError):
        await known("", a_window("I like tea"), [])


async def test_the_longest_of_the_users_words_are_searched_with(
    database: Database, ada: User
) -> None:
    found = Found(*facts(30))
    words = ["thanks!", "I like tea", *(f"word {'x' * number}" for number in range(50))]
    known = Known(database, found, FakeClock(), small=lambda: True)
    offers = await known(ada.user_id, a_window(*words), [])
    assert len(found.asked) == 40
    assert "thanks!" not in found.asked
    assert len(offers) == 3
