"""Memories have uses, and their upkeep has runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "memory_uses",
        sa.Column("memory_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("last_used_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["memory_id"],
            ["memories.memory_id"],
            name=op.f("fk_memory_uses_memory_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_memory_uses_user_id")
        ),
        sa.PrimaryKeyConstraint("memory_id", name=op.f("pk_memory_uses")),
    )
    op.create_index(op.f("ix_memory_uses_user_id"), "memory_uses", ["user_id"], unique=False)
    op.create_table(
        "upkeep_runs",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("job", sa.String(length=16), nullable=False),
        sa.Column("seen_to", sa.Integer(), nullable=False),
        sa.Column("journal", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("undone_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_upkeep_runs_user_id")
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_upkeep_runs")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_upkeep_runs_user_id_job", "upkeep_runs", ["user_id", "job", "run_id"], unique=False
    )
