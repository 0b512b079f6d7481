"""The part of the first revision that makes the tables of memory and digests."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


def create_memory_tables() -> None:
    """Create them. They refer to users and conversations, which are there by then."""
    op.create_table(
        "index_ops",
        sa.Column("op_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("memory_id", sa.Integer(), nullable=True),
        sa.Column("operation", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("op_id", name=op.f("pk_index_ops")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_index_ops_user_id"), "index_ops", ["user_id"], unique=False)
    op.create_table(
        "indexes",
        sa.Column("index_id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("built_to", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("index_id", name=op.f("pk_indexes")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "forgets",
        sa.Column("forget_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("everything", sa.Boolean(), nullable=False),
        sa.Column("memory_ids", sa.JSON(), nullable=False),
        sa.Column("needles", sa.JSON(), nullable=False),
        sa.Column("turn_ids", sa.JSON(), nullable=False),
        sa.Column("inbox_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_forgets_user_id")),
        sa.PrimaryKeyConstraint("forget_id", name=op.f("pk_forgets")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_forgets_user_id"), "forgets", ["user_id"], unique=False)
    op.create_table(
        "forgotten",
        sa.Column("forgotten_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_forgotten_user_id")),
        sa.PrimaryKeyConstraint("forgotten_id", name=op.f("pk_forgotten")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_forgotten_user_id"), "forgotten", ["user_id"], unique=False)
    op.create_table(
        "index_shards",
        sa.Column("index_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("shard", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["index_id"],
            ["indexes.index_id"],
            name=op.f("fk_index_shards_index_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("index_id", "user_id", name=op.f("pk_index_shards")),
    )
    op.create_table(
        "memories",
        sa.Column("memory_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("predicate", sa.Text(), nullable=True),
        sa.Column("object", sa.Text(), nullable=True),
        sa.Column("context", sa.String(length=32), nullable=False),
        sa.Column("sensitive", sa.Boolean(), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("support", sa.Integer(), nullable=False),
        sa.Column("valid_from", sa.DateTime(), nullable=False),
        sa.Column("valid_to", sa.DateTime(), nullable=True),
        sa.Column("superseded_by", sa.Integer(), nullable=True),
        sa.Column("expires_at", sa.DateTime(), nullable=True),
        sa.Column("due_at", sa.DateTime(), nullable=True),
        sa.Column("digest_id", sa.Integer(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("turn_id", sa.String(length=40), nullable=True),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["superseded_by"],
            ["memories.memory_id"],
            name=op.f("fk_memories_superseded_by"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_memories_user_id")),
        sa.PrimaryKeyConstraint("memory_id", name=op.f("pk_memories")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_memories_digest_id"), "memories", ["digest_id"], unique=False)
    op.create_index(
        "ix_memories_one_active",
        "memories",
        ["user_id", "kind", "context", "hash"],
        unique=True,
        sqlite_where=sa.text("status = 'active'"),
        postgresql_where=sa.text("status = 'active'"),
    )
    op.create_index(op.f("ix_memories_superseded_by"), "memories", ["superseded_by"], unique=False)
    op.create_index(
        "ix_memories_user_id_session_id_position",
        "memories",
        ["user_id", "session_id", "position"],
        unique=False,
    )
    op.create_index(
        "ix_memories_user_id_status_length",
        "memories",
        ["user_id", "status", "length"],
        unique=False,
    )
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
        "memory_entities",
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("entity", sa.Text(), nullable=False),
        sa.Column("memory_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["memory_id"],
            ["memories.memory_id"],
            name=op.f("fk_memory_entities_memory_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_memory_entities_user_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "entity", "memory_id", name=op.f("pk_memory_entities")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_memory_entities_memory_id"), "memory_entities", ["memory_id"], unique=False
    )
    op.create_table(
        "memory_terms",
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("term", sa.Text(), nullable=False),
        sa.Column("memory_id", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["memory_id"],
            ["memories.memory_id"],
            name=op.f("fk_memory_terms_memory_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_memory_terms_user_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "term", "memory_id", name=op.f("pk_memory_terms")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_memory_terms_memory_id"), "memory_terms", ["memory_id"], unique=False)
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
