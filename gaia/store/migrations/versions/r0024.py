"""A conversation names the address that it is its user's by, and a chunk may be a farewell."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Add the columns. A chat is named like its address, or is a topic of it."""
    op.add_column(
        "conversations",
        sa.Column("sender", sa.String(length=255), nullable=False, server_default=""),
    )
    op.execute(
        "UPDATE conversations SET sender = coalesce((SELECT max(identities.sender) FROM identities "
        "WHERE identities.channel = conversations.channel "
        "AND identities.user_id = conversations.user_id "
        "AND conversations.chat LIKE identities.sender || ':%'), chat)"
    )
    op.add_column(
        "outbox",
        sa.Column("is_farewell", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
