"""What a user took back by an edit is not learned: a message knows which it corrects."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Add the column."""
    op.add_column("inbox", sa.Column("corrects", sa.Integer(), nullable=True))
    op.create_index("ix_inbox_corrects", "inbox", ["corrects"], unique=False)
