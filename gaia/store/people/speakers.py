"""Speakers: the names by which the people of a group are told apart.

A name that somebody else of the group has, or had, gets a number behind it, and whoever was
called so stays so. The inbox has who was called what: `retention` leaves one message of each,
without its words. Each function works within the caller's transaction.
"""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

import re

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia import fence
from gaia.store.people.names import NAMELESS, name_key
from gaia.store.tables import ConversationRow, InboxRow
from gaia.text import cut

LONGEST_NAME = 80
"""Characters of a name that the model reads."""

COLONS = re.compile("[:：︓﹕꞉∶ː׃։]")
JOINERS = re.compile("[\u200c\u200d]")


def shown(name: str | None) -> str:
    """A sender's name as the model reads it; a colon in it could make two names of it."""
    return fence.line(COLONS.sub(" ", name or ""), LONGEST_NAME) or NAMELESS


def name_in_group(session: Session, user_id: str, author: str, name: str | None) -> str:
    """What `author`, who is called `name`, is called in the group `user_id`."""
    rows = session.execute(
        select(InboxRow.author, InboxRow.sender_name)
        .join(ConversationRow, ConversationRow.conversation_id == InboxRow.conversation_id)
        .where(ConversationRow.user_id == user_id, InboxRow.author.is_not(None))
        .distinct()
    ).all()
    own = {_key(shown(row.sender_name)) for row in rows if row.author == author}
    taken = {_key(shown(row.sender_name)) for row in rows if row.author != author}
    names = [shown(name), *(_numbered(shown(name), n) for n in range(2, len(taken) + 3))]
    free = [each for each in names if _key(each) not in taken]
    return next((each for each in free if _key(each) in own), free[0])


def _numbered(name: str, number: int) -> str:
    suffix = f" ({number})"
    return cut(name, LONGEST_NAME - len(suffix)) + suffix


def _key(name: str) -> str:
    """Equal for names that look alike."""
    return name_key(JOINERS.sub("", name))
