"""A tool that fails is told of until it works again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "tool_failures",
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("tool", sa.String(length=64), nullable=False),
        sa.Column("error", sa.String(length=64), nullable=False),
        sa.Column("since", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_tool_failures_user_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "tool", name=op.f("pk_tool_failures")),
    )
