"""An owner may share a note with all members."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "memories",
        sa.Column("is_shared", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
