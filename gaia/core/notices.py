"""Notices: short texts that gaia writes beside the answers of turns and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.messages import Button
from gaia.ports import Channel
from gaia.store import outbox
from gaia.store.conversations import Conversation


def write(
    session: Session,
    channels: Mapping[str, Channel],
    conversation: Conversation,
    text: str,
    now: datetime,
    *,
    turn_id: str | None = None,
    buttons: Sequence[Button] = (),
) -> None:
    """Write a notice to a conversation, within the caller's transaction. A channel that was
    switched off meanwhile tells nobody how long a message may be: for that one it stays whole."""
    channel = channels.get(conversation.channel)
    outbox.add(
        session,
        conversation_id=conversation.conversation_id,
        turn_id=turn_id,
        chunks=[text] if channel is None else channel.split(text),
        now=now,
        buttons=buttons,
    )
