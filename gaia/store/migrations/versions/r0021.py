"""A message keeps the context in which it came."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

PRESENT = """
UPDATE inbox SET context = (
    SELECT context FROM conversations
    WHERE conversations.conversation_id = inbox.conversation_id
) WHERE EXISTS (
    SELECT 1 FROM conversations
    WHERE conversations.conversation_id = inbox.conversation_id
    AND conversations.generation = inbox.generation AND conversations.context != 'global'
)
"""
SEALED = """
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


def upgrade() -> None:
    """Add the column: a session's context is that of its digest, or of its conversation."""
    op.add_column(
        "inbox",
        sa.Column("context", sa.String(length=32), nullable=False, server_default="global"),
    )
    op.execute(PRESENT)
    op.execute(SEALED)
