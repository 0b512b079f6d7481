"""What gaia learns by itself: the archive of turns, digests, profiles; what was forwarded."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the tables, and the columns of older ones."""
    op.create_table(
        "profiles",
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("bullets", sa.JSON(), nullable=False),
        sa.Column("distilled", sa.Boolean(), nullable=False),
        sa.Column("input_hash", sa.String(length=64), nullable=False),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_profiles_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_profiles")),
    )
    op.create_table(
        "archived_turns",
        sa.Column("archive_id", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.String(length=40), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("said_at", sa.DateTime(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.conversation_id"],
            name=op.f("fk_archived_turns_conversation_id"),
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_archived_turns_user_id")
        ),
        sa.PrimaryKeyConstraint("archive_id", name=op.f("pk_archived_turns")),
        sa.UniqueConstraint("turn_id", name=op.f("uq_archived_turns_turn_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_archived_turns_conversation_id"),
        "archived_turns",
        ["conversation_id"],
        unique=False,
    )
    op.create_index(
        "ix_archived_turns_session_id", "archived_turns", ["session_id", "archive_id"], unique=False
    )
    op.create_index(
        "ix_archived_turns_user_id_said_at_length",
        "archived_turns",
        ["user_id", "said_at", "length"],
        unique=False,
    )
    op.create_table(
        "digests",
        sa.Column("digest_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("session_user_id", sa.String(length=40), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.DateTime(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("learned", sa.Integer(), nullable=False),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("journal", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("committed_at", sa.DateTime(), nullable=True),
        sa.Column("undone_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.conversation_id"],
            name=op.f("fk_digests_conversation_id"),
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_digests_user_id")),
        sa.PrimaryKeyConstraint("digest_id", name=op.f("pk_digests")),
        sa.UniqueConstraint("session_id", name=op.f("uq_digests_session_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_digests_conversation_id"), "digests", ["conversation_id"], unique=False
    )
    op.create_index(
        "ix_digests_open",
        "digests",
        ["state"],
        unique=False,
        sqlite_where=sa.text("state != 'cleared'"),
        postgresql_where=sa.text("state != 'cleared'"),
    )
    op.create_index("ix_digests_user_id_state", "digests", ["user_id", "state"], unique=False)
    op.create_table(
        "archived_terms",
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("term", sa.Text(), nullable=False),
        sa.Column("archive_id", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["archive_id"],
            ["archived_turns.archive_id"],
            name=op.f("fk_archived_terms_archive_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_archived_terms_user_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "term", "archive_id", name=op.f("pk_archived_terms")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_archived_terms_archive_id"), "archived_terms", ["archive_id"], unique=False
    )
    op.create_table(
        "digest_windows",
        sa.Column("digest_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("last_archive_id", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["digest_id"],
            ["digests.digest_id"],
            name=op.f("fk_digest_windows_digest_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_digest_windows_user_id")
        ),
        sa.PrimaryKeyConstraint("digest_id", "number", name=op.f("pk_digest_windows")),
    )
    op.create_index(op.f("ix_digest_windows_user_id"), "digest_windows", ["user_id"], unique=False)
    op.add_column(
        "inbox",
        sa.Column("is_forwarded", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.add_column("memories", sa.Column("predicate", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("object", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("due_at", sa.DateTime(), nullable=True))
    op.add_column("memories", sa.Column("digest_id", sa.Integer(), nullable=True))
    op.create_index(op.f("ix_memories_digest_id"), "memories", ["digest_id"], unique=False)
