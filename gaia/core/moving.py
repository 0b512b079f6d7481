"""A chat that its provider gives another id: its conversation, and the group's
address, go by the new one from then on."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from sqlalchemy.orm import Session

from gaia.ports import Clock
from gaia.store import conversations
from gaia.store.engine import Database
from gaia.store.identities import move_address

logger = logging.getLogger(__name__)


async def move_chat(
    database: Database, clock: Clock, channel: str, old_chat: str, new_chat: str
) -> Sequence[int]:
    """Have the conversations in `old_chat` go on in `new_chat`; returns their ids. Idempotent."""
    moved = await database.write(_move, channel, old_chat, new_chat, clock)
    logger.info("a chat on %s has another id now: %d conversations follow", channel, len(moved))
    return moved


def _move(
    session: Session, channel: str, old_chat: str, new_chat: str, clock: Clock
) -> Sequence[int]:
    moved = conversations.move_chat(session, channel, old_chat, new_chat)
    move_address(session, channel, old_chat, new_chat, clock.now())
    return moved
