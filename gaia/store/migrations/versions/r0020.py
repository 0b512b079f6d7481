"""What is forgotten goes from the files of all homes that work on one PostgreSQL database: which
there are, and which of them has still to clean its files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Create the tables. A SQLite file has one home."""
    if op.get_bind().dialect.name != "postgresql":
        return
    op.create_table(
        "homes",
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("home", name=op.f("pk_homes")),
    )
    op.execute("INSERT INTO homes SELECT home, name, expires_at FROM processes")
    op.create_table(
        "home_forgets",
        sa.Column("forget_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["forget_id"],
            ["forgets.forget_id"],
            name=op.f("fk_home_forgets_forget_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["home"], ["homes.home"], name=op.f("fk_home_forgets_home")),
        sa.PrimaryKeyConstraint("forget_id", "home", name=op.f("pk_home_forgets")),
    )
    op.create_table(
        "home_wipes",
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["home"], ["homes.home"], name=op.f("fk_home_wipes_home")),
        sa.PrimaryKeyConstraint("home", "user_id", name=op.f("pk_home_wipes")),
    )
