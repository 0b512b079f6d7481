"""What providers tell of messages that they took, contact with people, files that are sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table, and the columns of an older one."""
    op.create_table(
        "outbox_files",
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.String(length=128), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.conversation_id"],
            name=op.f("fk_outbox_files_conversation_id"),
        ),
        sa.ForeignKeyConstraint(
            ["outbox_id"], ["outbox.outbox_id"], name=op.f("fk_outbox_files_outbox_id")
        ),
        sa.PrimaryKeyConstraint("outbox_id", name=op.f("pk_outbox_files")),
    )
    op.create_index(
        op.f("ix_outbox_files_conversation_id"), "outbox_files", ["conversation_id"], unique=False
    )
    op.add_column("conversations", sa.Column("written_at", sa.DateTime(), nullable=True))
    op.add_column("conversations", sa.Column("asked_at", sa.DateTime(), nullable=True))
    op.add_column("outbox", sa.Column("failed_ids", sa.JSON(), server_default="[]", nullable=False))
