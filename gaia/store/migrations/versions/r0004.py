"""A memory may be pinned."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "memories",
        sa.Column("pinned", sa.Boolean(), nullable=False, server_default="0"),
    )
