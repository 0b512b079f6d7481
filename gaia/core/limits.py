"""Limits: how many messages a user may write within a minute.

One too many is recorded, so that it is not taken when it comes again, and is
left out. Its sender is told once a minute.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.core import sentences, slash
from gaia.core.sentences import split_notice
from gaia.current import Current
from gaia.messages import Inbound, ReceiptKind
from gaia.ports import Channel
from gaia.settings.schema import Settings
from gaia.store import audit, inbox, outbox, senders
from gaia.store.audit import Action
from gaia.store.conversations import Conversation
from gaia.store.tables import InboxState

NEVER_REFUSED = "stop"
"""The command that is neither counted nor refused."""


class Limits:
    """Holds each user to `limits.messages_per_minute`, within the caller's transaction."""

    def __init__(self, settings: Current[Settings]) -> None:
        self._settings = settings

    @property
    def _messages_per_minute(self) -> int:
        return self._settings.now.limits.messages_per_minute

    def is_one_too_many(self, recent_messages: int, inbound: Inbound) -> bool:
        """Whether a message is more than its user may write at the moment, after so many
        within a minute."""
        command = slash.parse(inbound.text)
        if command is not None and command.name == NEVER_REFUSED:
            return False
        return recent_messages >= self._messages_per_minute

    def refuse(
        self,
        session: Session,
        conversation: Conversation,
        inbound: Inbound,
        channels: Mapping[str, Channel],
        now: datetime,
    ) -> ReceiptKind:
        """Record a message as refused. It is accepted where it has an answer to deliver."""
        user_id = conversation.user_id
        is_told = not senders.was_told(session, user_id, now)
        turn_id = secrets.token_hex(5) if is_told else None
        is_new = inbox.record(
            session,
            inbound,
            conversation,
            is_command=slash.parse(inbound.text) is not None,
            now=now,
            state=InboxState.REFUSED,
            turn_id=turn_id,
        )
        if not is_new:
            return ReceiptKind.DUPLICATE
        if is_told:
            outbox.add(
                session,
                conversation_id=conversation.conversation_id,
                turn_id=turn_id,
                chunks=split_notice(
                    channels,
                    conversation.channel,
                    sentences.too_fast(self._messages_per_minute),
                ),
                now=now,
            )
            audit.record(
                session,
                Action.RATE_LIMITED,
                at=now,
                by=audit.GAIA,
                subject=user_id,
                address=inbound.address,
            )
        return ReceiptKind.ACCEPTED if is_told else ReceiptKind.REFUSED
