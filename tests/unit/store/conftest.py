"""A home on disk with an opened gaia.db, and time that stands still."""

from __future__ import annotations

from tests.harness.ledger_fixtures import ada, clock, database, home

__all__ = ["ada", "clock", "database", "home"]
