"""The homes whose gaias work on one PostgreSQL database, and what each has still to take out of
its own files.

What somebody has forgotten is handed on to all homes once it is out of everything that is not a
file of theirs. A home that is away meanwhile is left the ids of users alone, no words. Times are
the server's.

Each function that takes a session works within the caller's transaction.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, text
from sqlalchemy.orm import Session

from gaia.errors import HomeError
from gaia.files import create
from gaia.paths import Home
from gaia.store import audit, forgets
from gaia.store.forgets import Forget
from gaia.store.processes import processes

CLEAN = "clean"
"""The notice that homes have something to take out of their files."""

HOMES = "homes"
"""The table of all homes: once a gaia has run, it is never empty."""

AWAY_SECONDS = 40.0
"""After how long without a process a home is not waited for any more: to be started again takes
less, and what is forgotten is to be gone within a minute."""

_IS_AWAY = (
    "GREATEST(homes.seen_at, "  # noqa: S608
    "(SELECT max(expires_at) FROM processes WHERE processes.home = homes.home)) "
    f"< clock_timestamp() AT TIME ZONE 'UTC' - make_interval(secs => {AWAY_SECONDS})"
)

_OTHERS = text("SELECT EXISTS (SELECT 1 FROM homes WHERE home != :home)")
_HAND_ON = text(
    "INSERT INTO home_forgets (forget_id, home, done) "
    "SELECT forget_id, home, home = :home FROM homes, forgets "
    "WHERE forget_id = :forget_id AND user_id = :user_id AND state = 'wiping' "
    "ON CONFLICT (forget_id, home) DO UPDATE SET done = home_forgets.done OR excluded.done"
)
_IS_HANDED_ON = text("SELECT EXISTS (SELECT 1 FROM home_forgets WHERE forget_id = :forget_id)")
_LEAVE_TO_THE_AWAY = text(
    "WITH away AS ("  # noqa: S608
    "UPDATE home_forgets SET done = true FROM homes "
    "WHERE homes.home = home_forgets.home AND forget_id = :forget_id AND NOT done "
    f"AND {_IS_AWAY} RETURNING homes.home) "
    "INSERT INTO home_wipes (home, user_id) "
    "SELECT away.home, forgets.user_id FROM away, forgets WHERE forgets.forget_id = :forget_id "
    "ON CONFLICT DO NOTHING"
)
_IS_AWAITED = text(
    "SELECT EXISTS (SELECT 1 FROM home_forgets WHERE forget_id = :forget_id AND NOT done)"
)
_BEGIN_AGAIN = text(
    "DELETE FROM home_forgets USING forgets "
    "WHERE forgets.forget_id = home_forgets.forget_id AND forgets.user_id = :user_id"
)
_FORGETS_OF = text("SELECT forget_id FROM home_forgets WHERE home = :home AND NOT done")
_WIPES_OF = text("SELECT user_id FROM home_wipes WHERE home = :home ORDER BY user_id")
_CLEANED = text(
    "UPDATE home_forgets SET done = true FROM forgets "
    "WHERE forgets.forget_id = home_forgets.forget_id AND forgets.user_id = :user_id "
    "AND home_forgets.forget_id = :forget_id AND home_forgets.home = :home"
)
_WIPED = text("DELETE FROM home_wipes WHERE home = :home AND user_id IN :user_ids").bindparams(
    bindparam("user_ids", expanding=True)
)

# A wish under way is handed on again.
_COPIED = (
    ("SELECT home, name, seen_at FROM homes", "INSERT INTO homes VALUES (:home, :name, :seen_at)"),
    ("SELECT home, user_id FROM home_wipes", "INSERT INTO home_wipes VALUES (:home, :user_id)"),
)


@dataclass(frozen=True, slots=True)
class Due:
    """What a home has to take out of its files: what these wishes name, and all of the users
    `wiped`, each with the ids that they had before."""

    requests: Sequence[Forget]
    wiped: dict[str, frozenset[str]]


def mark_of(home: Home) -> str:
    """What tells this home from others, whatever they are called where they are. Blocks.

    Raises:
        HomeError: The home cannot be written to.
    """
    file = home.process_mark
    try:
        create(file)
        mark = file.read_text().strip()
        if not mark:
            mark = secrets.token_hex(16)
            file.write_text(mark)
    except OSError as exc:
        raise HomeError(
            f"{str(file)!r} cannot be written ({exc.strerror}): make the home writable by this user"
        ) from exc
    return mark


def has_others(session: Session, home: str) -> bool:
    """Whether there are other homes than this one."""
    return bool(session.execute(_OTHERS, {"home": home}).scalar_one())


def hand_on(session: Session, home: str, forget_id: int, user_id: str) -> None:
    """Have all homes clean their files of a wish but this one, which has. Not if it is another
    user's by now, or another gaia has carried it out."""
    named = {"home": home, "forget_id": forget_id, "user_id": user_id}
    session.execute(_HAND_ON, named)


def is_handed_on(session: Session, forget_id: int) -> bool:
    """Whether a wish is left to be done in files of homes alone."""
    return bool(session.execute(_IS_HANDED_ON, {"forget_id": forget_id}).scalar_one())


def is_awaited(session: Session, forget_id: int) -> bool:
    """Whether a home has still to clean its files of a wish; it is told. One that is away is not
    waited for, and has to wipe its files when it comes back."""
    session.execute(_LEAVE_TO_THE_AWAY, {"forget_id": forget_id})
    awaited = bool(session.execute(_IS_AWAITED, {"forget_id": forget_id}).scalar_one())
    if awaited:
        processes.notify(session, CLEAN)
    return awaited


def begin_again(session: Session, user_id: str) -> None:
    """Take back that the wishes of a user, who becomes another, are handed on: the files of both
    are theirs then. On a SQLite file none is."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(_BEGIN_AGAIN, {"user_id": user_id})


def due(session: Session, home: str) -> Due:
    """What a home has to take out of its files."""
    numbers = frozenset(session.execute(_FORGETS_OF, {"home": home}).scalars())
    wiped = session.execute(_WIPES_OF, {"home": home}).scalars()
    return Due(
        [each for each in forgets.under_way(session) if each.forget_id in numbers],
        {each: frozenset({each, *audit.joined_into(session, each)}) for each in wiped},
    )


def cleaned(session: Session, home: str, forget_id: int, user_id: str) -> None:
    """Say that a home's files hold nothing of a wish, unless it is another user's by now."""
    session.execute(_CLEANED, {"home": home, "forget_id": forget_id, "user_id": user_id})


def wiped(session: Session, home: str, user_ids: Collection[str]) -> None:
    """Say that a home's files hold nothing of these users."""
    session.execute(_WIPED, {"home": home, "user_ids": list(user_ids)})


def copy(source: Connection, target: Connection) -> None:
    """Have a copy of a PostgreSQL database know the homes, and what those that are away have
    still to wipe."""
    for query, insert in _COPIED:
        if rows := source.execute(text(query)).mappings().all():
            target.execute(text(f"{insert} ON CONFLICT DO NOTHING"), [dict(row) for row in rows])
