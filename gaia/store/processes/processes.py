"""The processes that work on one PostgreSQL database, and the conversations that each holds.

A process lives for as long as it has a row here, and says every few seconds that it does. One
that has said nothing for a while is removed by another: from then on none of its writes counts
any more, since each begins by looking for its row under the lock that all writes take. Times
are the server's: the clocks of the machines do not matter.

Each function works within the caller's transaction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

CHANNEL = "gaia"
"""On which processes tell each other of work."""

LIFE_SECONDS = 10.0
"""After how long without a sign a process may be taken for dead."""

ENDING_SECONDS = 2.0
"""How long a connection of somebody who has just ended may still be seen."""
LOOK_SECONDS = 0.1

_NOW = "clock_timestamp() AT TIME ZONE 'UTC'"
_LATER = f"{_NOW} + make_interval(secs => {LIFE_SECONDS})"

_REMOVE_OF_HOME = text("DELETE FROM processes WHERE home = :home")
_SEE_HOME = text(
    "INSERT INTO homes (home, name, seen_at) "  # noqa: S608
    f"VALUES (:home, :name, {_NOW}) "
    "ON CONFLICT (home) DO UPDATE SET name = excluded.name, seen_at = excluded.seen_at"
)
_LAST_SIGN = text(
    "SELECT name, expires_at, "  # noqa: S608
    f"CAST(EXTRACT(EPOCH FROM {_NOW} - expires_at) AS float8) + {LIFE_SECONDS} "
    "FROM processes WHERE home = :home"
)
_ADD = text(
    "INSERT INTO processes "  # noqa: S608
    "(process_id, home, name, version, serves, started_at, expires_at) "
    f"VALUES (:process_id, :home, :name, :version, :serves, {_NOW}, {_LATER})"
)
_LEAD = text(
    "UPDATE processes SET leads = true WHERE process_id = :process_id "
    "AND NOT EXISTS (SELECT 1 FROM processes WHERE leads) "
    "AND (serves OR NOT EXISTS (SELECT 1 FROM processes WHERE serves)) RETURNING process_id"
)
_FOLLOW = text("UPDATE processes SET leads = false WHERE process_id = :process_id")
_SEEN_LAST = (
    f"seen AS (UPDATE homes SET seen_at = {_NOW} FROM gone WHERE homes.home = gone.home) "  # noqa: S608
    "SELECT name FROM gone"
)
_REMOVE_EXPIRED = text(
    "WITH gone AS ("  # noqa: S608
    f"DELETE FROM processes WHERE expires_at < {_NOW} AND process_id != :process_id "
    f"RETURNING home, name), {_SEEN_LAST}"
)
_REMOVE = text(
    "WITH gone AS ("  # noqa: S608
    f"DELETE FROM processes WHERE process_id = :process_id RETURNING home, name), {_SEEN_LAST}"
)
_LISTED = text(
    "SELECT process_id, name, version, started_at, leads, "  # noqa: S608
    f"expires_at >= {_NOW} AS lives, "
    "(SELECT count(*) FROM holders WHERE holders.process_id = processes.process_id) AS held "
    "FROM processes ORDER BY started_at, process_id"
)
_CHANNEL = text("SELECT channel FROM conversations WHERE conversation_id = :conversation_id")
_HOLDER = text("SELECT process_id FROM holders WHERE conversation_id = :conversation_id")
_CLAIM = text(
    "INSERT INTO holders (conversation_id, process_id) VALUES (:conversation_id, :process_id) "
    "ON CONFLICT (conversation_id) DO UPDATE SET process_id = holders.process_id "
    "RETURNING process_id"
)
_MOVE = text(
    "INSERT INTO holders (conversation_id, process_id) "
    "SELECT conversation_id, :process_id FROM conversations "
    "WHERE channel = :channel AND chat = :chat "
    "AND NOT EXISTS (SELECT 1 FROM inbox WHERE state IN ('running', 'stopping') "
    "AND inbox.conversation_id = conversations.conversation_id) "
    "AND NOT EXISTS (SELECT 1 FROM outbox WHERE state = 'sending' "
    "AND outbox.conversation_id = conversations.conversation_id) "
    "ON CONFLICT (conversation_id) DO UPDATE SET process_id = excluded.process_id "
    "RETURNING conversation_id"
)
_NOTIFY = text("SELECT pg_notify(:channel, :notice)")

_CONNECTED = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND application_name = 'gaia' AND pid != pg_backend_pid()"
)
# Within a transaction the server tells what it has told before.
_LOOK_AGAIN = text("SELECT pg_stat_clear_snapshot()")

BEAT = (
    f"UPDATE processes SET expires_at = {_LATER} WHERE process_id = %s "  # noqa: S608
    f"RETURNING EXISTS (SELECT 1 FROM processes WHERE expires_at < {_NOW}) "
    "OR NOT EXISTS (SELECT 1 FROM processes WHERE leads), leads, "
    "leads AND NOT serves AND EXISTS (SELECT 1 FROM processes WHERE serves)"
)
"""The sign of life, which waits for no lock: whether there is something to tidy, whether this
process leads, and whether it is to leave that to another. No row: it was taken for dead."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process: since when it works, whether it `leads` and `lives`, and how many
    conversations it holds."""

    process_id: str
    name: str
    version: str
    started_at: datetime
    leads: bool
    lives: bool
    held: int


@dataclass(frozen=True, slots=True)
class Sign:
    """The last sign of a process: its name, until when that counts, and how long ago it was."""

    name: str
    expires_at: datetime
    seconds_ago: float


def last_sign(session: Session, home: str) -> Sign | None:
    """The last sign of the process in a home; None if there is none."""
    row = session.execute(_LAST_SIGN, {"home": home}).first()
    return None if row is None else Sign(*row)


def join(
    session: Session, process_id: str, home: str, name: str, version: str, *, serves: bool = True
) -> bool:
    """Add a process, in the place of an earlier one of the same home, which has ended; returns
    whether it leads. One that does not serve lives for as long as a chat at its machine."""
    session.execute(_REMOVE_OF_HOME, {"home": home})
    session.execute(_SEE_HOME, {"home": home, "name": name})
    named = {"process_id": process_id, "home": home, "name": name, "version": version}
    session.execute(_ADD, {**named, "serves": serves})
    return lead(session, process_id)


def lead(session: Session, process_id: str) -> bool:
    """Have a process lead if none does; returns whether it began to. One that does not serve
    leads only where none does that."""
    return session.execute(_LEAD, {"process_id": process_id}).first() is not None


def follow(session: Session, process_id: str) -> None:
    """Have a process lead no more."""
    session.execute(_FOLLOW, {"process_id": process_id})


def remove_expired(session: Session, process_id: str) -> Sequence[str]:
    """Remove the others that gave no sign; returns their names. What they held is free."""
    return session.execute(_REMOVE_EXPIRED, {"process_id": process_id}).scalars().all()


def leave(session: Session, process_id: str) -> None:
    """Remove a process that ends. What it held is free."""
    session.execute(_REMOVE, {"process_id": process_id})


def listed(session: Session) -> Sequence[Process]:
    """All processes, the oldest first."""
    return [
        Process(process_id, name, version, at.replace(tzinfo=UTC), leads, lives, held)
        for process_id, name, version, at, leads, lives, held in session.execute(_LISTED)
    ]


def claim(
    session: Session,
    conversation_id: int,
    process_id: str,
    has: Callable[[str], bool] = lambda channel: True,
) -> tuple[str, str] | None:
    """Hold a conversation if nobody does, and this process `has` its channel; returns who holds
    it, empty for nobody, and its channel. None when there is none."""
    named = {"conversation_id": conversation_id}
    channel = session.execute(_CHANNEL, named).scalar()
    if channel is None:
        return None
    if has(channel):
        return session.execute(_CLAIM, {**named, "process_id": process_id}).scalar_one(), channel
    return session.execute(_HOLDER, named).scalar() or "", channel


def move(session: Session, channel: str, chat: str, process_id: str) -> Sequence[int]:
    """Hold the conversations in a chat, whoever did, unless something is under way in them;
    returns which they are."""
    named = {"channel": channel, "chat": chat, "process_id": process_id}
    return session.execute(_MOVE, named).scalars().all()


def others_connected(connection: Connection) -> int:
    """How many other connections of gaia's there are, commands' among them. Those of somebody
    who has just ended are waited for. Blocks."""
    until = time.monotonic() + ENDING_SECONDS
    while others := connection.execute(_CONNECTED).scalar_one():
        if time.monotonic() > until:
            break
        time.sleep(LOOK_SECONDS)
        connection.execute(_LOOK_AGAIN)
    return int(others)


def notify(session: Session, notice: str) -> None:
    """Tell all processes, once this is committed."""
    session.execute(_NOTIFY, {"channel": CHANNEL, "notice": notice})
