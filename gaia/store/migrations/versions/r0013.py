"""Pairs of memories that were compared."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "compared_pairs",
        sa.Column("first_id", sa.Integer(), nullable=False),
        sa.Column("second_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [column],
                ["memories.memory_id"],
                name=op.f(f"fk_compared_pairs_{column}"),
                ondelete="CASCADE",
            )
            for column in ("first_id", "second_id")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_compared_pairs_user_id")
        ),
        sa.PrimaryKeyConstraint("first_id", "second_id", name=op.f("pk_compared_pairs")),
    )
    for column in ("second_id", "user_id"):
        op.create_index(op.f(f"ix_compared_pairs_{column}"), "compared_pairs", [column])
