"""When jobs ran, what tokens cost and who was told of them; the audit cannot be deleted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the tables, the column of an older one, and the triggers."""
    op.create_table(
        "job_runs",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("due_at", sa.DateTime(), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.Column("succeeded_at", sa.DateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("next_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_job_runs")),
    )
    op.create_table(
        "budget_notices",
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("budget", sa.String(length=8), nullable=False),
        sa.Column("stage", sa.String(length=8), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_budget_notices_user_id")
        ),
        sa.PrimaryKeyConstraint(
            "user_id", "day", "budget", "stage", name=op.f("pk_budget_notices")
        ),
    )
    op.add_column("usage", sa.Column("cost", sa.Double(), server_default="0", nullable=False))
    op.add_column(
        "usage",
        sa.Column("tariff", sa.String(length=8), server_default="settings", nullable=False),
    )
    op.create_index("ix_usage_day", "usage", ["day"])
    op.execute(
        "CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit "
        "BEGIN SELECT RAISE(ABORT, 'rows of audit are never deleted'); END"
    )
    op.execute(
        "CREATE TRIGGER audit_is_never_changed BEFORE UPDATE OF audit_id, at, action, actor "
        "ON audit BEGIN SELECT RAISE(ABORT, 'rows of audit are never changed'); END"
    )
    op.execute(
        "CREATE TRIGGER audit_is_never_replaced BEFORE INSERT ON audit "
        "WHEN EXISTS (SELECT 1 FROM audit WHERE audit_id = NEW.audit_id) "
        "BEGIN SELECT RAISE(ABORT, 'rows of audit are never replaced'); END"
    )
