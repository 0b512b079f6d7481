"""A ledger on disk, two people and a group, and time that stands still."""

from __future__ import annotations

from tests.harness.ledger_fixtures import ada, bob, book, clock, database, family, home

__all__ = ["ada", "bob", "book", "clock", "database", "family", "home"]
