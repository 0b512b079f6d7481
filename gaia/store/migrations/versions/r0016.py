"""A message has all of what it replies to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add the column."""
    op.add_column("inbox", sa.Column("replied_to", sa.JSON(), nullable=True))
