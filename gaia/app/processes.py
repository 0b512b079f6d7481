"""Whether this process works with others on one database, and which work is its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gaia.core.shares import Shares
from gaia.paths import Home
from gaia.store.engine import Database

if TYPE_CHECKING:
    from gaia.store.processes.membership import Membership


async def join(database: Database, home: Home, *, serves: bool) -> Membership | None:
    """Be one of the processes on the database; None on a SQLite file, which has one. One that
    does not serve lives for as long as a chat at this machine.

    Raises:
        StoreError: The database does not answer.
        HomeError: The home cannot be written to.
    """
    if database.server is None:
        return None
    # PostgreSQL's driver is an extra.
    from gaia.store.postgres.database import PostgresDatabase
    from gaia.store.processes.membership import Membership

    if not isinstance(database, PostgresDatabase):
        return None
    membership = Membership(database, home, serves=serves)
    await membership.join()
    return membership


def shares_of(membership: Membership | None) -> Shares:
    """Which work is this process's own: all of it where it is no member."""
    if membership is None:
        return Shares()
    return Shares(
        conversations=membership,
        leader=membership.of_leader(),
        leads=lambda: membership.leads,
        lives=lambda: membership.lives,
        until_leads=membership.until_leads,
        here=membership.here,
        tell_forgotten=membership.tell_forgotten,
        processes=membership.processes,
    )
