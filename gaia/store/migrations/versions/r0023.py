"""The outbox knows which reminder a chunk says, and when that was due."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add the columns. What waits already is sent as it was written."""
    op.add_column("outbox", sa.Column("reminder_id", sa.Integer(), nullable=True))
    op.add_column("outbox", sa.Column("was_due", sa.DateTime(), nullable=True))
