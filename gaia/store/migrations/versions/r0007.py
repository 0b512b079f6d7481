"""Links can be undone for a day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "links",
        sa.Column("link_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=True),
        sa.Column("journal", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_links_user_id")),
        sa.PrimaryKeyConstraint("link_id", name=op.f("pk_links")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_links_user_id"), "links", ["user_id"], unique=False)
