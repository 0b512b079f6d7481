"""Who wrote in a group stands beside their message."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column."""
    op.add_column("inbox", sa.Column("author", sa.String(length=255), nullable=True))
