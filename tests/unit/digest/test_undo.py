"""Taking back what a digest wrote: once, as it was before, and not what was said since."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from gaia.digest import undo as undoing
from gaia.digest.undo import Undone
from gaia.memory import ledger
from gaia.memory.extraction import Change, Target
from gaia.store.memory_tables import MemorySource, MemoryStatus, MemoryTermRow
from gaia.store.people.identities import User
from tests.harness.book import Book, said
from tests.harness.proposals import READ, Digests, instead_of, proposal, window

PORTO = "I live in Porto, no longer in Lisbon"


async def undo(book: Book, user: User, *, after: timedelta = timedelta(0)) -> Undone | None:
    now = READ + after
    with book.database.writing() as session:
        digest_id = undoing.last_digest(session, user.user_id, now)
        if digest_id is None:
            return None
        return undoing.undo(session, user.user_id, digest_id, now)


async def test_all_is_as_before_and_only_once(book: Book, ada: User, digests: Digests) -> None:
    for text in ("I live in Lisbon", "I drink tea"):
        await book.keep(ada, said(text, MemorySource.TOOL))
    await digests.digested(proposal("I ski", pending=True))
    await digests.digested(
        instead_of(1, PORTO),
        instead_of(2, "I drink no tea"),
        proposal("I ski", minute=1),
        proposal("I may sing", pending=True),
        summary="We spoke",
    )
    assert await book.texts(ada) == ["I ski", PORTO, "I drink no tea", "We spoke"]
    undone = await undo(book, ada)
    assert undone is not None
    assert [each.text for each in undone.taken_back] == ["I ski", PORTO, "I drink no tea"]
    assert [each.text for each in undone.restored] == ["I live in Lisbon", "I drink tea"]
    assert await book.texts(ada) == ["I live in Lisbon", "I drink tea"]
    assert await book.made_of(MemoryTermRow) == {1, 2}
    kept = {
        each.text: each.status
        for each in await book.database.read(ledger.every, ada.user_id, limit=9, active=False)
    }
    assert kept["I ski"] is MemoryStatus.PENDING
    assert kept[PORTO] is MemoryStatus.ARCHIVED
    assert "I may sing" not in kept
    assert await undo(book, ada) is None


async def test_what_was_corrected_within_the_talk_is_not_told(
    book: Book, ada: User, digests: Digests
) -> None:
    await book.keep(ada, said("I live in Lisbon", MemorySource.TOOL))
    braga = instead_of(0, "I live in Braga, not in Porto, Lisbon no longer", minute=2)
    braga = replace(braga, changes=[(Target(None, window=1, position=0), Change.REPLACES)])
    await digests.commit(await digests.sealed(), window(instead_of(1, PORTO)), window(braga))
    undone = await undo(book, ada)
    assert undone is not None
    assert [each.text for each in undone.taken_back] == [braga.text]
    assert [each.text for each in undone.restored] == ["I live in Lisbon"]
    assert await book.texts(ada) == ["I live in Lisbon"]


async def test_what_the_user_said_since_stays_and_what_it_replaced_stays_away(
    book: Book, ada: User, digests: Digests
) -> None:
    for text in ("I live in Lisbon", "I drink tea"):
        await book.keep(ada, said(text, MemorySource.TOOL))
    await digests.digested(instead_of(1, PORTO), instead_of(2, "I drink milk, not tea"))
    await book.keep(ada, PORTO)
    milk = await book.keep(ada, said("I drink milk, not tea", MemorySource.IMPORT))
    await book.replace(ada, milk, "I drink rum")
    undone = await undo(book, ada)
    assert undone == Undone([], [])
    assert await book.texts(ada) == [PORTO, "I drink rum"]


async def test_what_had_the_same_successor_before_comes_back(
    book: Book, ada: User, digests: Digests
) -> None:
    await book.keep(ada, said(PORTO, MemorySource.TOOL))
    await book.keep(ada, said("I live in Lisbon", MemorySource.TOOL))
    await digests.digested(instead_of(2, PORTO))
    await undo(book, ada)
    assert await book.texts(ada) == [PORTO, "I live in Lisbon"]


async def test_what_was_forgotten_since_is_not_missed(
    book: Book, ada: User, digests: Digests
) -> None:
    await book.keep(ada, said("I live in Lisbon", MemorySource.TOOL))
    done = await digests.digested(instead_of(1, PORTO))
    await book.remove(ada, done.learned[0].memory_id)
    assert await undo(book, ada) == Undone([], [])


async def test_the_last_digest_that_wrote_something_is_meant_for_a_week(
    book: Book, ada: User, bob: User, digests: Digests
) -> None:
    await digests.digested(proposal("I drink tea"))
    await digests.digested(summary="We said hello")
    assert await undo(book, bob) is None
    assert await undo(book, ada, after=timedelta(days=7, seconds=1)) is None
    undone = await undo(book, ada, after=timedelta(days=7))
    assert undone is not None
    assert await book.texts(ada) == ["We said hello"]
