"""There is a graph of people and things, made from the memories; and messages to other users
wait for a yes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "entities",
        sa.Column("entity_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_entities_user_id")),
        sa.PrimaryKeyConstraint("entity_id", name=op.f("pk_entities")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_entities_user_id_key", "entities", ["user_id", "key"])
    op.create_table(
        "relations",
        sa.Column("relation_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("memory_id", sa.Integer(), nullable=False),
        sa.Column("subject_id", sa.Integer(), nullable=True),
        sa.Column("predicate", sa.Text(), nullable=False),
        sa.Column("object_id", sa.Integer(), nullable=True),
        sa.Column("forth", sa.Text(), nullable=False),
        sa.Column("back", sa.Text(), nullable=False),
        sa.Column("is_same", sa.Boolean(), nullable=False),
        sa.Column("is_apart", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_relations_user_id")),
        sa.ForeignKeyConstraint(
            ["memory_id"],
            ["memories.memory_id"],
            name=op.f("fk_relations_memory_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["subject_id"],
            ["entities.entity_id"],
            name=op.f("fk_relations_subject_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["object_id"],
            ["entities.entity_id"],
            name=op.f("fk_relations_object_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("relation_id", name=op.f("pk_relations")),
        sqlite_autoincrement=True,
    )
    for column in ("user_id", "memory_id", "subject_id", "object_id"):
        op.create_index(f"ix_relations_{column}", "relations", [column])
    op.create_table(
        "letters",
        sa.Column("letter_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("to_user_id", sa.String(length=40), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.String(length=40), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_letters_user_id")),
        sa.PrimaryKeyConstraint("letter_id", name=op.f("pk_letters")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_letters_user_id", "letters", ["user_id"])
