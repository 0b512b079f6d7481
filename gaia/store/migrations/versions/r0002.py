"""Long-term memory: the ledger, its full text, the index's operations, what is forgotten."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables."""
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
        sa.Column("context", sa.String(length=32), nullable=False),
        sa.Column("sensitive", sa.Boolean(), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("support", sa.Integer(), nullable=False),
        sa.Column("valid_from", sa.DateTime(), nullable=False),
        sa.Column("valid_to", sa.DateTime(), nullable=True),
        sa.Column("superseded_by", sa.Integer(), nullable=True),
        sa.Column("expires_at", sa.DateTime(), nullable=True),
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
