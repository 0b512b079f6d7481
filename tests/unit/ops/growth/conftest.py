"""A ledger on disk, and two people."""

from __future__ import annotations

from tests.harness.ledger_fixtures import ada, bob, book, clock, database, home

__all__ = ["ada", "bob", "book", "clock", "database", "home"]
