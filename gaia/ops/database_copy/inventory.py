"""Which database a home has, and how many rows are in its tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gaia.ops.database_copy.rows import count_rows
from gaia.paths import Home
from gaia.store.location import database_url, there_is_one
from gaia.store.opener import inspecting, read_revision


@dataclass(frozen=True, slots=True)
class Inventory:
    """A database: what it is called, the revision of its tables, and their rows. `revision` is
    None where there are no tables."""

    name: str
    revision: str | None
    rows: Mapping[str, int]


def take_inventory(home: Home) -> Inventory:
    """Count what is in the home's database, which is left as it is. Blocks.

    Raises:
        StoreError: It is damaged, not gaia's, cannot be read, or does not answer.
        SettingsError: The settings may name a database, and something in them is wrong.
    """
    name = _name_of(home)
    revision = read_revision(home) if there_is_one(home) else None
    if revision is None:
        return Inventory(name, None, {})
    with inspecting(home) as connection:
        return Inventory(name, revision, count_rows(connection))


def _name_of(home: Home) -> str:
    url = database_url(home)
    if url is None:
        return str(home.database)
    from gaia.store.postgres.faults import name_of

    return name_of(url)
