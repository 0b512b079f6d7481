"""Several processes on one PostgreSQL database tell each other which settings were changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Create the table. A SQLite file has one process, which has nobody to tell."""
    if op.get_bind().dialect.name != "postgresql":
        return
    op.create_table(
        "shared_settings",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("told_by", sa.Text(), nullable=False),
        sa.Column("told_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_shared_settings")),
    )
