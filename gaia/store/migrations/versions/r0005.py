"""A pending memory may be meant in the place of another."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column."""
    op.add_column("memories", sa.Column("replaces", sa.Integer(), nullable=True))
