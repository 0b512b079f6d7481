"""What is learned are sentences: what a memory is found by besides, and how it was judged."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("memories", sa.Column("label", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("verdict", sa.String(length=24), nullable=True))
