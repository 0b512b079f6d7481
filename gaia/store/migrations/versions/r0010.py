"""Conversations have a context, and may be incognito."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the columns."""
    for table in ("conversations", "digests"):
        op.add_column(
            table,
            sa.Column("context", sa.String(length=32), nullable=False, server_default="global"),
        )
    for table in ("conversations", "inbox", "outbox"):
        op.add_column(
            table,
            sa.Column("is_incognito", sa.Boolean(), nullable=False, server_default=sa.false()),
        )
