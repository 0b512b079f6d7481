"""The full text of memories, on a real gaia.db."""

import pytest

from gaia.memory import text
from gaia.store import full_text
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryRow, MemoryTermRow
from gaia.store.people.identities import User
from tests.harness.book import Book, said


async def keep(book: Book, user: User, *texts: str) -> list[int]:
    return [(await book.keep(user, each)).memory.memory_id for each in texts]


async def search(database: Database, user: User, *wanted: str, limit: int = 10) -> list[int]:
    with database.reading() as session:
        known = full_text.MEMORIES.corpus(session, user.user_id, wanted)
        return list(
            full_text.MEMORIES.search(
                session, user.user_id, wanted, known, limit, full_text.MEMORIES.query()
            )
        )


async def test_the_statistics_are_those_of_one_user(
    database: Database, book: Book, ada: User, bob: User
) -> None:
    await keep(book, ada, "two words", "words with more words")
    await keep(book, bob, "words", "words again", "words once more")
    known = await database.read(full_text.MEMORIES.corpus, ada.user_id, ["word", "two", "again"])
    assert known == full_text.Corpus(2, 3.0, {"word": 2, "two": 1})


async def test_a_rare_term_counts_for_more_than_a_frequent_one(
    database: Database, book: Book, ada: User
) -> None:
    tea, *_, rare = await keep(
        book, ada, "tea tea", "tea one", "tea two", "tea three", "marzipan one"
    )
    found = await search(database, ada, "tea", "marzipan")
    assert found[:2] == [rare, tea]


async def test_a_short_memory_comes_before_a_long_one(
    database: Database, book: Book, ada: User
) -> None:
    short, long = await keep(book, ada, "some tea", "tea and a lot of other things too")
    assert await search(database, ada, "tea") == [short, long]


async def test_of_equals_the_newest_are_returned(database: Database, book: Book, ada: User) -> None:
    ids = await keep(book, ada, "tea one", "tea two", "tea three")
    assert await search(database, ada, "tea", limit=2) == [ids[2], ids[1]]


async def test_nobody_finds_what_is_anothers(
    database: Database, book: Book, ada: User, bob: User
) -> None:
    await keep(book, ada, "the gate code is under the pot")
    own = await keep(book, bob, "my gate is green")
    assert await search(database, bob, *text.query_terms("gate pot")) == own


async def test_only_what_meets_the_conditions_is_found(
    database: Database, book: Book, ada: User
) -> None:
    first, second = await keep(book, ada, "tea one", "tea two")
    with database.reading() as session:
        known = full_text.MEMORIES.corpus(session, ada.user_id, ["tea"])
        conditions = [MemoryRow.memory_id != second]
        found = full_text.MEMORIES.search(
            session, ada.user_id, ["tea"], known, 1, full_text.MEMORIES.query(conditions)
        )
    assert list(found) == [first]


async def test_what_is_superseded_is_found_no_more(
    database: Database, book: Book, ada: User
) -> None:
    old = await book.keep(ada, "I love marzipan")
    await book.replace(ada, old, "I hate liquorice")
    assert await search(database, ada, "marzipan") == []


async def test_a_removed_memory_leaves_no_term(book: Book, ada: User) -> None:
    kept = await book.keep(ada, said("the gate code is under the pot", subject="the gate"))
    await book.remove(ada, kept.memory.memory_id)
    assert not await book.made_of(MemoryTermRow)


async def test_a_subject_is_no_word_of_the_text(database: Database, book: Book, ada: User) -> None:
    kept = await book.keep(ada, said("likes tea", subject="Sarah Chen"))
    assert await search(database, ada, "sarah") == []
    assert await search(database, ada, text.as_subject("chen")) == [kept.memory.memory_id]


async def test_many_terms_and_none_are_no_error(database: Database, book: Book, ada: User) -> None:
    await keep(book, ada, "tea")
    assert await search(database, ada, *(f"t{number}" for number in range(500)), "tea")
    assert await search(database, ada) == []


@pytest.mark.parametrize("frequency", [0, 1, 50, 100, 101])
def test_no_term_counts_against_a_memory(frequency: int) -> None:
    assert full_text.Corpus(100, 8.0, {"tea": frequency}).weight("tea") > 0
