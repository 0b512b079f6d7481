"""Whom a text means by what they are to its sender, and which memories tell of them."""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.memory.extraction import Relation
from gaia.memory.people import graph
from gaia.memory.people.paths import Scope, meant, memories_about
from gaia.store.memory_tables import EntityRow, RelationRow
from gaia.store.people import identities
from gaia.store.people.identities import Role, User
from gaia.testing.clock import START
from tests.harness.book import Book, said

EVERYTHING = Scope(START)


async def keep(book: Book, user: User, text: str, *told: str, **fields: object) -> int:
    subject, predicate, thing = told
    statement = said(text, subject=subject, predicate=predicate, object=thing, **fields)
    return (await book.keep(user, statement)).memory.memory_id


async def found(book: Book, user: User, words: str, within: Scope = EVERYTHING) -> set[str]:
    people = await book.database.read(meant, user.user_id, words, within)
    return {" = ".join(each.names) for each in people}


async def about(book: Book, user: User, words: str, within: Scope = EVERYTHING) -> set[int]:
    people = await book.database.read(meant, user.user_id, words, within)
    return set(await book.database.read(memories_about, user.user_id, people, within))


@pytest.fixture
async def family(book: Book, ada: User) -> None:
    await keep(book, ada, "My sister Grace sails", "Grace", "sister of", "the user")
    await keep(book, ada, "Grace is married to Tom", "Grace", "married to", "Tom")
    await keep(book, ada, "Tom likes model trains", "Tom", "likes", "model trains")
    await keep(book, ada, "My husband is Ben", "Ben", "husband of", "Ada")
    await keep(book, ada, "Ben's sister is Eve", "Ben", "has sister", "Eve")


async def test_who_is_called_by_an_emoji_alone_is_not_everybody_without_a_name(
    book: Book,
) -> None:
    fox = await book.database.write(identities.create, "🦊", Role.MEMBER, now=START)
    number = await keep(book, fox, "It rains in Porto", "", "rains in", "Porto")
    told = await book.database.read(graph.by_memory, fox.user_id)
    assert told == {number: [Relation(None, "rains in", "Porto")]}


@pytest.mark.usefixtures("family")
@pytest.mark.parametrize(
    ("words", "people"),
    [
        ("What does my sister's husband like?", {"Tom"}),
        ("the husband of my sister", {"Tom", "Eve"}),
        ("my husband's sister", {"Eve"}),
        ("Where is my sister?", {"Grace"}),
        ("Is Tom's wife well?", {"Grace"}),
        ("What do I like?", set()),
        ("model trains", {"model trains"}),
        ("", set()),
        ("friend " * 100, set()),
    ],
)
async def test_somebody_is_found_by_what_they_are(
    book: Book, ada: User, words: str, people: set[str]
) -> None:
    assert await found(book, ada, words) == people


@pytest.mark.usefixtures("family")
async def test_what_tells_of_them_is_found_with_them(book: Book, ada: User) -> None:
    await book.keep(ada, "Tom sings bass")
    assert await about(book, ada, "what does my sister's husband like?") == {2, 3, 6}


async def test_relations_have_the_words_of_their_language(book: Book, ada: User) -> None:
    await keep(book, ada, "Meine Schwester heißt Grete", "Grete", "Schwester von", "Ada")
    await keep(book, ada, "Grete und Max", "Max", "Mann von", "Grete")
    await keep(book, ada, "Моя подруга Оля", "Оля", "подруга", "Ada")
    assert await found(book, ada, "Was mag der Mann meiner Schwester?") == {"Max"}
    assert await found(book, ada, "Как дела у моей подруги?") == {"Оля"}


async def test_a_word_is_followed_once(book: Book, ada: User) -> None:
    await keep(book, ada, "Ann is my friend", "Ann", "friend of", "user")
    await keep(book, ada, "Bo is Ann's friend", "Bo", "friend of", "Ann")
    assert await found(book, ada, "my friend") == {"Ann"}
    assert await found(book, ada, "my friend's friend") == {"Bo"}


