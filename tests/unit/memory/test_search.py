"""Search over a real ledger, with vectors that are made of words."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, event

from gaia.errors import MissingOwnerError
from gaia.memory import ledger
from gaia.memory.memory import Added
from gaia.memory.protocols import Neighbour
from gaia.memory.search.candidates import Filter
from gaia.memory.search.search import Search
from gaia.ops.wire import search_report
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryKind
from gaia.store.people.identities import User
from gaia.testing.clock import START, FakeClock
from gaia.testing.fake_index import FakeNearest
from tests.harness.book import Book, said
from tests.harness.effort import rounds


class Finder:
    """A search, and a ledger whose memories the fake index learns at once."""

    def __init__(self, database: Database, clock: FakeClock) -> None:
        self.book = Book(database)
        self.nearest = FakeNearest()
        self.search = Search(database, self.nearest, clock)

    async def keep(self, user: User, text: str, **fields: object) -> Added:
        added = await self.book.keep(user, said(text, **fields))
        self.nearest.learn(user.user_id, {added.memory.memory_id: text})
        return added

    async def texts(self, user: User, asked: str, only: Filter | None = None) -> list[str]:
        found = await self.search.hits(user.user_id, asked, limit=10, only=only)
        return [hit.memory.text for hit in found.hits]


@pytest.fixture
def finder(database: Database, clock: FakeClock) -> Finder:
    return Finder(database, clock)


async def test_the_memory_that_is_asked_for_comes_first(finder: Finder, ada: User) -> None:
    for text in ("the gate code is under the blue pot", "Rex is my dog", "I play the violin"):
        await finder.keep(ada, text)
    assert (await finder.texts(ada, "what is my dog called?"))[0] == "Rex is my dog"
    assert (await finder.texts(ada, "gate codes"))[0] == "the gate code is under the blue pot"


async def test_two_characters_are_found_inside_a_longer_run(finder: Finder, ada: User) -> None:
    await finder.keep(ada, "我喜欢猫")
    await finder.keep(ada, "我对花生过敏")
    assert (await finder.texts(ada, "过敏"))[0] == "我对花生过敏"


@pytest.mark.sqlite
async def test_memories_are_looked_up_by_their_words_and_not_all_of_a_person(
    finder: Finder, ada: User, database: Database
) -> None:
    await finder.keep(ada, "Rex is my dog")
    plans: list[list[str]] = []

    def explain(connection: Connection, _: object, statement: str, asked: object, *__: Any) -> None:
        if "json_each" in statement and "memory_terms" in statement:
            cursor = connection.connection.cursor()
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", asked)
            plans.append([step for *_, step in cursor.fetchall()])

    event.listen(database.engine, "before_cursor_execute", explain)
    await finder.texts(ada, "what is my dog called?")
    (plan,) = plans
    searches = [step.split()[1] for step in plan if step.startswith("SEARCH")]
    assert searches == ["memory_terms", "memories"]


@pytest.mark.parametrize("user_id", ["", "  ", None])
async def test_a_search_without_an_owner_reads_nothing(finder: Finder, user_id: str) -> None:
    with pytest.raises(MissingOwnerError):
        await finder.search.hits(user_id, "tea", limit=5)
    with pytest.raises(MissingOwnerError):
        await finder.search.relevant(user_id, "tea", limit=5)
    with pytest.raises(MissingOwnerError):
        await finder.search.find(user_id, "tea", limit=5)
    assert not finder.nearest.embedder.asked


async def test_nobody_finds_what_is_anothers(finder: Finder, ada: User, bob: User) -> None:
    await finder.keep(ada, "the gate code is under the pot")
    await finder.keep(bob, "I play the violin")
    assert await finder.texts(bob, "gate code pot") == ["I play the violin"]


async def test_a_vector_of_another_users_memory_is_not_believed(
    finder: Finder, ada: User, bob: User
) -> None:
    kept = await finder.keep(ada, "the gate code is under the pot")
    await finder.keep(bob, "I play the violin")
    finder.nearest.learn(bob.user_id, {kept.memory.memory_id: "gate code"})
    found = await finder.search.hits(bob.user_id, "gate code", limit=1)
    assert [hit.memory.text for hit in found.hits] == ["I play the violin"]


async def test_a_vector_that_is_left_of_an_older_version_takes_no_place(
    finder: Finder, ada: User
) -> None:
    old = await finder.keep(ada, "I love marzipan")
    new = await finder.book.replace(ada, old, "I hate it now")
    finder.nearest.learn(ada.user_id, {new.memory.memory_id: new.memory.text})
    found = await finder.search.hits(ada.user_id, "I love marzipan", limit=1)
    assert [hit.memory.text for hit in found.hits] == ["I hate it now"]


async def test_full_text_alone_answers_when_the_index_does_not(finder: Finder, ada: User) -> None:
    await finder.keep(ada, "the gate code is under the pot")
    await finder.keep(ada, "I play the violin")
    finder.nearest.broken = "the folder is gone"
    found = await finder.search.hits(ada.user_id, "gate code", limit=5)
    assert [hit.memory.text for hit in found.hits] == ["the gate code is under the pot"]
    assert found.fault == "the folder is gone"
    assert found.hits[0].similarity is None


async def test_vectors_alone_answer_when_no_word_is_found(finder: Finder, ada: User) -> None:
    kept = await finder.keep(ada, "I play the violin")
    finder.nearest.learn(ada.user_id, {kept.memory.memory_id: "Geige"})
    found = await finder.search.hits(ada.user_id, "Geige", limit=5)
    assert [hit.memory.text for hit in found.hits] == ["I play the violin"]
    assert found.hits[0].text_score is None
    assert not found.fault


async def test_what_is_superseded_removed_or_run_out_is_not_found(
    finder: Finder, ada: User, clock: FakeClock
) -> None:
    old = await finder.keep(ada, "I love marzipan")
    await finder.book.replace(ada, old, "I hate marzipan")
    gone = await finder.keep(ada, "marzipan is in the cupboard")
    await finder.book.remove(ada, gone.memory.memory_id)
    await finder.keep(ada, "marzipan is cheap today", expires_at=START + timedelta(days=1))
    clock.advance(timedelta(days=2).total_seconds())
    assert await finder.texts(ada, "marzipan") == ["I hate marzipan"]


async def test_a_filter_leaves_out_what_does_not_fit(finder: Finder, ada: User) -> None:
    await finder.keep(ada, "tea at home")
    await finder.keep(ada, "tea at work", context="work")
    await finder.keep(ada, "tea is what I like", kind=MemoryKind.PREFERENCE)
    await finder.keep(ada, "tea against my illness", sensitive=True)
    work = Filter(contexts=frozenset({"work"}))
    liked = Filter(kinds=frozenset({MemoryKind.PREFERENCE}))
    assert await finder.texts(ada, "tea", work) == ["tea at work"]
    assert await finder.texts(ada, "tea", liked) == ["tea is what I like"]
    assert "tea against my illness" in await finder.texts(ada, "tea")
    assert "tea against my illness" not in await finder.texts(
        ada, "tea", Filter(with_sensitive=False)
    )


async def test_what_the_named_subject_said_comes_first(finder: Finder, ada: User) -> None:
    await finder.keep(ada, "I love hiking with Tom", subject="Ann")
    await finder.keep(ada, "I love hiking by the sea", subject="Tom")
    await finder.keep(ada, "Tom came with a cake", subject="Ann")
    assert (await finder.texts(ada, "Where does Tom love hiking?"))[0] == "I love hiking by the sea"


async def test_the_meaning_is_asked_without_the_names_of_subjects(
    finder: Finder, ada: User
) -> None:
    await finder.keep(ada, "I love hiking", subject="Tom")
    await finder.texts(ada, "Where does Tom's brother hike?")
    assert finder.nearest.embedder.asked[-1] == "Where does brother hike?"
    await finder.texts(ada, "Tom?")
    assert finder.nearest.embedder.asked[-1] == "Tom?"


async def test_what_was_said_in_the_named_month_comes_first(finder: Finder, ada: User) -> None:
    june = START.replace(year=2023, month=6, day=3)
    await finder.keep(ada, "we went camping by the lake", said_at=june)
    await finder.keep(ada, "we went camping by the river", said_at=june.replace(month=7))
    assert (await finder.texts(ada, "camping in June"))[0].endswith("lake")
    assert (await finder.texts(ada, "camping in July 2023"))[0].endswith("river")


async def test_an_answer_is_found_beside_its_question(finder: Finder, ada: User) -> None:
    said_before = {"session_id": "s", "subject": "Ann"}
    await finder.keep(ada, "Which instrument do you play?", **said_before, position=1)
    answer = await finder.keep(ada, "The violin, for years", **said_before, position=2)
    other = await finder.keep(ada, "The viola, for years", session_id="t", position=7)
    found = await finder.search.hits(ada.user_id, "Which instrument?", limit=5)
    order = [hit.memory.memory_id for hit in found.hits]
    assert order.index(answer.memory.memory_id) < order.index(other.memory.memory_id)


async def test_only_what_has_to_do_with_the_text_is_relevant(finder: Finder, ada: User) -> None:
    await finder.keep(ada, "the gate code is under the blue pot")
    await finder.keep(ada, "my gate diary", sensitive=True)
    relevant = await finder.search.relevant(ada.user_id, "where is the gate code?", limit=5)
    assert [memory.text for memory in relevant] == ["the gate code is under the blue pot"]
    assert not await finder.search.relevant(ada.user_id, "write a poem on autumn", limit=5)


class Near:
    """Finds one memory near to whatever is asked."""

    def __init__(self, memory_id: int, similarity: float) -> None:
        self._found = [Neighbour(memory_id, similarity)]

    async def nearest(self, user_id: str, text: str, limit: int) -> list[Neighbour]:
        return self._found


@pytest.mark.parametrize(
    ("asked", "similarity", "is_relevant"),
    [
        ("Wo ist der Schluessel?", 0.82, True),
        ("Wo ist der Schluessel?", 0.80, False),
        ("Wo ist der Schluessel, Rex?", 0.82, False),
    ],
)
async def test_meaning_alone_is_enough_sooner_where_no_word_is_known(
    finder: Finder, ada: User, clock: FakeClock, asked: str, similarity: float, is_relevant: bool
) -> None:
    key = (await finder.keep(ada, "the key is under the blue pot")).memory
    await finder.keep(ada, "Rex is my dog")
    search = Search(finder.book.database, Near(key.memory_id, similarity), clock)
    assert (key in await search.relevant(ada.user_id, asked, limit=5)) is is_relevant


async def test_memories_are_found_without_the_reasons(finder: Finder, ada: User) -> None:
    kept = await finder.keep(ada, "I play the violin")
    assert await finder.search.find(ada.user_id, "violin", limit=5) == [kept.memory]


async def test_a_long_text_is_searched_with_its_beginning(finder: Finder, ada: User) -> None:
    await finder.keep(ada, "I play the violin")
    assert await finder.texts(ada, "violin " + "lorem ipsum " * 10_000)
    assert len(finder.nearest.embedder.asked[-1]) <= 600


async def test_words_that_stand_nowhere_crowd_out_none_that_do(finder: Finder, ada: User) -> None:
    await finder.keep(ada, "I play the violin")
    finder.nearest.broken = "the folder is gone"
    unknown = " ".join(f"word{number}" for number in range(200))
    assert await finder.texts(ada, f"{unknown} violin") == ["I play the violin"]


async def test_a_text_without_words_finds_nothing(finder: Finder, ada: User) -> None:
    await finder.keep(ada, "I play the violin")
    assert await finder.texts(ada, " \x00\u200b ") == []


QUERIES = st.text(st.characters(exclude_categories=()), max_size=80) | st.sampled_from(
    ['what AND "', "'; DROP TABLE memories; --", "NEAR(a, b) *", "a:b^2", "%_", "@violin", "(("]
)


@settings(
    max_examples=rounds(15, thorough=40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(asked=QUERIES)
async def test_no_query_is_an_error(asked: str, finder: Finder, ada: User) -> None:
    await finder.keep(ada, "I play the violin")
    await finder.search.hits(ada.user_id, asked, limit=5)


async def test_who_is_meant_is_found_by_what_they_are_to_somebody(
    finder: Finder, ada: User
) -> None:
    for words, subject, predicate, thing in (
        ("My sister Grace sails", "Grace", "sister of", "Ada"),
        ("Grace is married to Tom", "Grace", "married to", "Tom"),
        ("Tom builds model trains", "Tom", "builds", "model trains"),
    ):
        await finder.keep(ada, words, subject=subject, predicate=predicate, object=thing)
    await finder.keep(ada, "I drink tea in the morning")
    found = await finder.search.hits(ada.user_id, "what does my sister's husband do?", limit=5)
    told_of = {hit.memory.text: hit.told_of for hit in found.hits if hit.is_relevant}
    assert told_of["Tom builds model trains"] == "Tom"
    assert "I drink tea in the morning" not in told_of
    (reason,) = [
        reason
        for hit in search_report(found).hits
        for reason in hit.reasons
        if reason.startswith("people") and hit.text.startswith("Tom")
    ]
    assert reason == "people: tells of Tom, who is meant, or leads there"


async def test_what_a_memory_superseded_for_a_while_is_told_with_it_and_goes_by_itself(
    finder: Finder, ada: User
) -> None:
    home = await finder.keep(ada, "I live in Lisbon")
    sea = await finder.keep(ada, "I like the sea")
    trip = await finder.keep(ada, "I am in Paris this week")
    for old in (home, sea):
        await finder.book.database.write(
            ledger.give_way,
            ada.user_id,
            old.memory.memory_id,
            trip.memory.memory_id,
            START,
            told_by_heir=old is home,
        )
    (found,) = await finder.search.find(ada.user_id, "where is Paris?", limit=10)
    assert (found.text, found.told) == (
        "I am in Paris this week",
        "I am in Paris this week (before: I live in Lisbon)",
    )
    await finder.book.remove(ada, home.memory.memory_id)
    (found,) = await finder.search.find(ada.user_id, "where is Paris?", limit=10)
    assert found.told == found.text
