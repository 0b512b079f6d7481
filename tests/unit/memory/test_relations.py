"""Whom and what memories are about, and what is between them."""

from __future__ import annotations

from gaia.memory.people.relations import USER, Entity, Relation, relations
from gaia.store.people.identities import User
from tests.harness.book import Book, said


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
    found = await book.database.read(relations, ada.user_id, "Ada")
    assert found.entities == [
        Entity("grace", "Grace", "person", 2),
        Entity(USER, "Ada", "", 1),
        Entity("tom", "Tom", "person", 1),
        Entity("porto", "Porto", "place", 1),
    ]
    assert found.relations == [
        Relation("grace", "sister of", USER, 1),
        Relation("tom", "married to", "grace", 2),
    ]


async def test_one_name_is_one_however_it_is_written(book: Book, ada: User) -> None:
    await book.keep(ada, said("a", subject="SARAH Chen", predicate="boss of", object="me"))
    await book.keep(ada, said("b", entities=("person:sarah_chen",)))
    await book.keep(ada, said("c", subject="Ada", predicate="likes", object="skiing"))
    found = await book.database.read(relations, ada.user_id, "Ada")
    assert [(each.key, each.name, each.memories) for each in found.entities] == [
        (USER, "Ada", 2),
        ("sarah_chen", "SARAH Chen", 2),
        ("skiing", "skiing", 1),
    ]
    assert found.relations[1] == Relation(USER, "likes", "skiing", 3)


async def test_nothing_is_between_one_and_themselves(book: Book, ada: User) -> None:
    await book.keep(ada, said("a", subject="I", predicate="know", object="the user"))
    await book.keep(ada, said("b", subject="Tom"))
    found = await book.database.read(relations, ada.user_id, "Ada")
    assert found.relations == []