async def test_a_circle_comes_to_its_end(book: Book, ada: User) -> None:
    for one, other in (("Ann", "Bo"), ("Bo", "Cy"), ("Cy", "Ann"), ("Ann", "user")):
        await keep(book, ada, f"{one} and {other}", one, "friend of", other)
    assert await found(book, ada, "the friend of the friend of my friend") == {"Bo", "Cy"}


async def test_what_holds_no_more_leads_nowhere(book: Book, ada: User) -> None:
    old = await book.keep(
        ada, said("Ann is my boss", subject="Ann", predicate="boss of", object="user")
    )
    await book.replace(
        ada, old, said("Bo is my boss", subject="Bo", predicate="boss of", object="user")
    )
    assert await found(book, ada, "my boss") == {"Bo"}


async def test_other_users_contexts_and_what_is_sensitive_are_not_seen(
    book: Book, ada: User, bob: User
) -> None:
    told = ("Ann", "boss of", "user")
    await keep(book, bob, "Ann is my boss", *told)
    await keep(book, ada, "Bo is my boss", "Bo", "boss of", "user", context="work")
    await keep(book, ada, "Kim is my lover", "Kim", "lover of", "user", sensitive=True)
    later = START + timedelta(days=1)
    await keep(book, ada, "Di is my guest", "Di", "guest of", "user", expires_at=later)
    assert await found(book, ada, "my boss") == {"Bo"}
    assert await found(book, ada, "my boss", Scope(START, {"global"})) == set()
    assert await about(book, ada, "my boss", Scope(START, {"global", "work"})) == {2}
    assert await found(book, ada, "my lover", Scope(START, with_sensitive=False)) == set()
    assert await found(book, ada, "my guest") == {"Di"}
    assert await found(book, ada, "my guest", Scope(later)) == set()


async def test_two_names_of_one_lead_to_the_same(book: Book, ada: User) -> None:
    await keep(book, ada, "Katherine is my boss", "Katherine", "boss of", "user")
    await keep(book, ada, "She goes by Kate", "Kate", "is also known as", "Katherine")
    await keep(book, ada, "Kate hates meetings", "Kate", "hates", "meetings")
    assert await found(book, ada, "my boss") == {"Katherine = Kate"}
    assert await about(book, ada, "my boss") == {1, 2, 3}
    await book.remove(ada, 2)
    assert await found(book, ada, "my boss") == {"Katherine"}


async def test_one_sentence_may_tell_several_relations(book: Book, ada: User) -> None:
    told = said(
        "My sister Grace is married to Tom",
        subject="Grace",
        predicate="sister of",
        object="Ada",
        relations=(Relation("Tom", "husband of", "Grace"), Relation("Grace", None, None)),
    )
    await book.keep(ada, told)
    await book.keep(ada, told)
    assert await found(book, ada, "my sister's husband") == {"Tom"}
    with book.database.reading() as session:
        assert session.query(RelationRow).count() == 3
        assert graph.by_memory(session, ada.user_id)[1][1] == told.relations[0]


async def test_nobody_stays_of_whom_nothing_is_told(book: Book, ada: User) -> None:
    kept = await keep(book, ada, "Grace sails", "Grace", "sister of", "the user")
    other = await keep(book, ada, "Grace knows Tom", "Grace", "knows", "Tom")
    await book.remove(ada, other)
    with book.database.reading() as session:
        assert {each.name for each in session.query(EntityRow)} == {"Grace", "Ada"}
    await book.remove(ada, kept)
    with book.database.reading() as session:
        assert session.query(EntityRow).count() == session.query(RelationRow).count() == 0


async def test_what_was_kept_before_is_taken_in(book: Book, ada: User) -> None:
    await keep(book, ada, "Grace sails", "Grace", "sister of", "the user")
    with book.database.writing() as session:
        session.query(RelationRow).delete()
        session.query(EntityRow).delete()
    assert await found(book, ada, "my sister") == set()
    await book.database.write(graph.catch_up, ada.user_id)
    assert await found(book, ada, "my sister") == {"Grace"}
    await book.database.write(graph.catch_up, ada.user_id)
    with book.database.reading() as session:
        assert session.query(RelationRow).count() == 1
