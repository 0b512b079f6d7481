"""Whom and what memories are about, and what is between them."""

from __future__ import annotations

from datetime import timedelta

from gaia.memory import extraction
from gaia.memory.people.relations import USER, Entity, Relation, Relations, relations
from gaia.store.people.identities import User
from gaia.testing.clock import START
from tests.harness.book import Book, said


async def told_of(book: Book, ada: User) -> Relations:
    return await book.database.read(relations, ada.user_id, "Ada", START)


async def test_people_are_told_with_what_is_between_them(book: Book, ada: User, bob: User) -> None:
    await book.keep(
        ada,
        said("Grace sails", subject="Grace", predicate="sister of", object="the user"),
    )
    await book.keep(
        ada,
        said(
            "Tom cooks",
            subject="Tom",
            predicate="married to",
            object="Grace",
            entities=("person:grace", "person:tom"),
        ),
    )
    await book.keep(ada, said("I like Porto", entities=("place:porto",)))
    await book.keep(bob, said("Eve", subject="Eve", predicate="knows", object="Bob"))
    gone = await book.keep(ada, said("x", subject="Max", predicate="knows", object="Ada"))
    await book.replace(ada, gone, "y")
    found = await told_of(book, ada)
    assert found.entities == [
        Entity("person:grace", ["Grace"], "person", {1, 2}),
        Entity(USER, ["Ada"], "", {1}),
        Entity("person:tom", ["Tom"], "person", {2}),
        Entity("place:porto", ["Porto"], "place", {3}),
    ]
    assert found.relations == [
        Relation("person:grace", "sister of", USER, 1),
        Relation("person:tom", "married to", "person:grace", 2),
    ]


async def test_one_name_is_one_however_it_is_written(book: Book, ada: User) -> None:
    await book.keep(ada, said("a", subject="SARAH Chen", predicate="boss of", object="me"))
    await book.keep(ada, said("b", entities=("person:sarah_chen",)))
    await book.keep(ada, said("c", subject="Ada", predicate="likes", object="skiing"))
    found = await told_of(book, ada)
    assert found.entities == [
        Entity(USER, ["Ada"], "", {1, 3}),
        Entity("person:sarah_chen", ["SARAH Chen"], "person", {1, 2}),
        Entity("skiing", ["skiing"], "", {3}),
    ]
    assert found.relations[1] == Relation(USER, "likes", "skiing", 3)


async def test_names_of_one_thing_are_one(book: Book, ada: User) -> None:
    for told in (
        said("a", subject="Tom", predicate="brother of", object="the user"),
        said("b", subject="Tom Baker", predicate="lives in", object="Porto"),
        said("c", entities=("tom_baker",)),
        said("d", subject="Tom", predicate="same as", object="Tom Baker"),
    ):
        await book.keep(ada, told)
    found = await told_of(book, ada)
    tom = next(each for each in found.entities if each.name == "Tom")
    assert tom == Entity("person:tom", ["Tom", "Tom Baker"], "person", {1, 2, 3})
    assert [(each.subject, each.predicate) for each in found.relations] == [
        (tom.key, "brother of"),
        (tom.key, "lives in"),
    ]


async def test_two_of_one_name_and_of_two_kinds_are_two(book: Book, ada: User) -> None:
    await book.keep(ada, said("a", entities=("person:paris",)))
    await book.keep(ada, said("b", entities=("place:paris",)))
    found = await told_of(book, ada)
    assert found.entities[:2] == [
        Entity("person:paris", ["Paris"], "person", {1}),
        Entity("place:paris", ["Paris"], "place", {2}),
    ]


async def test_all_that_a_memory_tells_is_shown(book: Book, ada: User) -> None:
    more = extraction.Relation("Grace", "lives in", "Porto")
    await book.keep(
        ada,
        said("a", subject="Grace", predicate="sister of", object="me", relations=(more,)),
    )
    found = await told_of(book, ada)
    assert [each.predicate for each in found.relations] == ["sister of", "lives in"]


async def test_what_is_over_is_not_shown(book: Book, ada: User) -> None:
    soon = START + timedelta(days=1)
    await book.keep(
        ada, said("a", subject="Eve", predicate="guest of", object="me", expires_at=soon)
    )
    await book.keep(ada, said("b", entities=("place:porto",), expires_at=soon))
    assert len((await told_of(book, ada)).entities) == 3
    later = await book.database.read(relations, ada.user_id, "Ada", soon)
    assert later.entities == [Entity(USER, ["Ada"])]
    assert not later.relations


async def test_nothing_is_between_one_and_themselves(book: Book, ada: User) -> None:
    await book.keep(ada, said("a", subject="I", predicate="know", object="the user"))
    await book.keep(ada, said("b", subject="Tom"))
    found = await told_of(book, ada)
    assert found.relations == []
