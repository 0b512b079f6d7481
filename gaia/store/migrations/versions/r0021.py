"""A message keeps the context in which it came, and a turn of the archive that in which it was
said."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

WAITING_IN_PRESENT = """
UPDATE inbox SET context = (
    SELECT context FROM conversations
    WHERE conversations.conversation_id = inbox.conversation_id
) WHERE EXISTS (
    SELECT 1 FROM conversations
    WHERE conversations.conversation_id = inbox.conversation_id
    AND conversations.generation = inbox.generation AND conversations.context != 'global'
)
"""
WAITING_IN_SEALED = """
UPDATE inbox SET context = (
    SELECT max(context) FROM digests
    WHERE digests.conversation_id = inbox.conversation_id
    AND digests.generation = inbox.generation
) WHERE EXISTS (
    SELECT 1 FROM digests
    WHERE digests.conversation_id = inbox.conversation_id
    AND digests.generation = inbox.generation AND digests.context != 'global'
)
"""

SAID_IN_PRESENT = """
UPDATE archived_turns SET context = (
    SELECT context FROM conversations
    WHERE conversations.conversation_id = archived_turns.conversation_id
) WHERE EXISTS (
    SELECT 1 FROM conversations
    WHERE conversations.conversation_id = archived_turns.conversation_id
    AND archived_turns.session_id LIKE '%#' || conversations.generation
    AND conversations.context != 'global'
)
"""
SAID_IN_SEALED = """
UPDATE archived_turns SET context = (
    SELECT context FROM digests WHERE digests.session_id = archived_turns.session_id
) WHERE session_id IN (SELECT session_id FROM digests WHERE context != 'global')
"""
LEARNED = """
UPDATE archived_turns SET context = (
    SELECT max(context) FROM memories
    WHERE memories.turn_id = archived_turns.turn_id AND memories.context != 'global'
) WHERE context = 'global' AND turn_id IN (
    SELECT turn_id FROM memories WHERE turn_id IS NOT NULL AND context != 'global'
)
"""


def upgrade() -> None:
    """Add the columns. The context of a session is that of its digest, or of its conversation;
    of one that was left without a digest, memories of its turns tell it."""
    for table in ("inbox", "archived_turns"):
        op.add_column(
            table,
            sa.Column("context", sa.String(length=32), nullable=False, server_default="global"),
        )
    for statement in (
        WAITING_IN_PRESENT,
        WAITING_IN_SEALED,
        SAID_IN_PRESENT,
        SAID_IN_SEALED,
        LEARNED,
    ):
        op.execute(statement)
