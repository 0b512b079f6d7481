"""Several processes may work on one PostgreSQL database: which live, and which conversations
each of them holds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

BEGIN_WRITE = """
CREATE FUNCTION begin_write(
  lock bigint, me text,
  OUT number text, OUT process int, OUT since timestamptz, OUT lives boolean
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(lock);
  number := pg_current_xact_id();
  process := pg_backend_pid();
  since := pg_postmaster_start_time();
  -- A statement of its own: it sees what others wrote while this one waited.
  lives := EXISTS (SELECT 1 FROM processes WHERE process_id = me);
END $$
"""


def upgrade() -> None:
    """Create the tables. A SQLite file has one process, which holds all."""
    if op.get_bind().dialect.name != "postgresql":
        return
    op.create_table(
        "processes",
        sa.Column("process_id", sa.Text(), nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("leads", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("process_id", name=op.f("pk_processes")),
    )
    op.create_index(
        "ix_processes_leads", "processes", ["leads"], unique=True, postgresql_where=sa.text("leads")
    )
    op.create_table(
        "holders",
        sa.Column("conversation_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("process_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.conversation_id"],
            name=op.f("fk_holders_conversation_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["process_id"],
            ["processes.process_id"],
            name=op.f("fk_holders_process_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("conversation_id", name=op.f("pk_holders")),
    )
    op.create_index("ix_holders_process_id", "holders", ["process_id"], unique=False)
    op.execute(BEGIN_WRITE)
