"""What becomes of people: one who is removed, and two users who become one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from gaia.digest import seal
from gaia.errors import StoreError
from gaia.memory import ledger
from gaia.memory.forget_matcher import ForgetMatcher
from gaia.messages import Address
from gaia.ops.home_cleaner import clean_own_files, everything_of, mark_among
from gaia.ops.traces import cut_entries
from gaia.paths import Home
from gaia.store import audit, conversations, forgets
from gaia.store.audit import Action
from gaia.store.digest_tables import DigestReason
from gaia.store.engine import Database
from gaia.store.ownership import join_users
from gaia.store.people import links
from gaia.store.people.users import User, Users
from gaia.store.processes import homes

logger = logging.getLogger(__name__)


async def remove_person(home: Home, database: Database, users: Users, user: User) -> None:
    """Remove a user and all that gaia keeps of them, for good.

    The user goes last, so that what a crash cuts short can be asked for again. Where other
    homes work on the same database, a request to forget all of it is left, with the words that may
    be in their files. What becomes of backups from then on is told in `gaia.ops.backup.backups`.

    Raises:
        LastOwnerError: They are the only owner. Nothing is removed.
    """
    await users.check_removable(user)
    phrases, earlier_ids = await database.read(_to_clean, user)
    await _clean_files(home, user, phrases, earlier_ids)
    mark = await mark_among(home, database)
    await users.remove(user, partial(_hand_on, mark, user.user_id, phrases))
    await _write_again(database)
    await users.note_forgotten(user)


async def _write_again(database: Database) -> None:
    """Rid the file of copies of rows that SQLite had moved. The person is removed by now:
    what fails here must not look as if nothing was."""
    try:
        rewritten = await database.rewrite()
        await database.checkpoint()
    except StoreError as exc:
        logger.warning("free parts of the database may hold what was removed: %s", exc)
    else:
        if not rewritten:
            logger.warning(
                "free parts of the database hold what was removed, for others use it as it was: "
                "they go with the next thing that somebody forgets"
            )


async def _clean_files(
    home: Home, user: User, phrases: Sequence[str], earlier_ids: Sequence[str]
) -> None:
    """Take what was said to be remembered out of what was typed at the terminal, which is
    everybody's, and all that the user wrote out of the copies of the database and the files
    that it was exported to.

    Logs are left to the process that writes them: they hold no words.
    """
    what = everything_of(user.user_id, ForgetMatcher(phrases).match, user.created_at)
    await asyncio.to_thread(cut_entries, home.terminal_history, what.says)
    await asyncio.to_thread(clean_own_files, home, what, {user.user_id, *earlier_ids})


def _to_clean(session: Session, user: User) -> tuple[Sequence[str], Sequence[str]]:
    """The words to look for, and the ids that the user had before."""
    numbers = ledger.numbers(session, user.user_id)
    known = ledger.get_many(session, user.user_id, numbers)
    phrases = [words for each in known for words in (each.text, each.quote, each.label) if words]
    requests = forgets.under_way(session, user.user_id)
    phrases += [phrase for request in requests for phrase in request.phrases]
    return phrases, audit.joined_into(session, user.user_id)


def _hand_on(
    mark: str | None, user_id: str, phrases: Sequence[str], session: Session, now: datetime
) -> None:
    """Have the other homes clean their files, if there are any."""
    if mark is None or not homes.has_others(session, mark):
        return
    forget_id = forgets.begin(
        session,
        user_id,
        everything=True,
        phrases=phrases,
        turn_ids=(),
        inbox_id=0,
        now=now,
    )
    homes.hand_on(session, mark, forget_id, user_id)
    homes.is_awaited(session, forget_id)


def join_person(
    session: Session,
    gone: User,
    into: User,
    now: datetime,
    *,
    learns: bool,
) -> User:
    """Make `gone` and `into` one user, within the caller's transaction on gaia.db;
    returns `into` as it is then.

    What was said in the sessions that are left by it is to be digested, where gaia
    `learns` by itself: its archive outlives them.

    Raises:
        UnknownUserError: One of them has been removed.
        GroupUserError: One of them is a group.
    """
    if learns:
        _seal(session, gone, into, now)
    links.note_join(session, gone, into, now)
    joined = join_users(session, gone, into, now)
    audit.record(
        session, Action.JOINED, at=now, by=gone.user_id, subject=joined.user_id, detail=joined.role
    )
    return joined


@dataclass(frozen=True, slots=True)
class Undone:
    """A link that was undone: the addresses, and who is a user of their own again."""

    addresses: Sequence[Address]
    apart: User | None


def undo_last_link(session: Session, user_id: str, *, by: str, now: datetime) -> Undone | None:
    """Undo what was linked to a user last, within a day; None if nothing was."""
    link = links.last(session, user_id, now)
    if link is None:
        return None
    apart = links.undo(session, link, now)
    for address in link.addresses:
        audit.record(
            session,
            Action.UNLINKED,
            at=now,
            by=by,
            subject=user_id if apart is None else apart.user_id,
            address=address,
            detail="undone",
        )
    return Undone(link.addresses, apart)


def _seal(session: Session, gone: User, into: User, now: datetime) -> None:
    """Seal the sessions of `gone`, and those of `into` in the same chats."""
    for chat in conversations.of_user(session, gone.user_id):
        twin = conversations.find(
            session, user_id=into.user_id, channel=chat.channel, chat=chat.chat
        )
        for left in (chat, twin):
            if left is not None:
                seal.seal(session, left, DigestReason.JOINED, now)
