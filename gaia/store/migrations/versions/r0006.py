"""Reminders come at their time, in the zone of whoever made them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns, and the index by which it is found what is due."""
    for table, name, kind in (
        ("memories", "recurrence", sa.String(length=128)),
        ("memories", "zone", sa.String(length=64)),
        ("memories", "notified_at", sa.DateTime()),
        ("memories", "done_at", sa.DateTime()),
        ("users", "zone", sa.String(length=64)),
        ("users", "zone_asked_at", sa.DateTime()),
    ):
        op.add_column(table, sa.Column(name, kind, nullable=True))
    op.create_index(
        "ix_memories_due_at",
        "memories",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
