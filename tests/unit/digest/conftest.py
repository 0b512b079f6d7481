"""A ledger on disk, two people and a group, digests of one of them, and time that stands still."""

from __future__ import annotations

import pytest

from gaia.store.people.identities import User
from tests.harness.book import Book
from tests.harness.ledger_fixtures import ada, bob, book, clock, database, family, home
from tests.harness.proposals import Digests

__all__ = ["ada", "bob", "book", "clock", "database", "family", "home"]


@pytest.fixture
def digests(book: Book, ada: User) -> Digests:
    return Digests(book.database, ada.user_id)
