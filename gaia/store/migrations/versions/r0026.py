"""A memory that another superseded may be told together with it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Add the column. Texts that hold the words of another are cut when something is forgotten."""
    op.add_column(
        "memories",
        sa.Column("told_by_heir", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
