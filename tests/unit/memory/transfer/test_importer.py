"""What a file of memories adds to the ledger: nothing twice, and nothing outdated."""

from __future__ import annotations

from datetime import timedelta

from gaia.memory import ledger
from gaia.memory.extraction import Relation
from gaia.memory.memory import Statement
from gaia.memory.people import entities, graph
from gaia.memory.transfer.importer import BATCH, ImportResult, import_statements
from gaia.memory.transfer.record import parse_line, record_of, statement_of
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.people.identities import User
from gaia.testing.clock import START, FakeClock
from tests.harness.book import Book, said

LATER = START + timedelta(days=1)


async def exported(book: Book, user: User) -> list[Statement]:
    with book.database.reading() as session:
        memories = ledger.every(session, user.user_id, limit=1000)
        told = graph.by_memory(session, user.user_id)
        records = [
            record_of(
                each,
                entities.of_memory(session, user.user_id, each.memory_id),
                told.get(each.memory_id, ()),
            )
            for each in memories
        ]
    return [statement_of(parse_line(each.to_json())) for each in records]


async def import_(book: Book, user: User, statements: list[Statement]) -> ImportResult:
    clock = FakeClock(LATER)
    return await import_statements(
        book.database, user.user_id, statements, clock, lambda done, total: None
    )


async def test_what_was_exported_is_the_same_with_another_user(
    book: Book, ada: User, bob: User
) -> None:
    await book.keep(ada, said("I live in Ulm", entities=("place:ulm",), quote="Ulm it is"))
    rule = said("No meetings on Friday", kind=MemoryKind.RULE, context="work", sensitive=True)
    await book.keep(ada, rule)
    statements = await exported(book, ada)
    assert await import_(book, bob, statements) == ImportResult(new=2, known=0)
    assert await exported(book, bob) == statements
    memories = await book.database.read(ledger.every, bob.user_id, limit=10)
    assert {each.source for each in memories} == {MemorySource.IMPORT}
    assert {each.valid_from for each in memories} == {START}
    assert {each.created_at for each in memories} == {LATER}


async def test_all_relations_of_a_memory_go_with_it(book: Book, ada: User, bob: User) -> None:
    further = (Relation("Tom", "husband of", "Grace"), Relation("user", "friend of", "Tom"))
    told = said(
        "My sister Grace is married to my friend Tom",
        subject="Grace",
        predicate="sister of",
        object=ada.name,
        relations=further,
    )
    await book.keep(ada, told)
    await import_(book, bob, await exported(book, ada))
    noted = await book.database.read(graph.by_memory, bob.user_id)
    (relations,) = noted.values()
    assert set(relations) >= {Relation("Grace", "sister of", "user"), *further}
    (memory_id,) = noted
    assert (await book.stored(bob, memory_id)).subject == "Grace"


async def test_a_second_import_changes_nothing(book: Book, ada: User) -> None:
    await book.keep(ada, "I live in Ulm")
    before = await book.stored(ada, 1)
    statements = [*await exported(book, ada), said("I drink tea", MemorySource.IMPORT)]
    assert await import_(book, ada, statements) == ImportResult(new=1, known=1)
    assert await import_(book, ada, statements) == ImportResult(new=0, known=2)
    assert await book.stored(ada, 1) == before


async def test_what_stands_in_a_file_twice_is_kept_once(book: Book, ada: User) -> None:
    twice = [said("I drink tea", MemorySource.IMPORT), said("i drink  TEA", MemorySource.IMPORT)]
    assert await import_(book, ada, twice) == ImportResult(new=1, known=1)
    assert await book.texts(ada) == ["I drink tea"]


async def test_an_old_export_brings_nothing_back_that_was_superseded(book: Book, ada: User) -> None:
    bonn = await book.keep(ada, "I live in Bonn")
    old = await exported(book, ada)
    await book.replace(ada, bonn, "I live in Ulm", LATER)
    assert await import_(book, ada, old) == ImportResult(new=0, known=1)
    assert await book.texts(ada) == ["I live in Ulm"]
    moved_back = said("I live in Bonn", MemorySource.IMPORT, said_at=LATER + timedelta(days=1))
    assert await import_(book, ada, [moved_back]) == ImportResult(new=1, known=0)


async def test_many_are_stored_in_part_after_part(book: Book, ada: User) -> None:
    many = [said(f"thing {number}", MemorySource.IMPORT) for number in range(2 * BATCH + 1)]
    told: list[tuple[int, int]] = []
    await import_statements(
        book.database, ada.user_id, many, FakeClock(), lambda done, of: told.append((done, of))
    )
    total = 2 * BATCH + 1
    assert told == [(BATCH, total), (2 * BATCH, total), (total, total)]
    assert len(await book.texts(ada)) == total
