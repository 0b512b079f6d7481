"""Edits on the page: they supersede, and what cannot be saved is not lost."""

from __future__ import annotations

import pytest

from gaia.store.identities import User
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus
from tests.harness.book import Book, said
from tests.unit.web.page.conftest import Browser

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
    assert "hunter2" not in answer.text
    assert await book.texts(ada) == [POT]
