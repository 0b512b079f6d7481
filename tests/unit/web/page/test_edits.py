"""Edits on the page: they supersede, and what cannot be saved is not lost."""

from __future__ import annotations

import pytest

from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus
from gaia.store.people.identities import User
from tests.harness.book import Book, said
from tests.unit.web.page.conftest import Browser, Site

POT = "The gate code is under the blue pot"


async def test_an_edit_supersedes(signed_in: Browser, book: Book, ada: User) -> None:
    kept = await book.keep(
        ada, said("Sarah lives in Bonn", entities=("person:sarah", "place:bonn"), subject="Sarah")
    )
    answer = await signed_in.send(
        f"/memory/{kept.memory.memory_id}/edit", text="Sarah lives in Ulm", kind="note"
    )
    page = await signed_in.see(answer.headers["location"].removeprefix("/page"))
    for told in ("Sarah lives in Ulm", "Before that", "Sarah lives in Bonn", "person:sarah"):
        assert told in page
    assert "place:bonn" not in page
    old = await book.stored(ada, kept.memory.memory_id)
    assert old.status is MemoryStatus.SUPERSEDED
    newer = await book.stored(ada, old.superseded_by or 0)
    assert (newer.kind, newer.source) == (MemoryKind.NOTE, MemorySource.USER)


@pytest.mark.parametrize("text", ["", " ", "x" * 2001, "my password is hunter2!"])
async def test_what_cannot_be_a_memory_is_not_saved(
    signed_in: Browser, book: Book, ada: User, text: str
) -> None:
    number = (await book.keep(ada, POT)).memory.memory_id
    answer = await signed_in.send(f"/memory/{number}/edit", text=text)
    assert answer.status_code == 422
    assert "It was not changed" in answer.text
    assert f">{text}</textarea>" in answer.text
    assert answer.text.count("hunter2") == text.count("hunter2"), "nowhere else"
    assert await book.texts(ada) == [POT]


async def test_an_edit_of_what_changed_meanwhile_is_offered_again(
    signed_in: Browser, book: Book, ada: User
) -> None:
    old = await book.keep(ada, "I live in Bonn")
    newer = await book.replace(ada, old, "I live in Ulm")
    stale = await signed_in.send(
        f"/memory/{old.memory.memory_id}/edit", text="I live in Bern", kind="note"
    )
    assert stale.status_code == 422
    for told in ("changed meanwhile", ">I live in Ulm</blockquote>", ">I live in Bern</textarea>"):
        assert told in stale.text
    assert "<option selected>note" in stale.text
    assert f'action="/page/memory/{newer.memory.memory_id}/edit"' in stale.text
    assert await book.texts(ada) == ["I live in Ulm"]


async def test_what_was_typed_is_shown_where_it_cannot_be_saved(
    site: Site, signed_in: Browser, book: Book, ada: User
) -> None:
    number = (await book.keep(ada, POT)).memory.memory_id
    await signed_in.see(f"/memory/{number}")
    await book.remove(ada, number)
    gone = await signed_in.send(f"/memory/{number}/edit", text="under the <red> pot")
    assert gone.status_code == 404
    assert "under the &lt;red&gt; pot" in gone.text
    site.clock.advance(3600)
    over = await signed_in.send(f"/memory/{number}/edit", text="under the <red> pot")
    assert over.status_code == 403
    assert "under the &lt;red&gt; pot" in over.text
    signed_in.client.headers["Origin"] = "http://evil.example"
    of_others = await signed_in.send(f"/memory/{number}/edit", text="pay me")
    assert "pay me" not in of_others.text
