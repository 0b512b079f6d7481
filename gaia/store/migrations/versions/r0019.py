"""Links to the memory page and its sessions outlive a restart, and count at every process."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "page_links",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_page_links_user_id")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_page_links")),
    )
    op.create_index("ix_page_links_user_id", "page_links", ["user_id"], unique=False)
    op.create_table(
        "page_sessions",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("used_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_page_sessions_user_id")
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_page_sessions")),
    )
    op.create_index("ix_page_sessions_user_id", "page_sessions", ["user_id"], unique=False)
